package cli

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
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
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		open.Close()
		os.Exit(failed)
	}()
	err = p.Window(open.ws, p.Interface)
	if closeErr := open.Close(); err == nil {
		err = closeErr
	}
	return err
}

// folderOf is the folder to open: the one that was named, else the current
// one, unless that is where a desktop starts programs (home, /), which is no
// workspace: then the folder opened last, else ~/Mutsumi.
func folderOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	here, err := os.Getwd()
	home, homeErr := os.UserHomeDir()
	if err == nil && homeErr == nil && here != home && here != filepath.Dir(here) {
		return here
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
