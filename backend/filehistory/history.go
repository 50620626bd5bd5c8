// Package filehistory keeps what files were before agents changed them, and takes
// changes back when the person wants that. It is called by package runner for
// the runs of agents, and for the person. It runs nothing.
package filehistory

import (
	"path/filepath"
	"sync"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// History is the changes of the agents of a folder. It is safe for concurrent use.
type History struct {
	notebooks *documents.Registry
	edit      func(path string, edits []notebook.Edit, origin string) (documents.EditResult, error)
	folder    string // that is open
	kept      *agentfiles.Store
	out       *event.Outbox
	start     func(func()) // runs a function in the background

	once     sync.Once
	versions *checkpoint.Store // see Store
}

// New returns the history of a folder's agents. It asks for nothing before it is
// needed. Start runs a function in the background.
func New(folder string, notebooks *documents.Registry, calls *documents.Calls, kept *agentfiles.Store, out *event.Outbox, start func(func())) *History {
	return &History{notebooks: notebooks, edit: calls.Edit, folder: folder, kept: kept, out: out, start: start}
}

// Calls are what the person asks of it. Package workspace embeds them.
type Calls struct{ history *History }

// Calls gives what the person asks of it.
func (h *History) Calls() *Calls { return &Calls{h} }

// Store returns the store of file versions of this workspace, opening it when it
// is first needed. A store that cannot be opened is nil: agents work on, and
// there is nothing to restore.
func (h *History) Store() *checkpoint.Store {
	h.once.Do(func() {
		dir := h.kept.Cache(filepath.Join("checkpoints", checkpoint.ID(h.folder)))
		if dir == "" {
			return
		}
		store, err := checkpoint.Open(dir, checkpoint.Limits{}, nil)
		if err != nil {
			return
		}
		h.versions = store
		h.start(func() { store.Sweep() }) // what is old goes; what cannot be swept stays
	})
	return h.versions
}

// OpenStore is Store with the reason why there is none.
func (h *History) OpenStore() (*checkpoint.Store, error) {
	if s := h.Store(); s != nil {
		return s, nil
	}
	return nil, fault.New(fault.Internal, "versions of files cannot be kept in the cache folder of this system")
}

// Begin opens the record of what a run changes in a cell; nil: none is kept.
func (h *History) Begin(uuid, cell string) *checkpoint.Recorder {
	s := h.Store()
	if s == nil {
		return nil
	}
	turn, err := s.Begin(uuid, cell)
	if err != nil {
		return nil // the files are changed all the same, without a way back
	}
	return turn
}

// agent is what the notebook at path says of its agent.
func (h *History) agent(path string) (meta notebook.MetaView, err error) {
	err = h.notebooks.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
		meta = tx.Agent()
		return nil
	})
	return meta, err
}

// Changes lists the files that a notebook's agent changed, each with its
// difference against the start.
func (c *Calls) Changes(path string) ([]checkpoint.Change, error) {
	meta, err := c.history.agent(path)
	if err != nil {
		return nil, err
	}
	s, err := c.history.OpenStore()
	if err != nil {
		return nil, err
	}
	changes, err := s.Changes(meta.UUID)
	if err != nil {
		return nil, err
	}
	for i := range changes {
		changes[i].Path = c.history.notebooks.PathOf(changes[i].Path)
	}
	return append([]checkpoint.Change{}, changes...), nil
}

// RejectHunk takes one hunk of Changes back on the disk and gives the id with
// which UndoRestore brings it again.
func (c *Calls) RejectHunk(path, file, hunk string) (string, error) {
	meta, err := c.history.agent(path)
	if err != nil {
		return "", err
	}
	s, err := c.history.OpenStore()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.history.folder, filepath.FromSlash(file))
	}
	id, err := s.Reject(meta.UUID, file, hunk)
	if err != nil {
		return "", err
	}
	c.history.out.Emit(event.FilesChanged{Path: path})
	return id, nil
}

// RestorePlan says what "restore files to before this prompt" would do.
func (c *Calls) RestorePlan(path, cell string) (checkpoint.Plan, error) {
	meta, err := c.history.agent(path)
	if err != nil {
		return checkpoint.Plan{}, err
	}
	s, err := c.history.OpenStore()
	if err != nil {
		return checkpoint.Plan{}, err
	}
	plan, err := s.Plan(meta.UUID, cell)
	if plan.Files == nil {
		plan.Files = []checkpoint.Restore{}
	}
	if plan.Notes == nil {
		plan.Notes = []string{}
	}
	return plan, err
}

// Restore carries out a plan that the person has seen, whose token it names,
// and with conversation also puts the cells from the prompt on aside.
func (c *Calls) Restore(path, cell, token string, choices map[string]checkpoint.Choice, conversation bool) (checkpoint.Applied, error) {
	s, err := c.history.OpenStore()
	if err != nil {
		return checkpoint.Applied{}, err
	}
	plan, err := c.RestorePlan(path, cell)
	if err != nil {
		return checkpoint.Applied{}, err
	}
	if plan.Token != token {
		return checkpoint.Applied{}, fault.New(fault.Conflict, "the files changed since this was shown: look at it again")
	}
	if err := c.history.notebooks.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
		if tx.Running() {
			return fault.New(fault.Conflict, "an answer is running in this notebook: stop it first")
		}
		return nil
	}); err != nil {
		return checkpoint.Applied{}, err
	}
	applied, err := s.Apply(plan, choices)
	if err != nil {
		return checkpoint.Applied{}, err
	}
	c.history.out.Emit(event.FilesChanged{Path: path})
	if conversation {
		// The files are back: whoever asked needs the id to undo that, whatever becomes of the rest.
		if _, err := c.history.edit(path, []notebook.Edit{{Kind: notebook.EditRewind, Cell: cell}}, ""); err != nil {
			applied.Conversation = fault.Of(err)
		}
	}
	applied.Restored = append([]string{}, applied.Restored...)
	applied.Left = append([]checkpoint.Trouble{}, applied.Left...)
	return applied, nil
}

// UndoRestore takes a restore or a rejected hunk back, by the id that it gave.
func (c *Calls) UndoRestore(path, id string) (checkpoint.Applied, error) {
	s, err := c.history.OpenStore()
	if err != nil {
		return checkpoint.Applied{}, err
	}
	plan, err := s.PlanUndo(id)
	if err != nil {
		return checkpoint.Applied{}, err
	}
	applied, err := s.Apply(plan, nil)
	if err == nil {
		c.history.out.Emit(event.FilesChanged{Path: path})
	}
	applied.Restored = append([]string{}, applied.Restored...)
	applied.Left = append([]checkpoint.Trouble{}, applied.Left...)
	return applied, err
}
