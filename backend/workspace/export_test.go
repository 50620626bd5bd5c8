package workspace

import "mutsumi/backend/agent"

// FileChanged is what the watcher tells of a notebook that was written.
func (w *Workspace) FileChanged(path string) { w.filesChanged(map[string]bool{path: true}) }

// PutBeyond puts a message into the running answer that does not follow what it has.
func (w *Workspace) PutBeyond(path string) {
	d, r := w.atWork(path)
	d.put(r, agent.Put{Index: 99})
}
