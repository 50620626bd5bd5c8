package documents

// HoldSaves makes the notebook look as it does during a save, until ResumeSaves.
func (d *Live) HoldSaves() error { return d.holdSaves(func(*Tx) error { return nil }) }

// ResumeSaves ends HoldSaves.
func (d *Live) ResumeSaves() { d.resumeSaves() }
