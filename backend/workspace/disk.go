package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// head is what the tree knows of a notebook, with the file it was read from.
type head struct {
	agenttree.Head
	size    int64
	tally   *notebook.Tally // nil: not known before the notebook is opened
	allowed string          // allowed_uris as JSON; "": it has none
}

// filesChanged is told by the watcher which notebooks came, went or were written.
func (w *Workspace) filesChanged(files map[string]bool) {
	prices := w.prices()
	var lost []string            // uuids of notebooks that nobody has open
	changed := map[string]bool{} // uuids that came to, or left, a file
	for path := range files {
		w.mu.Lock()
		d, known := w.docs[path], w.heads[path]
		w.mu.Unlock()
		if d != nil && d.diskChanged() {
			continue
		}
		h, there := w.readHead(path, known, prices)
		if h.UUID != known.UUID || !there {
			changed[h.UUID], changed[known.UUID] = true, true
		}
		w.mu.Lock()
		if there {
			w.heads[path] = h
		} else {
			delete(w.heads, path)
			if d == nil {
				lost = append(lost, known.UUID)
			}
		}
		w.mu.Unlock()
	}
	kept := w.keptFiles(changed)
	w.mu.Lock()
	moved := w.claim(changed, kept)
	w.tellTree()
	w.mu.Unlock()
	w.claimed(moved)
	w.loadGrants(changed)
	w.forgetRules(lost)
	w.forks.tell()
}

// otherFilesChanged is told by the watcher that files which are no notebooks
// changed: a next request may hold something else now.
func (w *Workspace) otherFilesChanged() {
	w.fileNames.mu.Lock()
	w.fileNames.stale = true
	w.fileNames.mu.Unlock()
	w.out.Emit(event.ContextChanged{})
}

// readHead looks at a file; known is returned when the file is still the one it was read from.
func (w *Workspace) readHead(path string, known head, prices cost.Table) (head, bool) {
	file, err := w.resolve(path)
	if err != nil {
		return head{}, false
	}
	info, err := os.Stat(file)
	if err != nil {
		return head{}, false
	}
	if known.File != "" && known.ModifiedMs == info.ModTime().UnixMilli() && known.size == info.Size() {
		return known, true
	}
	h, err := notebook.ReadHead(file)
	if fault.Is(err, fault.NotFound) {
		return head{}, false
	}
	made := headFrom(path, h, prices)
	made.ModifiedMs, made.size = info.ModTime().UnixMilli(), info.Size()
	if err != nil {
		made.Problem = err.Error()
	}
	return made, true
}

// headFrom is what the tree shows of a file.
func headFrom(path string, h notebook.Head, prices cost.Table) head {
	made := head{Head: agenttree.Head{
		File: path, UUID: h.UUID, Name: cmp.Or(h.Name, nameOf(path)), ParentID: h.ParentID, CreatedAt: h.CreatedAt,
		ModifiedMs: h.ModifiedMs, Finished: h.Finished, Failed: h.Failed, EndedMs: h.EndedMs,
		Problem: h.Problem, Prompts: h.Prompts, Interrupted: h.Interrupted, Kind: h.Kind, Spent: inTree(tallied(prices, h.Tally)),
	}, tally: h.Tally, allowed: h.Allowed}
	if h.Tally != nil {
		made.TimeMs = h.Tally.TimeMs
	}
	return made
}

// setFailed notes how the last run of a notebook ended.
func (w *Workspace) setFailed(path string, failed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h := w.heads[path]; h.File != "" && h.Failed != failed {
		h.Failed = failed
		w.heads[path] = h
		w.tellTree()
	}
}

// diskChanged compares the file with what was read or written last: without
// local changes it is loaded again, with them the person is asked. The tree
// then shows the notebook as it is in memory; false: that has to be read from
// the file.
func (d *doc) diskChanged() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.nb == nil && d.problem == nil {
		return false
	}
	if !d.saver.saving && !d.followDisk() {
		return false
	}
	info, err := os.Stat(d.file)
	if err != nil || d.nb == nil {
		return false
	}
	// Under both locks: a run that ends meanwhile must not be told of as it was before.
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	known := d.w.heads[d.path]
	if known.File == "" {
		return false
	}
	h := d.head(known)
	if h.Problem = ""; d.active == nil { // while an answer streams, every save would be news
		h.ModifiedMs, h.size = info.ModTime().UnixMilli(), info.Size()
	}
	d.w.heads[d.path] = h
	return true
}

