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

// Watch calls changed when rules were added, changed, renamed or removed, at
// most once in a while, until ctx ends; then it returns nil. The rules folder
// need not exist yet, and may go and come back. changed runs on the goroutine
// of Watch: it should not take long. The error says why the system cannot
// watch the folder.
func Watch(ctx context.Context, workspace string, changed func()) error {
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch rules: %w", err)
	}
	defer fsw.Close()
	w := &watch{fsw: fsw, workspace: filepath.Clean(workspace)}
	if err := w.cover(); err != nil {
		return err
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
				return fmt.Errorf("watch rules: the system stopped telling of changes")
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

type watch struct {
	fsw       *fsnotify.Watcher
	workspace string
}

// cover watches the rules folder and all folders in it, and those above it, so
// that a rules folder made later is seen. Each folder is watched before it is
// read: what appears in between is told.
func (w *watch) cover() error {
	if err := w.fsw.Add(w.workspace); err != nil {
		return fmt.Errorf("watch rules: %w", err)
	}
	rules := Folder(w.workspace)
	if w.fsw.Add(filepath.Dir(rules)) != nil {
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
	return filepath.WalkDir(rules, walk)
}

// concerns reports whether an event can change the rules. Of the folders above
// the rules folder only the way to it counts, so that a build in the workspace
// does not wake anybody.
func (w *watch) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	rules := Folder(w.workspace)
	name := filepath.Clean(e.Name)
	return name == rules || name == filepath.Dir(rules) || strings.HasPrefix(name, rules+string(filepath.Separator))
}
