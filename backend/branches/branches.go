// Package branches forks notebooks, shows which belong together, and compares two of
// them, or two branches of one (SPEC 11.10).
//
// It is not package fork, whose agents start children, and it runs nothing. Package
// notebook cuts documents and keeps the branches inside of one.
package branches

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/catalog"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/naming"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Options are the parts of a folder that branches need.
type Options struct {
	Folder    string // absolute
	Registry  *documents.Registry
	Documents *documents.Calls
	Catalog   *catalog.Catalog
	Outbox    *event.Outbox
	Prices    func() cost.Table
}

// Calls is how the interface forks, shows and compares branches. Package workspace
// embeds it.
type Calls struct{ with Options }

// New returns the calls for a folder.
func New(o Options) *Calls { return &Calls{o} }

// ForkNotebook makes a notebook beside the one at path that ends with cell, and returns
// its path. What is typed and not saved is part of it; of an answer that is being
// written it has the calls that are complete. An empty name is made from the other's.
func (c *Calls) ForkNotebook(path, cell, name string) (string, error) {
	id, made, original := uuid.NewString(), (*notebook.Document)(nil), settings.Agent{}
	err := c.with.Registry.With(path, func(tx *documents.Tx, nb *notebook.Document) (err error) {
		tx.Identify() // the fork says what it was made from
		original = settings.Agent{File: tx.Path(), UUID: nb.UUID()}
		made, err = nb.Lineage().Fork(cell, id, time.Now())
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
			name = naming.Default
		}
		c.with.Registry.SummaryOf("") // where nobody looked through the folder yet
		name = naming.Unique(c.with.Registry, name, "")
	}
	made.SetName(name)
	if err := naming.Keep(made, name); err != nil {
		return "", err
	}
	return c.with.Catalog.AddBeside(made, original)
}
