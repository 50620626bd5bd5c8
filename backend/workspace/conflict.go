package workspace

import (
	"bytes"
	"io"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// mostShown is how much of each version a conflict shows, in bytes.
const mostShown = 256 << 10

// Conflict shows both versions of a notebook that changed on disk and here.
func (w *Workspace) Conflict(path string) (v ConflictView, err error) {
	var mine *notebook.Snapshot
	var file string
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		mine, file = nb.Encoded(), d.file()
		return nil
	})
	if err != nil {
		return v, err
	}
	text := mine.Bytes()
	v.Mine = string(text[:min(mostShown, len(text))])
	f, _, err := notebook.OpenRegular(file)
	if err != nil { // what stands there is no version of it
		v.Gone = true
		return v, nil
	}
	defer f.Close()
	disk, err := io.ReadAll(io.LimitReader(f, mostShown))
	v.Disk, v.Gone = string(disk), err != nil
	return v, nil
}

// ResolveConflict carries out the person's choice. The version that is not
// chosen is kept beside the notebook, whichever it is.
func (w *Workspace) ResolveConflict(path string, choice Choice) error {
	if choice != KeepMine && choice != TakeDisk && choice != KeepBoth {
		return fault.New(fault.Invalid, "%q is not a choice", choice)
	}
	d, err := w.decide(path, choice)
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

// resumeSaves lets others write again after the file was held.
func (d *doc) resumeSaves() {
	d.mu.Lock()
	d.saver.saving = false
	if d.saver.dirty && !d.closed {
		d.saver.schedule(d, saveAfter)
	}
	d.saver.look = true
	look := d.saver.lookDue(d)
	d.mu.Unlock()
	d.w.filesChanged(look) // it may be another one by now, and the tree shows it
}

// decide keeps everybody else from writing while a conflict is decided.
func (w *Workspace) decide(path string, choice Choice) (*doc, error) {
	d, err := w.doc(path)
	if err != nil {
		return nil, err
	}
	return d, d.holdSaves(func() error {
		switch _, err := d.readable(); {
		case err != nil:
			return err
		case !d.conflict:
			return fault.New(fault.Conflict, "%s: there is nothing to choose any more", path)
		case choice != KeepMine && d.active != nil:
			return fault.New(fault.Conflict, "%s: an answer is running: stop it first, or keep your version", path)
		}
		return nil
	})
}

// holdSaves waits for a save under way and then keeps everybody from saving, unless
// check says no; it runs under the lock. resumeSaves ends it.
func (d *doc) holdSaves(check func() error) error {
	for {
		d.mu.Lock()
		err, busy := check(), d.saver.saving
		if err == nil && !busy {
			d.saver.stopTimer(d)
			d.saver.saving = true
		}
		d.mu.Unlock()
		if err != nil || !busy {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-d.w.ctx.Done():
			return d.w.ctx.Err()
		}
	}
}

// chooseMine keeps the disk's version beside the notebook, whose own takes its
// place with the next save: that is refused if yet another version has come.
func (d *doc) chooseMine() error {
	disk, stamp, err := notebook.ReadText(d.file())
	switch {
	case fault.Is(err, fault.NotFound):
		stamp = notebook.Stamp{}
	case err != nil:
		return fault.New(fault.Of(err).Kind, "Could not keep your version: something that is no notebook has the place of %s: move it away and choose again (%w)", d.path(), err)
	default:
		if _, _, err := notebook.SaveAside(d.file(), "from disk", time.Now(), asCopy(disk, newID())); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stamp, d.gone = stamp, stamp == (notebook.Stamp{}) // a file that is gone is no news before it is there again
	d.decided()
	return nil
}

// chooseDisk keeps the version in memory beside the notebook, and loads the
// disk's. What is typed meanwhile is kept as well.
func (d *doc) chooseDisk() error {
	nb, problem, stamp, err := readVersion(d.file())
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, "%s is not on disk any more: keep your version", d.path())
	}
	if err != nil {
		return err
	}
	kept, id := refuge{}, newID()
	for {
		d.mu.Lock()
		if d.active != nil {
			d.mu.Unlock()
			return fault.New(fault.Conflict, "%s: an answer is running: stop it first, or keep your version", d.path())
		}
		if kept.file != "" && kept.changes == d.saver.changes {
			break
		}
		mine, changes := d.nb.Encoded(), d.saver.changes
		d.mu.Unlock()
		text := asCopy(mine.Bytes(), id)
		if kept.file == "" {
			kept.file, kept.stamp, err = notebook.SaveAside(d.file(), "mine", time.Now(), text)
		} else {
			kept.stamp, err = notebook.Save(kept.file, text, kept.stamp)
		}
		if err != nil {
			return err
		}
		kept.changes = changes
	}
	left := d.saver.refuge
	d.saver.refuge, d.saver.dirty, d.saver.kept = refuge{}, false, kept.changes
	d.show(nb, problem, stamp)
	d.decided()
	d.mu.Unlock()
	d.leaveRefuge(left)
	return nil
}

// asCopy gives a version that is kept beside its notebook a uuid of its own, as
// it is another agent. What is no notebook stays as it is.
func asCopy(text []byte, uuid string) io.WriterTo {
	nb, err := notebook.Parse(text)
	if err != nil {
		return bytes.NewReader(text)
	}
	nb.SetUUID(uuid)
	return nb.Encoded()
}

// decided says that a conflict is over. Under d.mu.
func (d *doc) decided() {
	d.conflict = false
	d.w.out.Emit(event.NotebookReloaded{Path: d.path()})
	d.tellPast()
}
