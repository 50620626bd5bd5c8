package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// window opens a window on a folder: `mutsumi [DIR]`.
func window(p *Program, args []string) error {
	if len(args) > 1 {
		return misused("%q takes one folder: see `mutsumi help`", "mutsumi")
	}
	if len(args) == 1 && strings.HasPrefix(args[0], "-") {
		return misused("there is no option %s: see `mutsumi help`", args[0])
	}
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
			return misused("%s is neither a folder nor a command: see `mutsumi help`", args[0])
		}
	}
	open, err := openWorkspace(p, openOptions{Folder: folderOf(args), Desktop: true})
	if err != nil {
		return err
	}
	closing, cancel := untilSignal()
	defer cancel()
	// The window closes itself, so that what was just typed in it is saved.
	closed := make(chan struct{})
	context.AfterFunc(closing, func() {
		select {
		case <-closed:
		case <-time.After(windowCloses):
			open.Close()
			os.Exit(failed)
		}
	})
	err = p.Window(closing, open.ws, p.Interface)
	close(closed)
	if closeErr := open.Close(); err == nil {
		err = closeErr
	}
	if err == nil && closing.Err() != nil {
		os.Exit(failed)
	}
	return err
}

// windowCloses is how long the window has to close when the program gets a signal to end.
const windowCloses = 5 * time.Second

// folderOf is the folder that was named, or "" for the one opened last: where
// the shell or a desktop happened to start the program means nothing.
func folderOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// folderFor is the workspace that a notebook belongs to: the folder around
// .mutsumi if it lies in one, else the folder it is in.
func folderFor(notebook string) string {
	for dir := filepath.Dir(notebook); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".mutsumi" {
			return filepath.Dir(dir)
		}
	}
	return filepath.Dir(notebook)
}
