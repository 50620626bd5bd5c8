package workspace

import (
	"mutsumi/backend/agenttree"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/coedit"
)

// coeditors is the coedit.Agents of the folder.
type coeditors struct{ w *Workspace }

// ByUUID implements coedit.Agents.
func (c coeditors) ByUUID(uuids map[string]bool) (agents []coedit.Agent) {
	c.w.registry.EachAgent(func(n agenttree.Node, l agenttree.Live, forked bool) {
		if uuids[n.UUID] {
			works := (l.Running || l.Queued) && !forked // an agent that waits for its children writes nothing
			agents = append(agents, coedit.Agent{UUID: n.UUID, Path: n.File, Name: n.Name, AtWork: works, StartedMs: l.StartedMs})
		}
	})
	return agents
}

// Reader implements coedit.Agents.
func (c coeditors) Reader(path string) (coedit.Reader, bool) { return c.w.runner.Reader(path) }

// WorksIn implements coedit.Agents.
func (c coeditors) WorksIn(uuid string) string {
	if a, ok := c.w.treeStore.Of(uuid); ok {
		return a.State.Workspace()
	}
	return c.w.folder
}

// PathOf implements coedit.Agents.
func (c coeditors) PathOf(file string) string { return c.w.registry.PathOf(file) }

// Versions implements coedit.Agents.
func (c coeditors) Versions() *checkpoint.Store { return c.w.history.Store() }

// coediting lets the interface show which files several agents write.
type coediting struct {
	readerAt func(path string) (coedit.Reader, error)
	tracker  *coedit.Tracker
	versions func() (*checkpoint.Store, error)
}

// FileUse lists the files that a notebook's agent read and wrote, see
// coedit.Tracker.Files.
func (c *coediting) FileUse(path string) ([]coedit.File, error) {
	r, err := c.readerAt(path)
	if err != nil {
		return nil, err
	}
	s, err := c.versions()
	if err != nil {
		return nil, err
	}
	return c.tracker.Files(r, s)
}

// HoldApproval puts a request on hold until other agents are done with its file, see
// coedit.Tracker.Hold.
func (c *coediting) HoldApproval(id string) error { return c.tracker.Hold(id) }
