package workspace

import (
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// Saving waits a little for more changes, never so long that what has arrived
// is older than a second (SPEC 1.4). A save that failed is tried again.
const (
	saveAfter = 400 * time.Millisecond
	retrySave = 3 * time.Second
)

// saver is the part of a doc that gets it to disk. All under the doc's lock.
type saver struct {
	dirty  bool // memory has what the disk has not
	saving bool
	failed bool // the last attempt failed: told once, tried again
	timer  *time.Timer
}

func (s *saver) busy() bool { return s.dirty || s.saving }

// soon has the document saved within saveAfter; calling it again before that
// does not put the save off.
func (s *saver) soon(d *doc) {
	s.dirty = true
	if s.timer == nil && !s.saving && !d.conflict && d.w.ctx.Err() == nil { // Close saves what is left
		s.after(d, saveAfter)
	}
}

func (s *saver) after(d *doc, wait time.Duration) {
	d.w.saves.Add(1)
	s.timer = time.AfterFunc(wait, func() {
		defer d.w.saves.Done()
		d.save()
	})
}

// save writes the document as it is now; the disk is waited for without the lock.
func (d *doc) save() error {
	d.mu.Lock()
	d.saver.stopTimer(d)
	if d.nb == nil || !d.saver.dirty || d.saver.saving || d.conflict {
		d.mu.Unlock()
		return nil
	}
	d.saver.dirty, d.saver.saving = false, true
	snapshot, expect := d.nb.Encoded(), d.stamp
	d.mu.Unlock()

	stamp, err := notebook.Save(d.file, snapshot, expect)

	d.mu.Lock()
	defer d.mu.Unlock()
	d.saver.saving = false
	switch {
	case fault.Is(err, fault.Conflict):
		d.saver.dirty = true
		d.conflicts()
	case err != nil:
		d.saver.dirty = true
		if !d.saver.failed {
			d.w.out.Emit(event.NotebookSaved{Path: d.path, AtMs: nowMs(), Fault: fault.Of(err)})
		}
		d.saver.failed = true
		if d.w.ctx.Err() == nil && d.saver.timer == nil {
			d.saver.after(d, retrySave)
		}
	default:
		d.stamp, d.gone, d.saver.failed = stamp, false, false
		if d.saver.dirty {
			d.saver.soon(d)
		} else {
			d.w.out.Emit(event.NotebookSaved{Path: d.path, AtMs: nowMs()})
		}
	}
	return err
}

func (s *saver) stopTimer(d *doc) {
	if s.timer != nil && s.timer.Stop() {
		d.w.saves.Done() // its function will not run
	}
	s.timer = nil
}

// flush saves now, at the end of the program. Where the notebook's own file
// cannot be written, what is in memory goes beside it.
func (d *doc) flush() error {
	err := d.save()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saver.stopTimer(d)
	if d.nb == nil || !d.saver.dirty {
		return err
	}
	if _, asideErr := notebook.SaveAside(d.file, "not saved", time.Now(), d.nb.Encoded()); asideErr != nil {
		return asideErr
	}
	return err
}
