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
	dirty   bool // memory has what the file has not
	saving  bool // the file is being written, or a conflict about it decided: nobody else may
	changes int  // counts them
	told    string
	look    bool     // the file may have changed while it was written
	renamed []string // files that may be this one under another name, found while it was written
	timer   *time.Timer
	due     time.Time
	refuge  refuge // of whoever saves; else under the lock
	kept    int    // up to which change nothing is lost by a crash
}

func (s *saver) busy() bool { return s.dirty || s.saving }

// exposed reports whether memory has what is nowhere on the disk.
func (s *saver) exposed() bool {
	return s.dirty && (s.refuge.file == "" || s.refuge.changes != s.changes)
}

// soon has the document saved within saveAfter; calling it again before that
// does not put the save off.
func (s *saver) soon(d *doc) {
	s.dirty = true
	s.changes++
	s.schedule(d, saveAfter)
}

func (s *saver) schedule(d *doc, wait time.Duration) {
	if s.saving || d.w.ctx.Err() != nil { // Close saves what is left
		return
	}
	if s.timer != nil && time.Until(s.due) > wait {
		s.stopTimer(d)
	}
	if s.timer == nil {
		s.after(d, wait)
	}
}

func (s *saver) after(d *doc, wait time.Duration) {
	d.w.saves.Add(1)
	s.due = time.Now().Add(wait)
	s.timer = time.AfterFunc(wait, func() {
		defer d.w.saves.Done()
		d.save()
	})
}

func (s *saver) stopTimer(d *doc) {
	if s.timer != nil && s.timer.Stop() {
		d.w.saves.Done() // its function will not run
	}
	s.timer = nil
}

// save writes the document as it is now; the disk is waited for without the
// lock. What the file cannot take, or may not before the person has decided
// about a conflict, goes to the refuge.
func (d *doc) save() error {
	d.mu.Lock()
	s := &d.saver
	s.stopTimer(d)
	if d.nb == nil || d.closed || !s.dirty || s.saving || d.conflict && !s.exposed() {
		d.mu.Unlock()
		return nil
	}
	s.saving = true
	snapshot, expect, changes, conflict, refuge := d.nb.Encoded(), d.stamp, s.changes, d.conflict, s.refuge
	d.mu.Unlock()

	var stamp notebook.Stamp
	var err, keptErr error
	if !conflict {
		others, end := d.beginSave()
		stamp, err = notebook.SaveLinked(d.file(), others, snapshot, expect)
		end()
	}
	switch {
	case conflict, err != nil:
		if refuge, keptErr = d.toRefuge(refuge, snapshot); keptErr == nil {
			refuge.changes = changes
		}
	default:
		refuge = d.leaveRefuge(refuge)
	}
	gone := conflict || err != nil && isGone(d.file())

	d.mu.Lock()
	s.saving, s.refuge = false, refuge
	if written := err == nil && !conflict; written || keptErr == nil && (conflict || fault.Is(err, fault.Conflict)) {
		s.kept = changes
	}
	look := s.lookDue(d)
	switch {
	case conflict:
		d.tellUnsaved(nil, keptErr)
	case fault.Is(err, fault.Conflict):
		d.conflicts(gone)
	case err != nil:
		d.tellUnsaved(err, keptErr)
	default:
		d.stamp, d.gone, d.missed, s.told = stamp, false, false, ""
		if s.dirty = s.changes != changes; !s.dirty {
			d.w.out.Emit(event.NotebookSaved{Path: d.path(), AtMs: nowMs()})
		}
	}
	switch {
	case !s.dirty:
	case s.changes != changes && (err == nil || keptErr == nil):
		s.schedule(d, saveAfter)
	case !d.conflict || keptErr != nil:
		s.schedule(d, retrySave)
	}
	if keptErr != nil && err == nil {
		err = keptErr
	}
	if look == nil {
		d.letGoUnseen()
	}
	d.mu.Unlock()
	if look != nil {
		d.w.filesChanged(look)
	}
	return err
}

// lookDue gives the files to be looked at now that the notebook's is written;
// nil: none. Under d.mu.
func (s *saver) lookDue(d *doc) map[string]bool {
	if !s.look {
		return nil
	}
	files := map[string]bool{d.path(): true}
	for _, path := range s.renamed {
		files[path] = true
	}
	s.look, s.renamed = false, nil
	return files
}

// tellUnsaved tells why the file could not be written, and what becomes of the
// text; the same is told once. Under d.mu.
func (d *doc) tellUnsaved(err, keptErr error) {
	f := d.unsaved(err, keptErr)
	if f == nil || f.Message == d.saver.told {
		return
	}
	d.saver.told = f.Message
	d.w.out.Emit(event.NotebookSaved{Path: d.path(), AtMs: nowMs(), Fault: f})
}

// unsaved says why the text is not in the notebook's file, and where it is
// instead; nil: there is nothing to say but that a conflict waits. Under d.mu.
func (d *doc) unsaved(err, keptErr error) *fault.Error {
	if err == nil {
		err = keptErr
	}
	switch f := fault.Of(err); {
	case f == nil:
		return nil
	case keptErr != nil || d.saver.refuge.file == "":
		return fault.New(f.Kind, "%w. What is not saved is nowhere but in this program: keep it open", err)
	default:
		return fault.New(f.Kind, "%w. What is not saved is kept in %s until then", err, d.saver.refuge.file)
	}
}

// flush saves now, at the end of the program. What the notebook's own file does
// not take is kept beside it, or in the state folder; the error says where.
func (d *doc) flush() error {
	err := d.save()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saver.stopTimer(d)
	r := d.saver.refuge
	switch f := fault.Of(err); {
	case d.nb == nil || d.closed || !d.saver.dirty:
		return err
	case f == nil && d.conflict && !d.saver.exposed():
		return fault.New(fault.Conflict, "Could not save %s: another program changed or deleted it. Your version is in %s", d.path(), r.file)
	case f == nil:
		return fault.New(fault.Internal, "Could not save %s", d.path())
	case d.saver.exposed():
		return fault.New(f.Kind, "%w. What was not saved is lost", err)
	default:
		return fault.New(f.Kind, "%w. What was not saved is in %s", err, r.file)
	}
}
