package workspace

import (
	"time"

	"mutsumi/backend/documents"
)

// FileChanged is what the watcher tells of a notebook that was written.
func (w *Workspace) FileChanged(path string) { w.FilesChanged(path) }

// FilesChanged is FileChanged of several in one event.
func (w *Workspace) FilesChanged(paths ...string) {
	files := map[string]bool{}
	for _, path := range paths {
		files[path] = true
	}
	w.registry.FilesChanged(files)
}

// OpenDocs is how many notebooks are in memory.
func (w *Workspace) OpenDocs() int { return len(w.registry.OpenDocs()) }

// PruneRequests removes what was remembered of requests, as at a start.
func PruneRequests(w *Workspace, now time.Time) { w.kept.Prune(now) }

// CloseAfter lets go of an open notebook, which everybody else waits for while
// f runs.
func (w *Workspace) CloseAfter(path string, f func()) error {
	return w.registry.Open(path, func(tx *documents.Tx) error {
		f()
		tx.Close()
		return nil
	})
}

// Saved returns when what the notebook holds is on the disk.
func (w *Workspace) Saved(path string) error {
	d, err := w.registry.Live(path)
	if err != nil {
		return err
	}
	return d.Written(w.ctx)
}

// TempFolder is where commands of a notebook's agent have their temporary files.
func TempFolder(w *Workspace, uuid string) string { return w.kept.Temp(uuid) }

// UseAfter uses a notebook after its lock was let go of.
func (w *Workspace) UseAfter(path string) error {
	var kept *documents.Tx
	err := w.registry.Open(path, func(tx *documents.Tx) error {
		kept = tx
		return nil
	})
	if err == nil {
		kept.MarkShown()
	}
	return err
}
