// Package filehistory keeps the earlier versions of files that agents change, and
// restores them for the person. Package runner calls it for each run.
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

// History records and restores the changes of a folder's agents. It is safe for
// concurrent use.
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

// New returns the History of a folder. It opens its store only when it is first needed.
// start runs a function in the background.
func New(folder string, notebooks *documents.Registry, calls *documents.Calls, kept *agentfiles.Store, out *event.Outbox, start func(func())) *History {
	return &History{notebooks: notebooks, edit: calls.Edit, folder: folder, kept: kept, out: out, start: start}
}

// Calls lets the interface show and restore agents' changes. Package workspace embeds it.
type Calls struct{ history *History }

// Calls returns the calls of the interface.
func (h *History) Calls() *Calls { return &Calls{h} }

// Store returns the store of file versions, opened at the first call. It is nil if it
// cannot be opened: agents still work, but nothing can be restored.
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
		h.start(func() { store.Sweep() }) // deletes old versions, as far as possible
	})
	return h.versions
}

// OpenStore is Store with an error instead of nil.
func (h *History) OpenStore() (*checkpoint.Store, error) {
	if s := h.Store(); s != nil {
		return s, nil
	}
	return nil, fault.New(fault.Internal, "Could not keep versions of files in the cache folder of this system.")
}

// Begin opens the record of a run's changes; nil: none is kept.
func (h *History) Begin(uuid, cell string) *checkpoint.Recorder {
	s := h.Store()
	if s == nil {
		return nil
	}
	turn, err := s.Begin(uuid, cell)
	if err != nil {
		return nil // the run continues without a record
	}
	return turn
}

// agent returns the agent's settings in the notebook at path.
func (h *History) agent(path string) (meta notebook.MetaView, err error) {
	err = h.notebooks.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
		meta = tx.Agent()
		return nil
	})
	return meta, err
}

// Changes lists the files that a notebook's agent changed, each with its diff against
// the version before the agent's first change.
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

// RejectHunk reverts one hunk of Changes in the file, and returns the id with which
// UndoRestore applies it again.
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

// RestorePlan returns what "restore files to before this prompt" would do.
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

// Restore carries out the plan that the person saw, which token names. With
// conversation, it also sets the cells from the prompt on aside as a branch.
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
		return checkpoint.Applied{}, fault.New(fault.Conflict, "the files changed since this was shown: look at the plan again")
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
		// The files are restored, and the caller needs the id to undo that, so this failure is only part of the result.
		if _, err := c.history.edit(path, []notebook.Edit{{Kind: notebook.EditRewind, Cell: cell}}, ""); err != nil {
			applied.Conversation = fault.Of(err)
		}
	}
	applied.Restored = append([]string{}, applied.Restored...)
	applied.Left = append([]checkpoint.Trouble{}, applied.Left...)
	return applied, nil
}

// UndoRestore reverts a restore or a rejected hunk, by the id that it returned.
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
