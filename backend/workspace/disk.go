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
	"mutsumi/backend/settings"
)

// head is what the tree knows of a notebook, with the file it was read from.
type head struct {
	agenttree.Head
	size    int64
	tally   *notebook.Tally // nil: not known before the notebook is opened
	allowed string          // allowed_uris as JSON; "": it has none
	process process.ID      // that runs it, if it is another one
	lastRun process.ID      // that its file names, whether it still runs it or not
}

// filesChanged is told by the watcher which notebooks came, went or were written.
func (w *Workspace) filesChanged(files map[string]bool) {
	prices := w.prices()
	var lost []string            // uuids of notebooks that nobody has open
	changed := map[string]bool{} // uuids that came to, or left, a file
	for _, path := range w.followRenamed(w.withLinks(files)) {
		d, known, hidden := w.registry.look(path)
		if !hidden && d != nil && (d.isAwaited() || d.diskChanged()) {
			continue
		}
		h, there := head{}, false
		if !hidden {
			h, there = w.readHead(path, known, prices)
		}
		if h.UUID != known.UUID || !there {
			changed[h.UUID], changed[known.UUID] = true, true
			w.dropGoneHolder(h.UUID)
		}
		w.registry.index(func(ix *index) {
			if there {
				ix.heads[path] = h
			} else if d == nil || !d.runs.Load() { // what runs is shown, so that it can be stopped
				delete(ix.heads, path)
				if d == nil {
					lost = append(lost, known.UUID)
				}
			}
		})
	}
	kept := w.keptFiles(changed)
	w.claimed(indexed(w.registry, func(ix *index) map[string]settings.Agent {
		defer ix.tellTree()
		return ix.claim(changed, kept)
	}))
	for uuid, parent := range w.registry.restored(changed) { // they count themselves again
		_ = w.with(parent, func(tx *Tx, _ *notebook.Document) error {
			tx.spending().restored(uuid)
			tx.changed(notebook.Change{Cells: []notebook.CellView{}}, "")
			return nil
		})
	}
	w.grants.Load(changed)
	w.grants.Forget(lost...)
	w.forks.tell()
}

// otherFilesChanged is told by the watcher that files which are no notebooks
// changed: a next request may hold something else now.
func (w *Workspace) otherFilesChanged() {
	w.completer.FilesChanged()
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
		if d := w.registry.runsAs(path, h.UUID); d != nil {
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
	if h.Process != nil {
		made.lastRun = *h.Process
	}
	if by := h.Process; h.Interrupted && by != nil && !by.IsSelf() && by.Lives() {
		made.Interrupted, made.Elsewhere, made.process = false, runningIn(*by), *by
	}
	return made
}

// setFailed notes how the last run of a notebook ended.
func (reg *registry) setFailed(path string, failed bool) {
	reg.index(func(ix *index) {
		if h := ix.heads[path]; h.File != "" && h.Failed != failed {
			h.Failed = failed
			ix.heads[path] = h
			ix.tellTree()
		}
	})
}

// diskChanged compares the file with what was read or written last: without
// local changes it is loaded again, with them the person is asked. The tree
// then shows the notebook as it is in memory; false: that has to be read from
// the file. The disk is looked at without the lock, so that nobody waits for it
// who types.
func (d *doc) diskChanged() bool {
	for {
		var before looked
		d.do(func(tx *Tx) {
			before = tx.looked()
			tx.saver.look = tx.saver.look || before.saving // what is being written may be replaced right then
		})
		if !before.open {
			return false
		}
		seen := version{}
		if !before.saving {
			seen = lookAt(before.file, before.stamp)
		}
		info, err := os.Stat(before.file)
		again, shown := false, false
		d.do(func(tx *Tx) {
			now := tx.looked()
			switch {
			case tx.closed:
			case now.file != before.file, !before.saving && (now.saving || now.stamp != before.stamp): // it was renamed, saved or loaded meanwhile
				again = true
			case tx.take(seen) && err == nil && tx.nb != nil:
				shown = tx.showFile(info)
			}
		})
		if !again {
			return shown
		}
	}
}

// looked is what a document is compared with the disk by.
type looked struct {
	file         string
	stamp        notebook.Stamp
	open, saving bool
}

func (tx *Tx) looked() looked {
	return looked{tx.file(), tx.stamp, tx.nb != nil || tx.problem != nil, tx.saver.saving}
}

// showFile has the tree show the notebook as it is in memory.
func (tx *Tx) showFile(info os.FileInfo) bool {
	// Under both locks: a run that ends meanwhile must not be told of as it was before.
	return indexed(tx.w.registry, func(ix *index) bool {
		known := ix.heads[tx.path()]
		if known.File == "" {
			return false
		}
		h := tx.head(known)
		if h.Problem = ""; tx.active == nil { // while an answer streams, every save would be news
			h.ModifiedMs, h.size = info.ModTime().UnixMilli(), info.Size()
		}
		ix.heads[tx.path()] = h
		return true
	})
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
// memory is not, or not any more, what it was.
func (tx *Tx) take(v version) bool {
	switch {
	case v.gone:
		tx.vanished()
		return false
	case !v.changed:
		return true
	case tx.saver.dirty || tx.active != nil:
		tx.conflicts(false)
		return true
	}
	if v.nb != nil || v.problem != nil {
		tx.show(v.nb, v.problem, v.stamp)
		tx.w.out.Emit(event.NotebookReloaded{Path: tx.path()})
		tx.timeline().tellPast()
	}
	return false
}

// vanished handles a file that is not there any more: a notebook nobody
// changed is let go; one with changes asks.
func (tx *Tx) vanished() {
	if tx.missed = true; tx.gone {
		return
	}
	tx.gone = true
	if tx.saver.dirty || tx.active != nil {
		tx.conflicts(true)
		return
	}
	queue := tx.queue
	tx.queue = nil
	for _, r := range queue { // nothing is left that they could run in
		tx.runs().ended(r, agent.Result{Outcome: agent.Stopped})
	}
	tx.close()
	tx.w.out.Emit(event.NotebookReloaded{Path: tx.path()})
}

// conflicts stops saving to the file until the person has chosen; until then
// the text is kept beside it.
func (tx *Tx) conflicts(gone bool) {
	if tx.conflict {
		return
	}
	tx.conflict, tx.gone = true, gone
	if tx.saver.dirty = true; tx.saver.exposed() { // the file has not even what was saved before
		tx.saver.schedule(tx, saveAfter)
	}
	tx.w.out.Emit(event.DiskConflict{Path: tx.path(), Gone: tx.gone})
}
