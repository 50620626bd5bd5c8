package workspace

// Hands lists the files that a notebook's agent read and wrote, the latest
// first.
func (w *Workspace) Hands(string) ([]HandView, error) { return []HandView{}, nil }

// HoldApproval puts a request aside until the other agents that wrote its file
// are done.
func (w *Workspace) HoldApproval(string) error { return nil }
