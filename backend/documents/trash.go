package documents

import (
	"slices"

	"mutsumi/backend/desktop"
	"mutsumi/backend/notebook"
)

// Trash moves the file, with the data stored next to it, to the system's trash and closes the
// document.
func (d *Live) Trash() error {
	var kept recovery
	err := d.holdSaves(func(tx *Tx) error {
		kept = tx.saver.recovery
		return nil
	})
	if err != nil {
		return err
	}
	defer d.resumeSaves()
	if err := desktop.Trash(d.File()); err != nil {
		return err
	}
	if kept.file != "" && desktop.Trash(kept.file) == nil {
		d.removeRecovery(kept)
	}
	d.Do(func(tx *Tx) {
		tx.gone = true
		tx.Close()
	})
	return nil
}

// CloseTrashed closes a document that was opened again while its file was being moved to the trash.
// If it has been changed, the person is asked instead.
func (reg *Registry) CloseTrashed(path string) {
	d := reg.Opened(path)
	if d == nil {
		return
	}
	d.Do(func(tx *Tx) {
		if tx.Idle() {
			tx.gone = true
			tx.Close()
		}
	})
}

// UsedWith returns the usage of an agent and those below it, and the notebook of its parent; "" for
// an agent without one.
func (reg *Registry) UsedWith(path string) (parent string, used []notebook.ModelUsage) {
	reg.index(func(ix *index) {
		gone := ix.summaries[path]
		if parent = ix.holders[gone.ParentID]; gone.ParentID == "" || parent == "" || parent == path {
			parent = ""
			return
		}
		children := map[string][]Summary{}
		for _, h := range ix.summaries {
			if h.ParentID != "" && h.File != path {
				children[h.ParentID] = append(children[h.ParentID], h)
			}
		}
		below, seen := []Summary{gone}, map[string]bool{gone.ParentID: true}
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

// CountAsPast adds the usage of a deleted agent and those below it to a notebook, until that agent
// is restored; with uuid "" it cannot be recognised then. If the notebook cannot be read, nothing
// is counted: the agent is in the trash all the same.
func (reg *Registry) CountAsPast(path, uuid string, used []notebook.ModelUsage) {
	if path == "" || len(used) == 0 {
		return
	}
	_ = reg.With(path, func(tx *Tx, _ *notebook.Document) error {
		tx.addDeletedUsage(uuid, used)
		tx.Changed(notebook.Change{Cells: []notebook.CellView{}}, "")
		return nil
	})
}

// restored finds the agents among uuids that were restored, for example from the system's trash,
// while their parent still counts their usage as past. It returns the parent's notebook for each
// uuid.
func (reg *Registry) restored(uuids map[string]bool) map[string]string {
	parents := map[string]string{}
	reg.index(func(ix *index) {
		for uuid := range uuids {
			h := ix.summaries[ix.holders[uuid]]
			parent := ix.holders[h.ParentID]
			if tally := ix.summaries[parent].tally; uuid == "" || h.UUID != uuid || h.ParentID == "" || tally == nil || tally.Deleted[uuid] == nil {
				continue
			}
			parents[uuid] = parent
		}
	})
	return parents
}
