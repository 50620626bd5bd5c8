package documents

import (
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
)

// LookAtDisk compares the notebook with its file, at the start of each step of a run
// (SPEC 11.1): messages that another process appended are taken in, a contradiction asks
// the person. It must not be called in a Tx.
func (d *Live) LookAtDisk() {
	if !locked(d, func(tx *Tx) bool { return tx.conflict || tx.gone }) { // the person is asked already
		d.diskChanged()
	}
}

// Reload loads the notebook from its file again, whatever is known about it (seed 004:
// force_reload). It returns a Conflict if memory has what the file has not.
func (c *Calls) Reload(path string) error {
	return c.reg.Open(path, func(tx *Tx) error {
		if !tx.Idle() {
			return fault.New(fault.Conflict, "Could not load %s again: it has changes that are not saved, or its agent runs.", tx.Path())
		}
		if err := tx.load(); err != nil {
			return err
		}
		tx.reg.out.Emit(event.NotebookReloaded{Path: tx.Path()})
		tx.PublishPast()
		return nil
	})
}

// takesAppended reports whether cells that another process appended are taken in: while
// the agent works, and until its answer is in the file.
func (tx *Tx) takesAppended() bool { return tx.Running() || tx.worked }

// takeAppended takes in what another process appended to the file of a notebook whose
// agent runs. It returns false if there is nothing to take in, or if the file
// contradicts what is known of it.
func (tx *Tx) takeAppended(v version) bool {
	if !tx.takesAppended() || tx.conflict || tx.nb == nil || v.nb == nil || tx.base == nil {
		return false
	}
	base := v.nb.Encoded()
	c, ok := tx.nb.TakeAppended(tx.base, v.nb)
	if !ok {
		return false
	}
	tx.stamp, tx.base = v.stamp, base
	tx.logTakenIn(len(c.Cells))
	tx.RecountUsage()
	tx.Changed(c, "")
	var ids []string
	for _, cell := range c.Cells {
		ids = append(ids, cell.ID)
	}
	tx.doc.work.Appended(tx, ids)
	return true
}

// takeInAppended is takeAppended for a save that found the file changed. It ends the
// save, so that it can begin again.
func (d *Live) takeInAppended() bool {
	at := locked(d, (*Tx).diskState)
	if !locked(d, (*Tx).takesAppended) {
		return false
	}
	v := readIfChanged(at.file, at.stamp)
	return locked(d, func(tx *Tx) bool {
		if tx.closed || !v.changed || !tx.takeAppended(v) {
			return false
		}
		tx.saver.saving = false
		return true
	})
}
