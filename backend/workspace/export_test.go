package workspace

import (
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/cost"
)

// FileChanged is what the watcher tells of a notebook that was written.
func (w *Workspace) FileChanged(path string) { w.FilesChanged(path) }

// FilesChanged is FileChanged of several that are told together.
func (w *Workspace) FilesChanged(paths ...string) {
	files := map[string]bool{}
	for _, path := range paths {
		files[path] = true
	}
	w.registry.FilesChanged(files)
}

// PutBeyond puts a message into the running answer that does not follow what it has.
func (w *Workspace) PutBeyond(path string) {
	d, r := w.atWork(path)
	d.put(r, agent.Put{Index: 99})
}

// SetClock is as if the system's clock were set while a run goes on, by so much.
func (w *Workspace) SetClock(path string, by time.Duration) {
	d, r := w.atWork(path)
	d.do(func(*Tx) {
		r.startedMs -= by.Milliseconds()
	})
}

// OpenDocs is how many notebooks are in memory.
func (w *Workspace) OpenDocs() int { return len(w.registry.OpenDocs()) }

// PruneRequests removes what was remembered of requests, as at a start.
func PruneRequests(w *Workspace, now time.Time) { w.kept.Prune(now) }

// CloseAfter lets go of an open notebook, which everybody else waits for while
// f runs.
func (w *Workspace) CloseAfter(path string, f func()) error {
	return w.open(path, func(tx *Tx) error {
		f()
		tx.Close()
		return nil
	})
}

// Saved returns when what the notebook holds is on the disk.
func (w *Workspace) Saved(path string) error {
	d, err := w.doc(path)
	if err != nil {
		return err
	}
	return d.Written(w.ctx)
}

// TempFolder is where commands of a notebook's agent have their temporary files.
func TempFolder(w *Workspace, uuid string) string { return w.kept.Temp(uuid) }

// PriceOf is the price of a model of any provider.
func (w *Workspace) PriceOf(model string) cost.Price {
	return w.prices().Find(cost.Model{ID: model})
}

// UseAfter uses a notebook after its lock was let go of.
func (w *Workspace) UseAfter(path string) error {
	var kept *Tx
	err := w.open(path, func(tx *Tx) error {
		kept = tx
		return nil
	})
	if err == nil {
		kept.MarkShown()
	}
	return err
}
