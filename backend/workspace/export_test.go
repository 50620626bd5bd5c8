package workspace

// FileChanged is what the watcher tells of a notebook that was written.
func (w *Workspace) FileChanged(path string) { w.filesChanged(map[string]bool{path: true}) }
