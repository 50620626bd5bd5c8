package workspace

import (
	"slices"

	"mutsumi/backend/desktop"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// Trash stops what runs in a notebook, saves it, and moves its file to the
// system's trash. What its agent used stays counted at its parent (SPEC 7.5).
func (w *Workspace) Trash(path string) error {
	file, err := w.resolve(path)
	if err != nil {
		return err
	}
	d, known, _ := w.registry.look(path)
	uuid := w.identity(path, known.UUID) // what a copy says it is stays with the other one
	if _, _, err := w.emptyWorktree(uuid); err != nil {
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
	tree, own, err := w.emptyWorktree(uuid) // it may have worked until now
	if err != nil {
		return err
	}
	parent, used := w.registry.usedWith(path)
	if d == nil {
		err = desktop.Trash(file)
	} else {
		err = d.trash()
	}
	if err != nil {
		return err
	}
	w.closeTrashed(path)
	w.filesChanged(map[string]bool{path: true})
	_, err = w.registry.byUUID(uuid)
	last := err != nil // no copy of the file has it
	if last {
		w.countAsPast(parent, uuid, used)
	} else {
		w.countAsPast(parent, "", used)
	}
	w.endAllOf(path, uuid)
	if own && last {
		return w.discardEmptyWorktree(uuid, tree)
	}
	return nil
}

// trash moves the file to the system's trash, with what is kept of it beside
// it, and lets go of the document.
func (d *doc) trash() error {
	var kept refuge
	err := d.holdSaves(func(tx *Tx) error {
		kept = tx.saver.refuge
		return nil
	})
	if err != nil {
		return err
	}
	defer d.resumeSaves()
	if err := desktop.Trash(d.file()); err != nil {
		return err
	}
	if kept.file != "" && desktop.Trash(kept.file) == nil {
		d.leaveRefuge(kept)
	}
	d.do(func(tx *Tx) {
		tx.gone = true
		tx.close()
	})
	return nil
}

// closeTrashed lets go of a document that was opened again while its file was on
// its way to the trash, unless something was changed in it: then the person is asked.
func (w *Workspace) closeTrashed(path string) {
	d := w.registry.opened(path)
	if d == nil {
		return
	}
	d.do(func(tx *Tx) {
		if tx.idle() {
			tx.gone = true
			tx.close()
		}
	})
}

// usedWith gives what an agent and those below it used, and the notebook of its
// parent; "" for an agent without one.
func (reg *registry) usedWith(path string) (parent string, used []notebook.ModelUsage) {
	reg.index(func(ix *index) {
		gone := ix.heads[path]
		if parent = ix.holders[gone.ParentID]; gone.ParentID == "" || parent == "" || parent == path {
			parent = ""
			return
		}
		children := map[string][]head{}
		for _, h := range ix.heads {
			if h.ParentID != "" && h.File != path {
				children[h.ParentID] = append(children[h.ParentID], h)
			}
		}
		below, seen := []head{gone}, map[string]bool{gone.ParentID: true}
		for len(below) > 0 {
			h := below[0]
			below = below[1:]
			if h.tally != nil {
				used = slices.Concat(used, h.tally.Models, h.tally.Past)
			}
			if h.UUID != "" && !seen[h.UUID] {
				seen[h.UUID] = true
				below = append(below, children[h.UUID]...)
			}
		}
	})
	return parent, used
}

// countAsPast has a notebook count what a deleted agent and those below it used,
// until that one comes back; uuid "": it cannot be told apart then. Where it
// cannot be read, nothing is counted: the agent is in the trash all the same.
func (w *Workspace) countAsPast(path, uuid string, used []notebook.ModelUsage) {
	if path == "" || len(used) == 0 {
		return
	}
	_ = w.with(path, func(tx *Tx, _ *notebook.Document) error {
		tx.spending().addDeleted(uuid, used)
		tx.changed(notebook.Change{Cells: []notebook.CellView{}}, "")
		return nil
	})
}

// restored finds the agents among some that came back, from the system's trash
// for example, while their parent's past still counts them. It gives the
// notebook of the parent for each uuid.
func (reg *registry) restored(uuids map[string]bool) map[string]string {
	parents := map[string]string{}
	reg.index(func(ix *index) {
		for uuid := range uuids {
			h := ix.heads[ix.holders[uuid]]
			parent := ix.holders[h.ParentID]
			if tally := ix.heads[parent].tally; uuid == "" || h.UUID != uuid || h.ParentID == "" || tally == nil || tally.Deleted[uuid] == nil {
				continue
			}
			parents[uuid] = parent
		}
	})
	return parents
}
