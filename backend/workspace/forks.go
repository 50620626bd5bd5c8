package workspace

import "mutsumi/backend/fault"

// StopTree stops an agent and all that it started, directly or through others.
func (w *Workspace) StopTree(path string) error { return w.Stop(path) }

// Resume goes on with the answer that the end of the program interrupted, and
// returns the id of the run.
func (w *Workspace) Resume(path string) (string, error) {
	return "", fault.New(fault.NotFound, "nothing was interrupted in %s", path)
}
