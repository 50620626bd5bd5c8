package workspace

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/desktop"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// folderOfNotebooks is where new agents go (seed 003: .mutsumi/agent-xxx.mtm).
const folderOfNotebooks = ".mutsumi"

// Nodes are the agents of the folder, in the order of their files, once it has
// been looked through.
func (w *Workspace) Nodes() []agenttree.Node {
	<-w.scanned
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]agenttree.Node{}, w.nodes...)
}

// Create makes a notebook with the folder as its allowed place, or as much as
// its parent may touch (SPEC 4.1), and returns its path.
func (w *Workspace) Create(n NewNotebook) (string, error) {
	allowed := []string{wholeFolder}
	set, err := w.kinds()
	if err != nil {
		return "", err
	}
	chosen, err := set.Choose(n.Kind)
	if n.ParentID == "" && err != nil {
		return "", err
	}
	if n.ParentID != "" {
		parent, err := w.byUUID(n.ParentID)
		if err != nil {
			return "", err
		}
		reach, meta, err := w.reachNow(parent)
		if err != nil {
			return "", err
		}
		allowed = w.entriesFor(reach.folders)
		if chosen, err = childOf(set, meta.AgentType, n.Kind); err != nil {
			return "", err
		}
	}
	name := strings.TrimSpace(n.Name)
	if name == "" {
		name = w.uniqueName(defaultName, "")
	}
	if err := w.initRules(); err != nil {
		return "", err
	}
	id := newID()
	nb := notebook.New(id, name, n.ParentID, allowed, time.Now())
	if chosen.Name != kind.Chat { // a notebook that says nothing is that
		nb.SetKind(chosen.Name)
	}
	return w.add(nb, id)
}

func (w *Workspace) meta(path string) (m notebook.MetaView, err error) {
	err = w.with(path, func(d *doc, _ *notebook.Document) error {
		m = d.agent()
		return nil
	})
	return m, err
}

func (w *Workspace) byUUID(id string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if path, known := w.holders[id]; known && w.heads[path].UUID == id {
		return path, nil
	}
	return "", fault.New(fault.NotFound, "the agent %s is not in this folder", id)
}

// add writes a new notebook and shows it in the tree at once.
func (w *Workspace) add(nb *notebook.Document, id string) (string, error) {
	p := path.Join(folderOfNotebooks, "agent-"+id[:8]+".mtm")
	file, err := w.resolve(p)
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
	w.rights.KeepMade(settings.Agent{File: p, UUID: id}, w.outsideOf(allowedIn(string(nb.Raw(keyAllowed)))))
	if _, err := notebook.Save(file, nb.Encoded(), notebook.Stamp{}); err != nil {
		return "", err
	}
	w.filesChanged(map[string]bool{p: true})
	return p, nil
}

// Rename gives an agent another name.
func (w *Workspace) Rename(path, name string) error {
	if strings.TrimSpace(name) == "" {
		return fault.New(fault.Invalid, "an agent needs a name")
	}
	_, err := w.Edit(path, []notebook.Edit{{Kind: notebook.EditRename, Text: strings.TrimSpace(name)}}, "")
	return err
}

// Duplicate copies a notebook as it is now, under a new uuid and name.
func (w *Workspace) Duplicate(path string) (string, error) {
	id, copied := newID(), (*notebook.Document)(nil)
	err := w.with(path, func(_ *doc, nb *notebook.Document) (err error) {
		copied, err = notebook.Parse(nb.Encoded().Bytes())
		return err
	})
	if err != nil {
		return "", err
	}
	copied.SetUUID(id)
	copied.SetName(copied.Meta().Name + " copy")
	copied.SetFinished(false)
	if err := copied.Keep(keyForks, nil); err != nil { // the children are those of the other one
		return "", err
	}
	return w.add(copied, id)
}

// Trash stops what runs in a notebook, saves it, and moves its file to the
// system's trash.
func (w *Workspace) Trash(path string) error {
	file, err := w.resolve(path)
	if err != nil {
		return err
	}
	w.mu.Lock()
	d, uuid := w.docs[path], w.heads[path].UUID
	w.mu.Unlock()
	uuid = w.identity(path, uuid) // what a copy says it is stays with the other one
	if _, _, err := w.spareTree(uuid); err != nil {
		return err // before anything is stopped
	}
	if d != nil {
		if err := w.Stop(path); err != nil && !fault.Is(err, fault.Invalid) {
			return err
		}
		if err := w.Wait(w.ctx, path); w.ctx.Err() != nil {
			return err
		}
		// A save under way would bring the file back. One that fails, as on a
		// full disk, does not keep the person from making room.
		if err := d.written(w.ctx); w.ctx.Err() != nil {
			return err
		}
	}
	tree, own, err := w.spareTree(uuid) // it may have worked until now
	if err != nil {
		return err
	}
	if d == nil {
		err = desktop.Trash(file)
	} else {
		err = d.trash()
	}
	if err != nil {
		return err
	}
	w.filesChanged(map[string]bool{path: true})
	w.endAllOf(path, uuid)
	if _, err := w.byUUID(uuid); own && err != nil { // no copy of the file has it
		return w.leaveTree(uuid, tree)
	}
	return nil
}

// trash moves the file to the system's trash, with what is kept of it beside
// it, and lets go of the document.
func (d *doc) trash() error {
	if err := d.holdSaves(func() error { return nil }); err != nil {
		return err
	}
	defer d.resumeSaves()
	if err := desktop.Trash(d.file()); err != nil {
		return err
	}
	if kept := d.saver.refuge; kept.file != "" && desktop.Trash(kept.file) == nil {
		d.leaveRefuge(kept)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = true
	d.close()
	return nil
}

// Reveal shows the file in the system's file manager.
func (w *Workspace) Reveal(path string) error {
	file, err := w.resolve(path)
	if err != nil {
		return err
	}
	return desktop.Reveal(file)
}

func nameOf(p string) string { return strings.TrimSuffix(path.Base(p), ".mtm") }
