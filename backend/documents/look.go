package documents

import (
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
)

// LookAtDisk compares the notebook with its file, at the start of each step of a run (SPEC 11.1): changes of another
// process are merged; if they contradict, the person is asked. It reports whether the notebook has
// everything that the file had. It has not, or that is unknown, during a save, while the person is
// asked, if the file went only now, and if it cannot be read. It must not be called in a Tx.
func (d *Live) LookAtDisk() (whole bool) {
	if locked(d, func(tx *Tx) bool { return tx.conflict || tx.gone }) { // the person is being asked already
		return false
	}
	if d.mayBeRenamed() {
		return false
	}
	_, whole = d.diskChanged()
	return whole
}

// Reload loads the notebook from its file again, regardless of what is known about it (seed 004:
// force_reload). It returns a Conflict if memory has changes that the file lacks.
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

// takeIn merges the changes of another program in the file with unsaved changes in memory (SPEC
// 1.4), even while the agent works (SPEC 11.1). It returns false if nothing has to be merged, or if
// the two contradict.
func (tx *Tx) takeIn(v version) bool {
	if !tx.Running() && !tx.saver.dirty || tx.conflict || tx.nb == nil || v.nb == nil || tx.base == nil {
		return false
	}
	base := v.nb.Encoded()
	in, ok := tx.nb.TakeIn(tx.base, v.nb)
	if !ok {
		return false
	}
	tx.stamp, tx.base = v.stamp, base
	tx.cameFromDisk(in.Rewritten)
	tx.logTakenIn(len(in.Cells))
	tx.RecountUsage()
	tx.doc.work.CellsChanged(tx)
	tx.Changed(in.Change, "")
	tx.PublishPast()
	tx.doc.work.Appended(tx, in.New)
	return true
}

// takeInSaving is takeIn for a save that found the file changed. It ends the save, so that
// it can begin again.
func (d *Live) takeInSaving() bool {
	at := locked(d, (*Tx).diskState)
	v := readIfChanged(at.file, at.stamp)
	return locked(d, func(tx *Tx) bool {
		if tx.closed || !v.changed || !tx.takeIn(v) {
			return false
		}
		tx.saver.saving = false
		return true
	})
}
