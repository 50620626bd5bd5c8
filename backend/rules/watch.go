package rules

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long changes are gathered before they are told: an editor that
// saves by renaming makes three or four of them.
const settle = 150 * time.Millisecond

type watch struct {
	fsw       *fsnotify.Watcher
	workspace string
	folder    string
	what      string
	ready     func()
}

func (w *watch) run(ctx context.Context, changed func()) error {
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %ss: %w", w.what, err)
	}
	defer fsw.Close()
	w.fsw = fsw
	if err := w.cover(); err != nil {
		return err
	}
	if w.ready != nil {
		w.ready()
	}
	timer := time.NewTimer(settle)
	timer.Stop()
	waiting := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-fsw.Events:
			if !ok {
				return fmt.Errorf("watch %ss: the system stopped telling of changes", w.what)
			}
			if !w.concerns(e) || waiting {
				continue
			}
			waiting = true
			timer.Reset(settle)
		case <-fsw.Errors:
			// Events were lost: look again.
			if !waiting {
				waiting = true
				timer.Reset(settle)
			}
		case <-timer.C:
			waiting = false
			if err := w.cover(); err != nil {
				return err
			}
			changed()
		}
	}
}

// cover watches the folder and all folders in it, and those above it, so that
// one that is made later is seen. Each folder is watched before it is
// read: what appears in between is told.
func (w *watch) cover() error {
	if err := w.fsw.Add(w.workspace); err != nil {
		return fmt.Errorf("watch %ss: %w", w.what, err)
	}
	if w.fsw.Add(filepath.Dir(w.folder)) != nil {
		return nil // not there yet
	}
	walk := func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if w.fsw.Add(p) != nil {
			return filepath.SkipDir
		}
		return nil
	}
	return filepath.WalkDir(w.folder, walk)
}

// concerns reports whether an event can change what is on the shelf. Of the
// folders above it only the way to it counts, so that a build in the workspace
// does not wake anybody.
func (w *watch) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	name := filepath.Clean(e.Name)
	return name == w.folder || name == filepath.Dir(w.folder) || strings.HasPrefix(name, w.folder+string(filepath.Separator))
}
