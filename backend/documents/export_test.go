package documents

import "mutsumi/backend/notebook"

// HoldSaves makes the notebook look as it does during a save, until ResumeSaves.
func (d *Live) HoldSaves() error { return d.holdSaves(func(*Tx) error { return nil }) }

// ResumeSaves ends HoldSaves.
func (d *Live) ResumeSaves() { d.resumeSaves() }

// EndSave ends HoldSaves like a save that wrote the version with a stamp.
func (d *Live) EndSave(written notebook.Stamp) {
	d.Do(func(tx *Tx) { tx.stamp = written })
	d.resumeSaves()
}
