// Package catalog lists the notebooks of a folder, and creates, copies, renames and
// deletes them for the person.
package catalog

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/access"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/desktop"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/kind"
	"mutsumi/backend/language"
	"mutsumi/backend/naming"
	"mutsumi/backend/notebook"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
)

// notebooksFolder is where new notebooks go, relative to the folder.
const notebooksFolder = ".mutsumi"

// NewNotebook is the initial state of a new notebook.
type NewNotebook struct {
	Name     string `json:"name"` // "": that of naming.Default
	ParentID string `json:"parentId,omitempty"`
	Kind     string `json:"kind,omitempty"` // "" is chat
}

// Catalog creates and changes the notebooks of a folder. It is safe for concurrent
// use.
type Catalog struct {
	registry *documents.Registry
	kinds    *role.Kinds
	access   *access.Access
	rights   *settings.Rights
	scanned  <-chan struct{}
	words    func() language.Catalogue
}

// New returns the Catalog of a folder. scanned is closed once the folder has been scanned for
// notebooks; words are in the language of the interface.
func New(reg *documents.Registry, kinds *role.Kinds, a *access.Access, rights *settings.Rights, scanned <-chan struct{}, words func() language.Catalogue) *Catalog {
	return &Catalog{reg, kinds, a, rights, scanned, words}
}

// DefaultName returns the name of an agent that has not been named yet.
func (ct *Catalog) DefaultName() string { return naming.Default(ct.words()) }

// Calls lets the interface list, create and rename notebooks. Package workspace embeds it.
type Calls struct{ catalog *Catalog }

// Calls returns the calls of the interface.
func (ct *Catalog) Calls() *Calls { return &Calls{ct} }

// Nodes lists the agents of the folder in the order of their files. It waits until
// the folder was scanned.
func (c *Calls) Nodes() []agenttree.Node {
	<-c.catalog.scanned
	return append([]agenttree.Node{}, c.catalog.registry.Agents()...)
}

// Create creates a notebook whose agent may touch the folder, or what its parent may touch (SPEC
// 4.1), and returns its path.
func (c *Calls) Create(n NewNotebook) (string, error) { return c.CreateAs(uuid.NewString(), n) }

// CreateAs is Create with a uuid that no other notebook has.
func (c *Calls) CreateAs(id string, n NewNotebook) (string, error) {
	allowed := []string{access.WholeFolder}
	set, err := c.catalog.kinds.Load()
	if err != nil {
		return "", err
	}
	chosen, err := set.Choose(n.Kind)
	if n.ParentID == "" && err != nil {
		return "", err
	}
	if n.ParentID != "" {
		parent, err := c.catalog.registry.ByUUID(n.ParentID)
		if err != nil {
			return "", err
		}
		meta, err := c.catalog.registry.AgentAt(parent)
		if err != nil {
			return "", err
		}
		allowed = c.catalog.access.Entries(c.catalog.access.Of(documents.Holder(parent, meta)).Folders)
		if chosen, err = role.ChildOf(set, meta.AgentType, n.Kind); err != nil {
			return "", err
		}
	}
	name := strings.TrimSpace(n.Name)
	if name == "" {
		name = naming.Unique(c.catalog.registry, c.catalog.DefaultName(), "")
	}
	nb := notebook.New(id, name, n.ParentID, allowed, time.Now())
	if chosen.Name != kind.Chat { // the default
		nb.SetKind(chosen.Name)
	}
	return c.catalog.Add(nb, id)
}

// pathOfNew is the path for a notebook with a uuid.
func pathOfNew(id string) string { return path.Join(notebooksFolder, "agent-"+id[:8]+".mtm") }

// Add writes a new notebook and shows it in the tree at once.
func (ct *Catalog) Add(nb *notebook.Document, id string) (string, error) {
	p := pathOfNew(id)
	if err := ct.add(p, nb, func() error {
		return ct.rights.KeepMade(settings.Agent{File: p, UUID: id}, ct.access.Outside(documents.Entries(nb)))
	}); err != nil {
		return "", err
	}
	return p, nil
}

