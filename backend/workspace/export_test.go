package workspace

import (
	"time"

	"mutsumi/backend/agent"
)

// FileChanged is what the watcher tells of a notebook that was written.
func (w *Workspace) FileChanged(path string) { w.filesChanged(map[string]bool{path: true}) }

// PutBeyond puts a message into the running answer that does not follow what it has.
func (w *Workspace) PutBeyond(path string) {
	d, r := w.atWork(path)
	d.put(r, agent.Put{Index: 99})
}

// SetClock is as if the system's clock were set while a run goes on, by so much.
func (w *Workspace) SetClock(path string, by time.Duration) {
	d, r := w.atWork(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	r.startedMs -= by.Milliseconds()
}

// OpenDocs is how many notebooks are in memory.
func (w *Workspace) OpenDocs() int { return len(w.openDocs()) }

// PruneRequests removes what was remembered of requests, as at a start.
func PruneRequests(now time.Time) { pruneRequests(now) }

// CloseAfter lets go of an open notebook, which everybody else waits for while
// f runs.
func (w *Workspace) CloseAfter(path string, f func()) error {
	d, err := w.lock(path)
	if err != nil {
		return err
	}
	defer d.mu.Unlock()
	f()
	d.close()
	return nil
}

// Saved returns when what the notebook holds is on the disk.
func (w *Workspace) Saved(path string) error {
	d, err := w.doc(path)
	if err != nil {
		return err
	}
	return d.written(w.ctx)
}

// TempFolder is where commands of a notebook's agent have their temporary files.
func TempFolder(w *Workspace, uuid string) string { return w.tempFolder(uuid) }
