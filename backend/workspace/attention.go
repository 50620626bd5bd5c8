package workspace

// SetInFront says whether the person sees the window: while they do not, the
// system notifies.
func (w *Workspace) SetInFront(bool) error { return nil }
