// Package branches forks notebooks, finds related ones, and compares two of them, or two branches
// of one (SPEC 11.10).
//
// It runs nothing. In package fork agents start children; package notebook cuts documents and
// stores the branches inside one.
package branches

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/catalog"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/lock"
	"mutsumi/backend/naming"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/worktree/owned"
)

// Options are the parts of a folder that branches need.
type Options struct {
	Context   context.Context // ends with the folder
	Folder    string          // absolute
	Registry  *documents.Registry
	Documents *documents.Calls
	Catalog   *catalog.Catalog
	Outbox    *event.Outbox
	Prices    func() cost.Table
	Trees     *owned.Trees
	Making    *lock.Mutex // held while a notebook gets its work tree, which may wait for git
	Kept      *agentfiles.Store
}

// Calls is how the interface forks, shows and compares branches. Package workspace
// embeds it.
type Calls struct{ with Options }

// New returns the calls for a folder.
func New(o Options) *Calls { return &Calls{o} }

// ForkNotebook creates a notebook next to the one at path that ends with cell, and returns its
// path. The fork includes unsaved edits and, of an answer that is still being written, the complete
// calls. An empty name is derived from the original's.
func (c *Calls) ForkNotebook(path, cell, name string) (string, error) {
	return c.fork(path, name, func(l notebook.Lineage, uuid string) (*notebook.Document, error) {
		return l.Fork(cell, uuid, time.Now())
	}, nil)
}

// NewRun describes how to answer a prompt again.
type NewRun struct {
	Name     string `json:"name"` // of the notebook; "": made from the other's
	Provider string `json:"provider"`
	Model    string `json:"model"`   // "": the model of the other notebook
	OwnTree  bool   `json:"ownTree"` // it works in a git work tree of its own
}

// ForkPrompt creates a notebook next to the one at path that ends with the prompt of cell,
// unanswered, and returns its path. Nothing is run. Errors: NotFound; Invalid for an answer without
// a prompt, and where no work tree is possible.
func (c *Calls) ForkPrompt(path, cell string, r NewRun) (string, error) {
	if r.OwnTree {
		if err := c.with.Trees.CanSplit(); err != nil {
			return "", fault.New(fault.Invalid, "Could not add a run in a work tree of its own: the folder is in no git repository. Let it work in the folder itself.")
		}
	}
	if r.OwnTree {
		c.with.Making.Lock()
		defer c.with.Making.Unlock()
	}
	var original, id string
	made, err := c.fork(path, r.Name, func(l notebook.Lineage, uuid string) (*notebook.Document, error) {
		made, err := l.ForkPrompt(cell, uuid, time.Now())
		if err != nil {
			return nil, err
		}
		if r.Model != "" {
			made.SetModel(r.Provider, r.Model)
		}
		original, id = made.Lineage().Origin().UUID, uuid
		return made, nil
	}, func(name string) error {
		if !r.OwnTree {
			return nil
		}
		// Before a notebook exists whose agent could work in the folder itself.
		if err := c.with.Trees.Assign(c.with.Context, original, id, builtin.Child{Name: name, Worktree: true}); err != nil {
			return fmt.Errorf("give the run a work tree of its own: %w", err)
		}
		return nil
	})
	if err != nil && id != "" && r.OwnTree {
		c.with.Trees.Unassign(id)
	}
	return made, err
}

// fork creates a notebook next to the one at path with cut. If prepare is not nil, it is called
// with the name before the file is written.
func (c *Calls) fork(path, name string, cut func(notebook.Lineage, string) (*notebook.Document, error), prepare func(string) error) (string, error) {
	id, made, original := uuid.NewString(), (*notebook.Document)(nil), settings.Agent{}
	err := c.with.Registry.With(path, func(tx *documents.Tx, nb *notebook.Document) (err error) {
		tx.Identify() // the fork records its origin
		original = settings.Agent{File: tx.Path(), UUID: nb.UUID()}
		made, err = cut(nb.Lineage(), id)
		return err
	})
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(original.File, "../") {
		return "", fault.New(fault.Denied, "Could not fork %s: it is outside of the folder. Open its own folder, and fork it there.", path)
	}
	if err := fork.Keep(made, nil); err != nil { // the children belong to the original
		return "", err
	}
	if name = strings.TrimSpace(name); name == "" {
		if name = made.Meta().Name; name == "" {
			name = c.with.Catalog.DefaultName()
		}
		c.with.Registry.SummaryOf("") // if the folder has not been scanned yet
		name = naming.Unique(c.with.Registry, name, "")
	}
	made.SetName(name)
	if err := naming.Keep(made, name); err != nil {
		return "", err
	}
	if prepare != nil {
		if err := prepare(name); err != nil {
			return "", err
		}
	}
	if tools := c.with.Kept.Tools(original.UUID); tools != nil { // its requests begin as those of the original
		c.with.Kept.KeepTools(id, tools)
	}
	return c.with.Catalog.AddBeside(made, original)
}
