package documents

import "mutsumi/backend/notebook"

// HoldSaves makes the notebook look as it does during a save, until ResumeSaves.
func (d *Live) HoldSaves() error { return d.holdSaves(func(*Tx) error { return nil }) }

// ResumeSaves ends HoldSaves.
func (d *Live) ResumeSaves() { d.resumeSaves() }

// LeaveUnsaved ends HoldSaves, and saves nothing until the next change.
func (d *Live) LeaveUnsaved() { d.Do(func(tx *Tx) { tx.saver.saving = false }) }

// KeepMineHeld resolves a conflict with KeepMine, and does not save it until ResumeSaves.
func (reg *Registry) KeepMineHeld(path string) (*Live, error) {
	d, err := reg.beginDecision(path, KeepMine)
	if err != nil {
		return nil, err
	}
	return d, d.chooseMine()
}

// EndSave ends HoldSaves like a save that wrote the version with a stamp.
func (d *Live) EndSave(written notebook.Stamp) {
	d.Do(func(tx *Tx) { tx.stamp = written })
	d.resumeSaves()
}
