package workspace

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/desktop"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// folderOfNotebooks is where new agents go (seed 003: .mutsumi/agent-xxx.mtm).
const folderOfNotebooks = ".mutsumi"

// catalog lists the notebooks of the folder, and makes and names them.
type catalog struct {
	*notebooks
	kinds   *agentKinds
	access  *access.Access
	rights  *settings.Rights
	scanned <-chan struct{} // closed when every notebook has been looked at once
}

// Nodes are the agents of the folder, in the order of their files, once it has
// been looked through.
func (ct *catalog) Nodes() []agenttree.Node {
	<-ct.scanned
	return append([]agenttree.Node{}, ct.registry.Agents()...)
}

// Create makes a notebook with the folder as its allowed place, or as much as
// its parent may touch (SPEC 4.1), and returns its path.
func (ct *catalog) Create(n NewNotebook) (string, error) {
	allowed := []string{access.WholeFolder}
	set, err := ct.kinds.set()
	if err != nil {
		return "", err
	}
	chosen, err := set.Choose(n.Kind)
	if n.ParentID == "" && err != nil {
		return "", err
	}
	if n.ParentID != "" {
		parent, err := ct.registry.ByUUID(n.ParentID)
		if err != nil {
			return "", err
		}
		meta, err := ct.meta(parent)
		if err != nil {
			return "", err
		}
		allowed = ct.access.Entries(ct.access.Of(accessOf(parent, meta)).Folders)
		if chosen, err = childOf(set, meta.AgentType, n.Kind); err != nil {
			return "", err
		}
	}
	name := strings.TrimSpace(n.Name)
	if name == "" {
		name = uniqueName(ct.registry, defaultName, "")
	}
	id := newID()
	nb := notebook.New(id, name, n.ParentID, allowed, time.Now())
	if chosen.Name != kind.Chat { // a notebook that says nothing is that
		nb.SetKind(chosen.Name)
	}
	return ct.add(nb, id)
}

// meta says what the notebook at path says of its agent.
func (n *notebooks) meta(path string) (m notebook.MetaView, err error) {
	err = n.with(path, func(tx *Tx, _ *notebook.Document) error {
		m = tx.Agent()
		return nil
	})
	return m, err
}

// add writes a new notebook and shows it in the tree at once.
func (ct *catalog) add(nb *notebook.Document, id string) (string, error) {
	p := path.Join(folderOfNotebooks, "agent-"+id[:8]+".mtm")
	file, err := ct.registry.Resolve(p)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("make the folder of notebooks: %w", err)
	}
	if _, err := os.Lstat(file); err == nil {
		return "", fault.New(fault.Conflict, "%s is there already", p)
	}
	// First, for whoever finds the file. Where it cannot be kept that the notebook is our own, it gets no more than one from elsewhere.
	ct.rights.KeepMade(settings.Agent{File: p, UUID: id}, ct.access.Outside(entriesOf(nb)))
	if _, err := notebook.Save(file, nb.Encoded(), notebook.Stamp{}); err != nil {
		return "", err
	}
	ct.registry.FilesChanged(map[string]bool{p: true})
	return p, nil
}

// Duplicate copies a notebook as it is now, under a new uuid and name.
func (ct *catalog) Duplicate(path string) (string, error) {
	id, copied := newID(), (*notebook.Document)(nil)
	err := ct.with(path, func(_ *Tx, nb *notebook.Document) (err error) {
		copied, err = notebook.Parse(nb.Encoded().Bytes())
		return err
	})
	if err != nil {
		return "", err
	}
	copied.SetUUID(id)
	name := defaultName
	if own := copied.Meta().Name; !isDefaultName(own) {
		name = own + " copy"
	}
	copied.SetName(uniqueName(ct.registry, name, ""))
	copied.SetFinished(false)
	if err := fork.Keep(copied, nil); err != nil { // the children are those of the other one
		return "", err
	}
	return ct.add(copied, id)
}

// Reveal shows the file in the system's file manager.
func (ct *catalog) Reveal(path string) error {
	file, err := ct.registry.Resolve(path)
	if err != nil {
		return err
	}
	return desktop.Reveal(file)
}