// AddBeside writes a new notebook next to the one it was made from, under a free name, and shows it
// in the tree. It gets the rights of original, and no others.
func (ct *Catalog) AddBeside(nb *notebook.Document, original settings.Agent) (string, error) {
	for n := 2; ; n++ {
		p := fmt.Sprintf("%s-%d.mtm", strings.TrimSuffix(original.File, ".mtm"), n)
		if strings.HasPrefix(path.Base(p), "agent-") && path.Dir(p) == notebooksFolder {
			p = pathOfNew(nb.UUID())
		}
		err := ct.add(p, nb, func() error { return ct.keepRightsOf(original, settings.Agent{File: p, UUID: nb.UUID()}) })
		switch {
		case err == nil:
			return p, nil
		case !fault.Is(err, fault.Conflict) || n == maxBeside:
			return "", err
		}
	}
}

// keepRightsOf gives a notebook that was made from another one that one's rights. The list in the
// file itself gives none: it may come from elsewhere.
func (ct *Catalog) keepRightsOf(original, made settings.Agent) error {
	if ct.rights.AllMade()[original] {
		return ct.rights.KeepMade(made, ct.rights.Folders(original))
	}
	for _, folder := range ct.rights.Folders(original) { // it is as foreign as the other
		if err := ct.rights.Give(made, folder); err != nil {
			return err
		}
	}
	return nil
}

// maxBeside is how many names are tried for a notebook next to another one.
const maxBeside = 1000

// add writes a new notebook to p and shows it in the tree at once. keep stores its
// rights. The error is a Conflict when there is a file already.
func (ct *Catalog) add(p string, nb *notebook.Document, keep func() error) error {
	file, err := ct.registry.Resolve(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make the folder of notebooks: %w", err)
	}
	if _, err := os.Lstat(file); err == nil {
		return fault.New(fault.Conflict, "%s is there already", p)
	}
	// Before the file exists, so that whoever finds it knows it as ours. If this fails, the notebook has the rights of a foreign one.
	_ = keep()
	if _, err := notebook.Save(file, nb.Encoded(), notebook.Stamp{}); err != nil {
		return err
	}
	ct.registry.FilesChanged(map[string]bool{p: true})
	return nil
}

// Duplicate copies a notebook as it is now under a new uuid and name, and returns the
// copy's path. The copy has the rights of the other one, and no others.
func (c *Calls) Duplicate(path string) (string, error) {
	id, copied, original := uuid.NewString(), (*notebook.Document)(nil), settings.Agent{}
	err := c.catalog.registry.With(path, func(tx *documents.Tx, nb *notebook.Document) (err error) {
		tx.Identify() // the copy records its origin
		original = settings.Agent{File: tx.Path(), UUID: nb.UUID()}
		copied, err = notebook.Parse(nb.Encoded().Bytes())
		return err
	})
	if err != nil {
		return "", err
	}
	copied.Lineage().CopyOf(copied.UUID(), id, copied.Encoded().Messages(), time.Now())
	name := c.catalog.DefaultName()
	if own := copied.Meta().Name; !naming.IsDefault(own) {
		name = own + c.catalog.words().Text(" copy")
	}
	copied.SetName(naming.Unique(c.catalog.registry, name, ""))
	copied.SetFinished(false)
	if err := fork.Keep(copied, nil); err != nil { // the children belong to the original
		return "", err
	}
	made := pathOfNew(id)
	err = c.catalog.add(made, copied, func() error { return c.catalog.keepRightsOf(original, settings.Agent{File: made, UUID: id}) })
	if err != nil {
		return "", err
	}
	return made, nil
}

// Rename gives an agent a name of the person's choice.
func (c *Calls) Rename(path, name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return fault.New(fault.Invalid, "an agent needs a name")
	}
	return c.catalog.registry.With(path, func(tx *documents.Tx, nb *notebook.Document) error {
		tx.MarkShown()
		if err := naming.Keep(nb, name); err != nil {
			return err
		}
		c, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditRename, Text: name}})
		if err != nil {
			return err
		}
		tx.Identify()
		tx.Changed(c, "")
		return nil
	})
}

// Reveal shows a notebook's file in the system's file manager.
func (c *Calls) Reveal(path string) error {
	file, err := c.catalog.registry.Resolve(path)
	if err != nil {
		return err
	}
	return desktop.Reveal(file)
}
