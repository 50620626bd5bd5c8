package documents

import (
	"cmp"
	"context"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// A save waits a little for more changes, but no change stays unsaved for longer than a
// second (SPEC 1.4). A save that failed is tried again.
const (
	saveAfter = 400 * time.Millisecond
	retrySave = 3 * time.Second
)

// saver saves a document. It is reached in a Tx.
type saver struct {
	dirty    bool // memory has changes that the file lacks
	saving   bool // the file is being written, or a conflict about it resolved: no other save may start
	changes  int  // counts them
	reported string
	sought   time.Time // when the folder was looked through for the file
	look     bool      // the file may have changed while it was written
	renamed  []string  // files that may be this one under another name, found while it was written
	timer    *time.Timer
	due      time.Time
	recovery recovery // owned by the current save; otherwise under the lock
	kept     int      // up to which change nothing is lost by a crash
}

func (s *saver) busy() bool { return s.dirty || s.saving }

// exposed reports whether memory has changes that are nowhere on disk.
func (s *saver) exposed() bool {
	return s.dirty && (s.recovery.file == "" || s.recovery.changes != s.changes)
}

// soon schedules a save after saveAfter. Calling it again does not delay the save.
func (s *saver) soon(tx *Tx) {
	s.dirty = true
	s.changes++
	s.schedule(tx, saveAfter)
}

func (s *saver) schedule(tx *Tx, wait time.Duration) {
	if s.saving || tx.reg.ctx.Err() != nil { // Close saves the rest
		return
	}
	if s.timer != nil && time.Until(s.due) > wait {
		s.stopTimer(tx)
	}
	if s.timer == nil {
		s.after(tx, wait)
	}
}

func (s *saver) after(tx *Tx, wait time.Duration) {
	d := tx.doc
	d.reg.saves.Add(1)
	s.due = time.Now().Add(wait)
	s.timer = time.AfterFunc(wait, func() {
		defer d.reg.saves.Done()
		d.Save()
	})
}

func (s *saver) stopTimer(tx *Tx) {
	if s.timer != nil && s.timer.Stop() {
		tx.reg.saves.Done() // its function will not run
	}
	s.timer = nil
}

// saving is the document as it was when the current save began.
type saving struct {
	snapshot *notebook.Snapshot
	expect   notebook.Stamp
	changes  int
	conflict bool // to the recovery file alone
	recovery recovery
}

// Save writes the current document, and waits for the disk without the lock. If the file cannot be
// written, or a conflict is open, the text goes to the recovery file.
func (d *Live) Save() error {
	_, err := d.save()
	return err
}

// save is Save. It also reports whether it did nothing because another save is in progress.
func (d *Live) save() (busy bool, err error) {
	d.findRenamed()
	var v *saving
	d.Do(func(tx *Tx) { v, busy = tx.beginSave() })
	if v == nil {
		return busy, nil
	}
	var stamp notebook.Stamp
	var keptErr error
	if !v.conflict {
		others, end := d.linksToSave()
		stamp, err = notebook.SaveLinked(d.File(), others, v.snapshot, v.expect)
		end()
	}
	if fault.Is(err, fault.Conflict) && d.takeInSaving() {
		return d.save()
	}
	switch {
	case v.conflict, err != nil:
		if v.recovery, keptErr = d.writeRecovery(v.recovery, v.snapshot); keptErr == nil {
			v.recovery.changes = v.changes
		}
	default:
		v.recovery = d.removeRecovery(v.recovery)
	}
	gone := v.conflict || err != nil && isGone(d.File())
	early := !v.conflict && fault.Is(err, fault.Conflict) && d.mayBeRenamed()

	var look map[string]bool
	d.Do(func(tx *Tx) {
		look = tx.endSave(v, stamp, gone, early, err, keptErr)
		if look == nil {
			tx.CloseUnseen()
		}
	})
	if look != nil {
		d.reg.FilesChanged(look)
		d.Do((*Tx).CloseUnseen)
	}
	return false, cmp.Or(err, keptErr)
}

// beginSave returns what to write, and prevents other saves until endSave; nil: there is nothing to
// write, or another save is in progress: busy.
func (tx *Tx) beginSave() (v *saving, busy bool) {
	s := &tx.saver
	s.stopTimer(tx)
	if tx.nb == nil || tx.closed || !s.dirty || s.saving || tx.conflict && !s.exposed() {
		return nil, s.saving
	}
	s.saving = true
	return &saving{tx.nb.Encoded(), tx.stamp, s.changes, tx.conflict, s.recovery}, false
}

// endSave takes the result of a save: the file's new stamp, whether the file is gone, whether it is
// too early to ask about that because it may have been renamed, why it was not written, and why the
// recovery file was not. It returns the files to check now.
func (tx *Tx) endSave(v *saving, stamp notebook.Stamp, gone, early bool, err, keptErr error) (look map[string]bool) {
	s := &tx.saver
	s.saving, s.recovery = false, v.recovery
	if written := err == nil && !v.conflict; written || keptErr == nil && (v.conflict || fault.Is(err, fault.Conflict)) {
		s.kept = v.changes
	}
	look = s.dueChecks(tx)
	switch {
	case v.conflict:
		tx.publishUnsaved(nil, keptErr)
	case early:
	case fault.Is(err, fault.Conflict):
		tx.markConflict(gone)
	case err != nil:
		tx.publishUnsaved(err, keptErr)
	default:
		tx.stamp, tx.base, tx.gone, tx.missed, s.reported = stamp, v.snapshot, false, false, ""
		tx.logSaved(v.snapshot)
		if s.dirty = s.changes != v.changes; !s.dirty {
			tx.reg.out.Emit(event.NotebookSaved{Path: tx.Path(), AtMs: nowMs()})
		}
	}
	switch {
	case !s.dirty:
	case s.changes != v.changes && (err == nil || keptErr == nil):
		s.schedule(tx, saveAfter)
	case !tx.conflict || keptErr != nil:
		s.schedule(tx, retrySave)
	}
	return look
}

// dueChecks returns the files to check after the notebook's was written; nil: none.
func (s *saver) dueChecks(tx *Tx) map[string]bool {
	if !s.look {
		return nil
	}
	files := map[string]bool{tx.Path(): true}
	for _, path := range s.renamed {
		files[path] = true
	}
	s.look, s.renamed = false, nil
	return files
}

// publishUnsaved emits why the file could not be written and where the text is instead.
// It does not repeat the same message.
func (tx *Tx) publishUnsaved(err, keptErr error) {
	f := tx.unsaved(err, keptErr)
	if f == nil || f.Message == tx.saver.reported {
		return
	}
	tx.saver.reported = f.Message
	tx.logSaveFailed(cmp.Or(err, keptErr))
	tx.reg.out.Emit(event.NotebookSaved{Path: tx.Path(), AtMs: nowMs(), Fault: f})
}

// unsaved returns why the text is not in the notebook's file, and where it is instead;
// nil: only a conflict is open.
func (tx *Tx) unsaved(err, keptErr error) *fault.Error {
	if err == nil {
		err = keptErr
	}
	switch f := fault.Of(err); {
	case f == nil:
		return nil
	case keptErr != nil || tx.saver.recovery.file == "":
		return fault.New(f.Kind, "%w. What is not saved exists only in this program: keep it open", err)
	default:
		return fault.New(f.Kind, "%w. What is not saved is kept in %s until then", err, tx.saver.recovery.file)
	}
}

// flush saves at the end of the program. Text that cannot be written to the notebook's own file is
// kept next to it or in the state folder; the error says where.
func (d *Live) flush() error {
	err := d.Save()
	return locked(d, func(tx *Tx) error {
		tx.saver.stopTimer(tx)
		r := tx.saver.recovery
		switch f := fault.Of(err); {
		case tx.nb == nil || tx.closed || !tx.saver.dirty:
			return err
		case f == nil && tx.conflict && !tx.saver.exposed():
			return fault.New(fault.Conflict, "Could not save %s: another program changed or deleted it. Your version is in %s", d.Path(), r.file)
		case f == nil:
			return fault.New(fault.Internal, "Could not save %s", d.Path())
		case tx.saver.exposed():
			return fault.New(f.Kind, "%w. What was not saved is lost", err)
		default:
			return fault.New(f.Kind, "%w. What was not saved is in %s", err, r.file)
		}
	})
}

// Written returns once the notebook's current content survives a crash: it is in the file or, while
// a conflict is open, next to it. The error says why it is not.
func (d *Live) Written(ctx context.Context) error {
	due := locked(d, func(tx *Tx) int { return tx.saver.changes })
	kept, err := untilKept(ctx, func() (busy bool, err error) {
		type result struct {
			busy bool
			err  error
		}
		saved := make(chan result, 1)
		d.reg.saves.Go(func() { // a slow disk does not hold up a stop
			busy, err := d.save()
			saved <- result{busy, err}
		})
		select {
		case r := <-saved:
			return r.busy, r.err
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}, func() bool { return locked(d, func(tx *Tx) bool { return tx.saver.kept >= due }) })
	if err == nil && !kept {
		return fault.New(fault.Internal, "%s could not be saved", d.Path())
	}
	return err
}

// untilKept saves until all is kept, and reports whether it is: after a few saves, the text to
// write is no longer in memory. A save that could not begin because another one was in progress
// does not count.
func untilKept(ctx context.Context, save func() (busy bool, err error), kept func() bool) (bool, error) {
	for saves := 0; saves < 4; {
		busy, err := save()
		if kept() {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !busy {
			saves++
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return false, nil
}

// SaveSoon schedules a save after a change.
func (tx *Tx) SaveSoon() { tx.saver.soon(tx) }

// Close saves all notebooks after Options.Context has ended. Text that cannot be saved is written
// next to its notebook; the error names the first such file.
func (reg *Registry) Close() error {
	docs := reg.OpenDocs()
	for _, d := range docs {
		d.Do(func(tx *Tx) { tx.saver.stopTimer(tx) })
	}
	reg.saves.Wait()
	var first error
	for _, d := range docs {
		if err := d.flush(); err != nil && first == nil {
			first = err
		}
	}
	reg.counts.write(reg.log)
	return first
}