// followDisk does what a change of the file asks for; false: the notebook in
// memory is not, or not any more, what it was. While a save of our own is
// under way it finds a foreign file by itself. Under d.mu.
func (d *doc) followDisk() bool {
	changed, err := notebook.Changed(d.file, d.stamp)
	if fault.Is(err, fault.NotFound) {
		d.vanished()
		return false
	}
	if err != nil || !changed {
		return true
	}
	if d.saver.dirty || d.active != nil {
		d.conflicts()
		return true
	}
	if d.load() == nil { // else it is gone again or unreadable: the next event tells
		d.w.out.Emit(event.NotebookReloaded{Path: d.path})
		d.tellPast()
	}
	return false
}

// vanished handles a file that is not there any more: a notebook nobody
// changed is let go; one with changes asks.
func (d *doc) vanished() {
	if d.gone {
		return
	}
	d.gone = true
	if d.saver.dirty || d.active != nil {
		d.conflicts()
		return
	}
	d.close()
	d.w.out.Emit(event.NotebookReloaded{Path: d.path})
}

// conflicts stops saving until the person has chosen.
func (d *doc) conflicts() {
	if d.conflict {
		return
	}
	d.conflict = true
	_, err := os.Stat(d.file)
	d.gone = errors.Is(err, fs.ErrNotExist)
	d.w.out.Emit(event.DiskConflict{Path: d.path, Gone: d.gone})
}

// Conflict shows both versions of a notebook that changed on disk and here.
func (w *Workspace) Conflict(path string) (v ConflictView, err error) {
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		const most = 256 << 10
		mine := nb.Encoded().Bytes()
		disk, err := os.ReadFile(d.file)
		v = ConflictView{Mine: string(mine[:min(most, len(mine))]), Disk: string(disk[:min(most, len(disk))]), Gone: err != nil}
		return nil
	})
	return v, err
}

// ResolveConflict carries out the person's choice. The version that is not
// chosen is kept beside the notebook, whichever it is.
func (w *Workspace) ResolveConflict(path string, choice Choice) error {
	return w.with(path, func(d *doc, nb *notebook.Document) error {
		if !d.conflict {
			return fault.New(fault.Conflict, "%s: there is nothing to choose any more", path)
		}
		if choice != KeepMine && d.active != nil {
			return fault.New(fault.Conflict, "%s: an answer is running: stop it first, or keep your version", path)
		}
		switch choice {
		case KeepMine:
			stamp, err := d.keepDisk()
			if err != nil {
				return err
			}
			d.stamp = stamp
		case TakeDisk, KeepBoth:
			if d.gone {
				return fault.New(fault.NotFound, "%s is not on disk any more: keep your version", path)
			}
			if _, err := notebook.SaveAside(d.file, "mine", time.Now(), nb.Encoded()); err != nil {
				return err
			}
			if err := d.load(); err != nil {
				return err
			}
			d.saver.dirty = false
		default:
			return fault.New(fault.Invalid, "%q is not a choice", choice)
		}
		d.conflict = false
		if choice == KeepMine {
			d.saver.soon(d)
		}
		d.w.out.Emit(event.NotebookReloaded{Path: d.path})
		d.tellPast()
		return nil
	})
}

// keepDisk copies the disk's version beside the notebook and returns its
// stamp: the zero one when there is none.
func (d *doc) keepDisk() (notebook.Stamp, error) {
	disk, err := os.ReadFile(d.file)
	if errors.Is(err, fs.ErrNotExist) {
		return notebook.Stamp{}, nil
	}
	if err != nil {
		return notebook.Stamp{}, err
	}
	if _, err := notebook.SaveAside(d.file, "from disk", time.Now(), bytes.NewReader(disk)); err != nil {
		return notebook.Stamp{}, err
	}
	_, stamp, err := notebook.Load(d.file)
	var damaged *notebook.DamagedError
	if errors.As(err, &damaged) {
		return stamp, nil // it was kept; the notebook takes its place
	}
	return stamp, err
}
