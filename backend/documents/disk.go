package documents

import (
	"cmp"
	"errors"
	"os"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// FilesChanged must be called with the notebooks that appeared, were written or were
// deleted on disk.
func (reg *Registry) FilesChanged(files map[string]bool) {
	prices := reg.prices()
	var lost []string            // uuids of notebooks that are not open
	changed := map[string]bool{} // uuids that came to, or left, a file
	for _, path := range reg.followRenamed(reg.withLinks(files)) {
		for again := true; again; {
			d, known, hidden := reg.Lookup(path)
			if !hidden && d != nil {
				if d.mayBeRenamed() {
					break
				}
				if shown, _ := d.diskChanged(); shown {
					break
				}
			}
			h, there := Summary{}, false
			before := reg.Summary(path)
			if !hidden {
				h, there = reg.readSummary(path, before, prices)
			}
			if h.UUID != known.UUID || !there {
				changed[h.UUID], changed[known.UUID] = true, true
				reg.dropGoneHolder(h.UUID)
			}
			reg.index(func(ix *index) {
				switch again = ix.summaries[path] != before; {
				case again: // another call was faster, and h may be older
				case there:
					ix.summaries[path] = h
				case d == nil || !d.running.Load(): // what runs is shown, so that it can be stopped
					delete(ix.summaries, path)
					if d == nil {
						lost = append(lost, known.UUID)
					}
				}
			})
		}
	}
	kept := reg.keptFiles(changed)
	reg.rebindMoved(indexed(reg, func(ix *index) map[string]settings.Agent {
		defer ix.publishTree()
		return ix.assignUUIDs(changed, kept)
	}))
	for uuid, parent := range reg.restored(changed) { // they count themselves again
		_ = reg.With(parent, func(tx *Tx, _ *notebook.Document) error {
			tx.restoredUsage(uuid)
			tx.Changed(notebook.Change{Cells: []notebook.CellView{}}, "")
			return nil
		})
	}
	reg.host.AgentsChanged(changed, lost)
	identifyCopies(reg)
}

// diskChanged compares the file with the version last read or written. If it differs, the notebook
// is loaded again or, with unsaved changes, the person is asked. shown reports whether the tree
// shows the notebook from memory; false: the caller has to read the file. whole reports whether the
// notebook has everything that the file had; false: the file was not compared, or contradicts. The
// disk is read without the lock, so that typing does not wait for it.
func (d *Live) diskChanged() (shown, whole bool) {
	for {
		var before diskState
		d.Do(func(tx *Tx) {
			before = tx.diskState()
			tx.saver.look = tx.saver.look || before.saving // another program may replace the file while it is being written
		})
		if !before.open {
			return false, false
		}
		seen := version{}
		if !before.saving {
			seen = readIfChanged(before.file, before.stamp)
		}
		info, err := os.Stat(before.file)
		again := false
		d.Do(func(tx *Tx) {
			now := tx.diskState()
			switch {
			case tx.closed:
			case now.file != before.file, !before.saving && (now.saving || now.stamp != before.stamp): // it was renamed, saved or loaded in the meantime
				again = true
			default:
				if tx.applyVersion(seen) && err == nil && tx.nb != nil {
					shown = tx.showFile(info)
				}
				whole = seen.read && !tx.conflict && !tx.gone
			}
		})
		if !again {
			return shown, whole
		}
	}
}

// diskState is a document's record of its file, for comparison with the disk.
type diskState struct {
	file         string
	stamp        notebook.Stamp
	open, saving bool
}

func (tx *Tx) diskState() diskState {
	return diskState{tx.File(), tx.stamp, tx.nb != nil || tx.problem != nil, tx.saver.saving}
}

// showFile updates the tree from the notebook in memory.
func (tx *Tx) showFile(info os.FileInfo) bool {
	// Under both locks, so that a run that has just ended is not shown as running again.
	return indexed(tx.reg, func(ix *index) bool {
		known := ix.summaries[tx.Path()]
		if known.File == "" {
			return false
		}
		h := tx.summary(known)
		if h.Problem = ""; !tx.Running() { // while an answer streams, every save would be news
			h.ModifiedMs, h.size = info.ModTime().UnixMilli(), info.Size()
		}
		ix.summaries[tx.Path()] = h
		return true
	})
}

// version is what was found at a notebook's path.
type version struct {
	gone, changed bool
	read          bool               // nothing prevented the comparison
	nb            *notebook.Document // with problem nil: it could not be read, the next event will retry
	problem       *notebook.Problem
	stamp         notebook.Stamp
}

// readIfChanged reads a file if it differs from the known version.
func readIfChanged(file string, known notebook.Stamp) (v version) {
	changed, err := notebook.Changed(file, known)
	if v.gone = fault.Is(err, fault.NotFound); v.gone {
		return v
	}
	if v.changed = err == nil && changed; v.changed {
		v.nb, v.problem, v.stamp, err = readVersion(file)
	}
	v.read = err == nil
	return v
}

// readVersion reads a notebook. For a file that is not a valid notebook, it returns the
// problem instead of an error.
func readVersion(file string) (*notebook.Document, *notebook.Problem, notebook.Stamp, error) {
	nb, stamp, err := notebook.Load(file)
	if bad, ok := errors.AsType[*notebook.DamagedError](err); ok {
		return nil, &bad.Problem, stamp, nil
	}
	return nb, nil, stamp, err
}

// applyVersion reloads the notebook or marks a conflict, as a version found on disk
// requires. It returns false if the notebook in memory was replaced.
func (tx *Tx) applyVersion(v version) bool {
	switch {
	case v.gone:
		tx.fileGone()
		return false
	case !v.changed:
		return true
	case tx.takeIn(v):
		return true
	case tx.saver.dirty || tx.Running():
		tx.markConflict(false)
		return true
	}
	if v.nb != nil || v.problem != nil {
		tx.show(v.nb, v.problem, v.stamp)
		tx.reg.out.Emit(event.NotebookReloaded{Path: tx.Path()})
		tx.PublishPast()
	}
	return false
}

// fileGone handles a deleted file: it closes an unchanged notebook, and marks a conflict
// for one with unsaved changes.
func (tx *Tx) fileGone() {
	if tx.missed = true; tx.gone {
		return
	}
	tx.gone = true
	if tx.saver.dirty || tx.Running() {
		tx.markConflict(true)
		return
	}
	tx.doc.work.Deleted(tx)
	if last := cmp.Or(tx.nb, tx.before); tx.shown && last != nil {
		tx.reg.index(func(ix *index) { ix.left[tx.Path()] = last })
	}
	tx.Close()
	tx.reg.out.Emit(event.NotebookReloaded{Path: tx.Path()})
}

// markConflict stops saves to the file until the person resolves the conflict. Until
// then the text is kept in the recovery file.
func (tx *Tx) markConflict(gone bool) {
	if tx.conflict {
		return
	}
	tx.conflict, tx.gone = true, gone
	tx.logConflict()
	if tx.saver.dirty = true; tx.saver.exposed() { // the file lacks even what was saved before
		tx.saver.schedule(tx, saveAfter)
	}
	tx.reg.out.Emit(event.DiskConflict{Path: tx.Path(), Gone: tx.gone})
}
