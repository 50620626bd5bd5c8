package workspace

import (
	"mutsumi/backend/agenttree"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/coedit"
	"mutsumi/backend/notebook"
)

// coeditors is what package coedit asks about the agents of the folder.
type coeditors struct{ w *Workspace }

// Among implements coedit.Agents.
func (c coeditors) Among(uuids map[string]bool) (agents []coedit.Agent) {
	return indexed(c.w.registry, func(ix *index) []coedit.Agent {
		for _, n := range ix.nodes {
			if uuids[n.UUID] {
				agents = append(agents, coedit.Agent{UUID: n.UUID, Path: n.File, Name: n.Name, Works: ix.worksNow(n), StartedMs: ix.live[n.File].StartedMs})
			}
		}
		return agents
	})
}

// worksNow reports whether an agent may write something next. One that waits
// for its children does not: they may be the ones who ask.
func (ix *index) worksNow(n agenttree.Node) bool {
	l := ix.live[n.File]
	return (l.Running || l.Queued) && !ix.forked[n.UUID]
}

// Reader implements coedit.Agents.
func (c coeditors) Reader(path string) (r coedit.Reader, open bool) {
	d := c.w.registry.opened(path)
	if d == nil {
		return r, false
	}
	r.Seen = d.seen
	d.do(func(tx *Tx) {
		if tx.nb != nil {
			r.UUID, r.Notebook = tx.nb.Meta().UUID, tx.nb.Encoded()
		}
		if tx.active != nil {
			r.BeganMs = tx.active.startedMs
		}
	})
	return r, true
}

// WorksIn implements coedit.Agents.
func (c coeditors) WorksIn(uuid string) string {
	if a, ok := c.w.worktrees.Of(uuid); ok {
		return a.Place.Workspace()
	}
	return c.w.folder
}

// PathOf implements coedit.Agents.
func (c coeditors) PathOf(file string) string { return c.w.PathOf(file) }

// Versions implements coedit.Agents.
func (c coeditors) Versions() *checkpoint.Store { return c.w.store() }

// Hands lists the files that a notebook's agent read and wrote, see
// coedit.Tracker.Files.
func (w *Workspace) Hands(path string) ([]coedit.File, error) {
	var r coedit.Reader
	if err := w.with(path, func(tx *Tx, nb *notebook.Document) error {
		r = coedit.Reader{UUID: nb.Meta().UUID, Seen: tx.doc.seen, Notebook: nb.Encoded()}
		return nil
	}); err != nil {
		return nil, err
	}
	s, err := w.openStore()
	if err != nil {
		return nil, err
	}
	return w.coedits.Files(r, s)
}

// HoldApproval puts a request aside until other agents are done with its file,
// see coedit.Tracker.Hold.
func (w *Workspace) HoldApproval(id string) error { return w.coedits.Hold(id) }
