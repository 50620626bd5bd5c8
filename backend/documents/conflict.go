package documents

import (
	"bytes"
	"io"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// maxShown is how many bytes of each version a conflict shows.
const maxShown = 256 << 10

// Choice is how the person resolves a conflict between memory and disk (SPEC 1.4).
type Choice string

const (
	KeepMine Choice = "mine" // the file is overwritten; the disk's version is kept next to it
	TakeDisk Choice = "disk" // the disk's version is loaded; mine is kept next to it
	KeepBoth Choice = "both" // mine goes to a new notebook, the disk's version is loaded
)

// ConflictView shows both versions.
type ConflictView struct {
	Mine string `json:"mine"` // at most 256 KB of each text
	Disk string `json:"disk"`
	Gone bool   `json:"gone"`
}

// Conflict returns both versions of a notebook that changed on disk and here.
func (c *Calls) Conflict(path string) (v ConflictView, err error) {
	var mine *notebook.Snapshot
	var file string
	err = c.reg.With(path, func(tx *Tx, nb *notebook.Document) error {
		mine, file = nb.Encoded(), tx.File()
		return nil
	})
	if err != nil {
		return v, err
	}
	text := mine.Bytes()
	v.Mine = string(text[:min(maxShown, len(text))])
	f, _, err := notebook.OpenRegular(file)
	if err != nil { // the file there is not a version of it
		v.Gone = true
		return v, nil
	}
	defer f.Close()
	disk, err := io.ReadAll(io.LimitReader(f, maxShown))
	v.Disk, v.Gone = string(disk), err != nil
	return v, nil
}

// ResolveConflict carries out the person's choice. The other version is kept next to the notebook.
func (c *Calls) ResolveConflict(path string, choice Choice) error {
	if choice != KeepMine && choice != TakeDisk && choice != KeepBoth {
		return fault.New(fault.Invalid, "%q is not a choice", choice)
	}
	d, err := c.reg.beginDecision(path, choice)
	if err != nil {
		return err
	}
	if choice == KeepMine {
		err = d.chooseMine()
	} else {
		err = d.chooseDisk()
	}
	d.resumeSaves()
	return err
}

// resumeSaves allows saves again after holdSaves.
func (d *Live) resumeSaves() {
	look := locked(d, func(tx *Tx) map[string]bool {
		tx.saver.saving = false
		if tx.saver.dirty && !tx.closed {
			tx.saver.schedule(tx, saveAfter)
		}
		tx.saver.look = true
		return tx.saver.dueChecks(tx)
	})
	d.reg.FilesChanged(look) // it may be another one by now, and the tree shows it
}

// beginDecision prevents saves while a conflict is resolved.
func (reg *Registry) beginDecision(path string, choice Choice) (*Live, error) {
	d, err := reg.Live(path)
	if err != nil {
		return nil, err
	}
	return d, d.holdSaves(func(tx *Tx) error {
		switch _, err := tx.readable(); {
		case err != nil:
			return err
		case !tx.conflict:
			return fault.New(fault.Conflict, "%s: there is nothing to choose any more", path)
		case choice != KeepMine && tx.Running():
			return fault.New(fault.Conflict, "%s: an answer is running: stop it first, or keep your version", path)
		}
		return nil
	})
}

// holdSaves waits for a save in progress, and then prevents further saves until
// resumeSaves, unless check returns an error.
func (d *Live) holdSaves(check func(*Tx) error) error {
	for {
		var err error
		busy := false
		d.Do(func(tx *Tx) {
			err, busy = check(tx), tx.saver.saving
			if err == nil && !busy {
				tx.saver.stopTimer(tx)
				tx.saver.saving = true
			}
		})
		if err != nil || !busy {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-d.reg.ctx.Done():
			return d.reg.ctx.Err()
		}
	}
}

// chooseMine keeps the disk's version next to the notebook and saves the version in memory, which
// fails if the file has changed again.
func (d *Live) chooseMine() error {
	disk, stamp, err := notebook.ReadText(d.File())
	switch {
	case fault.Is(err, fault.NotFound):
		stamp = notebook.Stamp{}
	case err != nil:
		return d.noVersion("keep your version", err)
	default:
		if _, _, err := notebook.SaveAside(d.File(), "from disk", time.Now(), asCopy(disk, newID())); err != nil {
			return err
		}
	}
	d.Do(func(tx *Tx) {
		tx.stamp, tx.base, tx.gone = stamp, nil, stamp == (notebook.Stamp{}) // report a missing file again only after it has reappeared
		// What was typed over those texts is chosen.
		tx.fromDisk = nil
		tx.endConflict()
	})
	return nil
}

// noVersion returns the error for a version on disk that cannot be read.
func (d *Live) noVersion(operation string, err error) error {
	return fault.New(fault.Of(err).Kind, "Could not %s: something that is no notebook has the place of %s: move it away and choose again (%w)", operation, d.Path(), err)
}

// chooseDisk keeps the version in memory next to the notebook, including text typed in the
// meantime, and loads the disk's version.
func (d *Live) chooseDisk() error {
	nb, problem, stamp, err := readVersion(d.File())
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, "%s is not on disk any more: keep your version", d.Path())
	}
	if err != nil {
		return d.noVersion("load the version on disk", err)
	}
	kept, id := recovery{}, newID()
	for {
		var mine *notebook.Snapshot // nil: the version in memory is kept, and the disk's version replaces it
		var changes int
		var left recovery
		err := locked(d, func(tx *Tx) error {
			if tx.Running() {
				return fault.New(fault.Conflict, "%s: an answer is running: stop it first, or keep your version", d.Path())
			}
			if changes = tx.saver.changes; kept.file == "" || kept.changes != changes {
				mine = tx.nb.Encoded()
				return nil
			}
			left = tx.saver.recovery
			tx.saver.recovery, tx.saver.dirty, tx.saver.kept = recovery{}, false, kept.changes
			tx.show(nb, problem, stamp)
			tx.endConflict()
			return nil
		})
		if err != nil {
			return err
		}
		if mine == nil {
			d.removeRecovery(left)
			return nil
		}
		text := asCopy(mine.Bytes(), id)
		if kept.file == "" {
			kept.file, kept.stamp, err = notebook.SaveAside(d.File(), "mine", time.Now(), text)
		} else {
			kept.stamp, err = notebook.Save(kept.file, text, kept.stamp)
		}
		if err != nil {
			return err
		}
		kept.changes = changes
	}
}

