package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/fault"
)

// window opens a window on a folder: `mutsumi [DIR]`, or on a notebook's: `mutsumi FILE.mtm`.
func window(p *Program, args []string) error {
	if len(args) > 1 {
		return misused("%q takes one folder or notebook: see `mutsumi help`", "mutsumi")
	}
	if len(args) == 1 && strings.HasPrefix(args[0], "-") {
		return misused("there is no option %s: see `mutsumi help`", args[0])
	}
	folder, notebook, err := opens(args)
	if err != nil {
		return err
	}
	open, err := openWorkspace(p, openOptions{Folder: folder, Desktop: true})
	if err != nil {
		return err
	}
	if notebook != "" {
		open.ws.ShowNotebook(notebook)
	}
	closing, cancel := untilSignal()
	defer cancel()
	// The window closes itself, so that newly typed text is saved.
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

// opens returns what an argument opens: a folder, or the folder of a notebook and the notebook's
// absolute path. Without an argument the folder is "", the last opened one: the current directory
// means nothing.
func opens(args []string) (folder, notebook string, err error) {
	if len(args) == 0 {
		return "", "", nil
	}
	info, err := os.Stat(args[0])
	switch {
	case err == nil && info.IsDir():
		return args[0], "", nil
	case errors.Is(err, fs.ErrPermission):
		return "", "", fault.New(fault.Denied, "open %s: you may not look into its folder: change the permissions", args[0])
	case err != nil && filepath.Ext(args[0]) == notebookExt:
		return "", "", fault.New(fault.NotFound, "open %s: there is no such notebook", args[0])
	case err != nil || filepath.Ext(args[0]) != notebookExt:
		return "", "", misused("%s is neither a folder, a notebook (%s) nor a command: see `mutsumi help`", args[0], notebookExt)
	}
	if notebook, err = filepath.Abs(args[0]); err != nil {
		return "", "", fmt.Errorf("open %s: %w", args[0], err)
	}
	return folderFor(notebook), notebook, nil
}

// notebookExt is the suffix of notebooks' names.
const notebookExt = ".mtm"

// folderFor is the workspace of a notebook: the folder around .mutsumi if it is in one, otherwise
// its own folder.
func folderFor(notebook string) string {
	for dir := filepath.Dir(notebook); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".mutsumi" {
			return filepath.Dir(dir)
		}
	}
	return filepath.Dir(notebook)
}
