package workspace

import (
	"time"

	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
)

// FileChanged acts as if the watcher reported that a notebook was written.
func (w *Workspace) FileChanged(path string) { w.FilesChanged(path) }

// FilesChanged is FileChanged for several notebooks in one event.
func (w *Workspace) FilesChanged(paths ...string) {
	files := map[string]bool{}
	for _, path := range paths {
		files[path] = true
	}
	w.registry.FilesChanged(files)
}

// OpenDocs returns the number of notebooks in memory.
func (w *Workspace) OpenDocs() int { return len(w.registry.OpenDocs()) }

// PruneRequests removes old records of requests, as at a start.
func PruneRequests(w *Workspace, now time.Time) { w.kept.Prune(now) }

// CloseAfter closes an open notebook after f, while everybody else waits for the notebook.
func (w *Workspace) CloseAfter(path string, f func()) error {
	return w.registry.Open(path, func(tx *documents.Tx) error {
		f()
		tx.Close()
		return nil
	})
}

// TypeThen appends a prompt and calls f before the prompt can be saved.
func (w *Workspace) TypeThen(path, text string, f func()) error {
	return w.registry.With(path, func(tx *documents.Tx, nb *notebook.Document) error {
		c, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: text}})
		if err == nil {
			tx.Changed(c, "test")
			f()
		}
		return err
	})
}

// Saved returns once the contents of the notebook are on disk.
func (w *Workspace) Saved(path string) error {
	d, err := w.registry.Live(path)
	if err != nil {
		return err
	}
	return d.Written(w.ctx)
}

// TempFolder is the folder for temporary files of a notebook's commands.
func TempFolder(w *Workspace, uuid string) string { return w.kept.Temp(uuid) }

// UseAfter uses a notebook after its lock was released.
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