// asCopy gives a version that is kept next to its notebook a uuid of its own, because it becomes
// another agent. A file that is not a notebook stays as it is.
func asCopy(text []byte, uuid string) io.WriterTo {
	nb, err := notebook.Parse(text)
	if err != nil {
		return bytes.NewReader(text)
	}
	nb.SetUUID(uuid)
	return nb.Encoded()
}

// cameFromDisk notes that another program changed the texts of cells. It must be called before the events that tell so.
func (tx *Tx) cameFromDisk(cells []string) {
	for _, id := range cells {
		if tx.fromDisk == nil {
			tx.fromDisk = map[string]uint64{}
		}
		tx.fromDisk[id] = tx.reg.out.Seq() + 1
	}
}

// overDisk reports whether an edit replaces a text of another program that the person did not see: it was typed before that
// came in, and arrived after it (SPEC 1.4). What another window typed is no such text.
func (tx *Tx) overDisk(e notebook.Edit) bool {
	came, ok := tx.fromDisk[e.Cell]
	if !ok || e.Seen == 0 || e.Seen >= came {
		return false
	}
	cells := tx.nb.Cells([]string{e.Cell})
	return e.Kind != notebook.EditSetText || len(cells) == 1 && cells[0].Body.Text != e.Text
}

// endConflict publishes that a conflict is resolved.
func (tx *Tx) endConflict() {
	tx.conflict = false
	tx.reg.out.Emit(event.NotebookReloaded{Path: tx.Path()})
	tx.PublishPast()
}
