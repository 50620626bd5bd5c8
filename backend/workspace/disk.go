package workspace

import (
	"cmp"
	"errors"
	"os"
	"unicode/utf8"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/process"
)

// head is what the tree knows of a notebook, with the file it was read from.
type head struct {
	agenttree.Head
	size    int64
	tally   *notebook.Tally // nil: not known before the notebook is opened
	allowed string          // allowed_uris as JSON; "": it has none
	process process.ID      // that runs it, if it is another one
}

// filesChanged is told by the watcher which notebooks came, went or were written.
func (w *Workspace) filesChanged(files map[string]bool) {
	prices := w.prices()
	var lost []string            // uuids of notebooks that nobody has open
	changed := map[string]bool{} // uuids that came to, or left, a file
	for _, path := range w.followRenamed(w.withLinks(files)) {
		w.mu.Lock()
		d, known, hidden := w.docs[path], w.heads[path], w.hidden[path]
		w.mu.Unlock()
		if !hidden && d != nil && d.diskChanged() {
			continue
		}
		h, there := head{}, false
		if !hidden {
			h, there = w.readHead(path, known, prices)
		}
		if h.UUID != known.UUID || !there {
			changed[h.UUID], changed[known.UUID] = true, true
		}
		w.mu.Lock()
		if there {
			w.heads[path] = h
		} else if d == nil || !d.runs.Load() { // what runs is shown, so that it can be stopped
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
	if own, _ := w.mainName(path, file); own != path {
		return head{}, false // another name: the tree has the file itself
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
	if made.Interrupted && h.Process != nil && h.Process.IsSelf() {
		if d := w.runsAs(path, h.UUID); d != nil {
			made.Interrupted, made.Elsewhere, made.process = false, "running under its old name, "+d.path(), *h.Process
		}
	}
	if err != nil {
		made.Problem = err.Error()
	}
	if !utf8.ValidString(path) {
		made.Problem = notText
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
	if by := h.Process; h.Interrupted && by != nil && !by.IsSelf() && by.Lives() {
		made.Interrupted, made.Elsewhere, made.process = false, runningIn(*by), *by
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
// the file. The disk is looked at without the lock, so that nobody waits for it
// who types.
func (d *doc) diskChanged() bool {
	for {
		d.mu.Lock()
		file := d.file()
		known, open, saving := d.stamp, d.nb != nil || d.problem != nil, d.saver.saving
		d.saver.look = d.saver.look || saving // what is being written may be replaced right then
		d.mu.Unlock()
		if !open {
			return false
		}
		seen := version{}
		if !saving {
			seen = lookAt(file, known)
		}
		info, err := os.Stat(file)

		d.mu.Lock()
		switch {
		case d.closed:
			d.mu.Unlock()
			return false
		case d.file() != file, !saving && (d.saver.saving || d.stamp != known): // it was renamed, saved or loaded meanwhile
			d.mu.Unlock()
			continue
		case !d.take(seen) || err != nil || d.nb == nil:
			d.mu.Unlock()
			return false
		}
		shown := d.showFile(info)
		d.mu.Unlock()
		return shown
	}
}

// showFile has the tree show the notebook as it is in memory. Under d.mu.
func (d *doc) showFile(info os.FileInfo) bool {
	// Under both locks: a run that ends meanwhile must not be told of as it was before.
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	known := d.w.heads[d.path()]
	if known.File == "" {
		return false
	}
	h := d.head(known)
	if h.Problem = ""; d.active == nil { // while an answer streams, every save would be news
		h.ModifiedMs, h.size = info.ModTime().UnixMilli(), info.Size()
	}
	d.w.heads[d.path()] = h
	return true
}

// version is what was found in the place of a notebook.
type version struct {
	gone, changed bool
	nb            *notebook.Document // with problem nil: it could not be read, the next event tells
	problem       *notebook.Problem
	stamp         notebook.Stamp
}

// lookAt looks at a file, and reads it if it is another one than known.
func lookAt(file string, known notebook.Stamp) (v version) {
	changed, err := notebook.Changed(file, known)
	if v.gone = fault.Is(err, fault.NotFound); v.gone {
		return v
	}
	if v.changed = err == nil && changed; v.changed {
		v.nb, v.problem, v.stamp, _ = readVersion(file)
	}
	return v
}

// readVersion reads a notebook. A file that is no notebook is no error: problem
// says what is wrong with it.
func readVersion(file string) (*notebook.Document, *notebook.Problem, notebook.Stamp, error) {
	nb, stamp, err := notebook.Load(file)
	if bad, ok := errors.AsType[*notebook.DamagedError](err); ok {
		return nil, &bad.Problem, stamp, nil
	}
	return nb, nil, stamp, err
}

// take does what a version that was found asks for; false: the notebook in
// memory is not, or not any more, what it was. Under d.mu.
func (d *doc) take(v version) bool {
	switch {
	case v.gone:
		d.vanished()
		return false
	case !v.changed:
		return true
	case d.saver.dirty || d.active != nil:
		d.conflicts(false)
		return true
	}
	if v.nb != nil || v.problem != nil {
		d.show(v.nb, v.problem, v.stamp)
		d.w.out.Emit(event.NotebookReloaded{Path: d.path()})
		d.tellPast()
	}
	return false
}

// vanished handles a file that is not there any more: a notebook nobody
// changed is let go; one with changes asks. Under d.mu.
func (d *doc) vanished() {
	if d.missed = true; d.gone {
		return
	}
	d.gone = true
	if d.saver.dirty || d.active != nil {
		d.conflicts(true)
		return
	}
	queue := d.queue
	d.queue = nil
	for _, r := range queue { // nothing is left that they could run in
		d.ended(r, agent.Result{Outcome: agent.Stopped})
	}
	d.close()
	d.w.out.Emit(event.NotebookReloaded{Path: d.path()})
}

// conflicts stops saving to the file until the person has chosen; until then
// the text is kept beside it. Under d.mu.
func (d *doc) conflicts(gone bool) {
	if d.conflict {
		return
	}
	d.conflict, d.gone = true, gone
	if d.saver.dirty = true; d.saver.exposed() { // the file has not even what was saved before
		d.saver.schedule(d, saveAfter)
	}
	d.w.out.Emit(event.DiskConflict{Path: d.path(), Gone: d.gone})
}
