package documents

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// The file of an open notebook may be renamed, inside the folder. The document
// follows, with what runs in it, waits for its turn and is not saved yet.

// Place is where the file of a notebook is.
type Place struct {
	Path string // relative, with slashes
	File string // absolute
}

// likeness is the evidence that an added file is a removed notebook. Higher
// values are surer.
type likeness int

const (
	unlike     likeness = iota
	sameUUID            // written by another program in the meantime
	sameText            // and the same uuid
	sameNumber          // the very file
)

// renaming is a notebook whose file seems to have been renamed.
type renaming struct {
	d    *Live
	path string
	head Summary
	like likeness
	copy bool // the file was there before: it only makes others ambiguous
}

// followRenamed lets open notebooks follow their files among the files, sorted, that were added or
// removed. It returns those to check now: files that may be a notebook which is being saved are
// left to the save. Must not be called in a Tx.
func (reg *Registry) followRenamed(files []string) []string {
	added := map[string]bool{}
	for _, path := range files {
		if d, _, hidden := reg.Lookup(path); d == nil && !hidden {
			added[path] = true
		}
	}
	if len(added) == 0 {
		return files
	}
	var gone []*Live
	for _, d := range reg.OpenDocs() {
		if isGone(d.File()) {
			gone = append(gone, d)
		}
	}
	if slices.ContainsFunc(gone, func(d *Live) bool { return d.checkAfterSave(added) }) {
		return slices.DeleteFunc(files, func(path string) bool { return added[path] })
	}
	later := map[string]bool{}
	for _, r := range reg.renamings(gone, files) {
		later[r.path] = r.d.follow(r)
	}
	return slices.DeleteFunc(files, func(path string) bool { return later[path] })
}

// checkAfterSave leaves files to be checked after the save of the notebook that is in progress;
// false: none is. Until then its stamp may be of the version before, and the number of that file
// may have been given to one of several copies. Must not be called in a Tx.
func (d *Live) checkAfterSave(files map[string]bool) bool {
	return locked(d, func(tx *Tx) bool {
		if tx.saver.saving {
			tx.saver.look = true
			tx.saver.renamed = slices.AppendSeq(tx.saver.renamed, maps.Keys(files))
		}
		return tx.saver.saving
	})
}

// renamings finds the removed notebooks that files are. A copy is not one, and ambiguous matches
// are ignored: also if another call has just recorded one of several files that came together.
func (reg *Registry) renamings(gone []*Live, files []string) (sure []renaming) {
	if len(gone) == 0 {
		return nil
	}
	var all []renaming
	prices := reg.prices()
	last := make([]lastSeen, len(gone)) // read once: a save may end between two files
	for i, d := range gone {
		last[i] = d.lastSeen()
	}
	for _, path := range files {
		d, known, hidden := reg.Lookup(path)
		if d != nil || hidden {
			continue
		}
		h, there := reg.readSummary(path, Summary{}, prices)
		if !there {
			continue
		}
		copied := known.File != "" && known.UUID == h.UUID
		for i, d := range gone {
			if like := d.likeness(last[i], path, h); like != unlike {
				all = append(all, renaming{d, path, h, like, copied})
			}
		}
	}
	for like := sameNumber; like > unlike; like-- {
		for _, r := range all {
			rivals := 0
			for _, o := range all {
				if o.like == like && (o.d == r.d || o.path == r.path) {
					rivals++
				}
			}
			taken := func(o renaming) bool { return o.d == r.d || o.path == r.path }
			if r.like == like && rivals == 1 && !r.copy && !slices.ContainsFunc(sure, taken) {
				sure = append(sure, r)
			}
		}
	}
	return sure
}

// lastSeen is a notebook's uuid and its file as last read or written.
type lastSeen struct {
	uuid  string
	stamp notebook.Stamp
}

// lastSeen must not be called in a Tx.
func (d *Live) lastSeen() lastSeen {
	return locked(d, func(tx *Tx) lastSeen {
		if tx.nb == nil || tx.closed {
			return lastSeen{"", tx.stamp}
		}
		return lastSeen{tx.nb.UUID(), tx.stamp}
	})
}

// likeness returns the evidence that a file is the notebook's, which was last seen as given. Must
// not be called in a Tx.
func (d *Live) likeness(last lastSeen, path string, h Summary) likeness {
	file, err := d.reg.Resolve(path)
	if err != nil {
		return unlike
	}
	if last.uuid == "" && h.UUID != "" {
		return unlike
	}
	changed, err := notebook.Changed(file, last.stamp)
	same, text := last.stamp.IsFile(file), err == nil && !changed
	switch {
	case h.UUID != last.uuid && !(same && text): // a number may be given to another file
		return unlike
	case same:
		return sameNumber
	case text:
		return sameText
	case d.reg.quiet && !h.lastRun.IsSelf(): // it may be a copy that was there all along
		return unlike
	}
	return sameUUID
}

// follow makes the file the notebook's own, and reports whether the caller has to check again later
// because the notebook is being saved. Whether the file holds the last version read or written is
// checked afterwards. Must not be called in a Tx.
func (d *Live) follow(r renaming) (later bool) {
	file, err := d.reg.Resolve(r.path)
	if err != nil {
		return false
	}
	for {
		from := ""
		d.Do(func(tx *Tx) {
			from, later = tx.Path(), tx.saver.saving
			if later {
				tx.saver.look = true
				tx.saver.renamed = append(tx.saver.renamed, r.path)
			}
		})
		if later || !isGone(d.File()) {
			return later
		}
		kept, owns := d.reg.keptFiles(map[string]bool{r.head.UUID: true}), d.reg.Identity(from, r.head.UUID) != ""
		again := false
		var moved map[string]settings.Agent
		d.Do(func(tx *Tx) {
			if again = tx.saver.saving || tx.Path() != from; again { // in the meantime
				return
			}
			if tx.nb != nil && !tx.closed && (!tx.conflict || tx.gone) {
				if owns {
					d.reg.setHolder(r.head.UUID, from)
				}
				moved = tx.move(Place{r.path, file}, r.head, kept)
			}
		})
		if again {
			continue
		}
		d.reg.rebindMoved(moved)
		d.reg.host.Renamed(from, d.Path())
		return false
	}
}

// renameWindow is how long a file that went may take to come under another name,
// before it is held for deleted.
const renameWindow = time.Second

// mayBeRenamed reports whether the notebook's file went only now. Then it is
// checked again a little later. Not in a Tx.
func (d *Live) mayBeRenamed() bool {
	gone := isGone(d.File())
	return locked(d, func(tx *Tx) bool {
		switch {
		case !gone:
			tx.went = time.Time{}
			return false
		case tx.nb == nil, tx.closed, tx.gone, d.reg.quiet, d.reg.ctx.Err() != nil:
			return false
		case tx.went.IsZero():
			tx.went = time.Now()
			d.reg.saves.Go(func() {
				select {
				case <-time.After(renameWindow):
					d.findUnreported()
					d.reg.FilesChanged(map[string]bool{d.Path(): true})
				case <-d.reg.ctx.Done():
				}
			})
		}
		return time.Since(tx.went) < renameWindow
	})
}

// findUnreported looks for the notebook's file among those that are not reported as added yet, since
// a report may be late. Must not be called in a Tx.
func (d *Live) findUnreported() {
	if !isGone(d.File()) {
		return
	}
	reg, uuid, files := d.reg, d.UUID(), map[string]bool{}
	for _, file := range reg.notebookFiles() {
		path := reg.PathOf(file)
		if _, known, _ := reg.Lookup(path); known.File == "" || known.UUID == uuid {
			files[path] = true
		}
	}
	reg.followRenamed(slices.Sorted(maps.Keys(files)))
}

// dropGoneHolder forgets a notebook that is not open and whose file was removed, if another file
// has its uuid: that file is not a copy.
func (reg *Registry) dropGoneHolder(uuid string) {
	path := reg.Holder(uuid)
	if file, err := reg.Resolve(path); uuid == "" || reg.Opened(path) != nil || err != nil || !isGone(file) {
		return
	}
	reg.index(func(ix *index) {
		if ix.docs[path] == nil {
			delete(ix.summaries, path)
		}
	})
}

// setHolder records the holder of a uuid if the folder is not scanned.
func (reg *Registry) setHolder(uuid, path string) {
	reg.index(func(ix *index) {
		if _, known := ix.holders[uuid]; !known {
			ix.holders[uuid] = path
		}
	})
}

// searchInterval is how long the folder is not looked through again for a file.
const searchInterval = 2 * time.Second

// findRenamed looks for the notebook's renamed file in a folder that is not watched. Must not be
// called in a Tx.
func (d *Live) findRenamed() {
	reg := d.reg
	if !reg.quiet || !isGone(d.File()) {
		return
	}
	var again bool
	var known notebook.Stamp
	d.Do(func(tx *Tx) {
		again = tx.nb != nil && !tx.saver.saving && (time.Since(tx.saver.sought) > searchInterval || reg.ctx.Err() != nil)
		if again {
			tx.saver.sought = time.Now()
		}
		known = tx.stamp
	})
	if !again {
		return
	}
	files := reg.notebookFiles()
	paths := make([]string, 0, len(files))
	for _, file := range files {
		if known.IsFile(file) {
			paths = []string{reg.PathOf(file)}
			break
		}
		paths = append(paths, reg.PathOf(file))
	}
	for _, r := range reg.renamings([]*Live{d}, paths) {
		r.d.follow(r)
	}
}

// move gives the notebook another place and announces it. It returns the result of claim.
func (tx *Tx) move(to Place, h Summary, kept map[string]string) (moved map[string]settings.Agent) {
	reg, from, done := tx.reg, tx.Path(), false
	reg.index(func(ix *index) {
		if ix.docs[from] != tx.doc || ix.docs[to.Path] != nil {
			return
		}
		done = true
		if tx.doc.at.Load().File == reg.Outside() {
			reg.named.Store(&to.File)
		}
		tx.doc.at.Store(&to)
		delete(ix.docs, from)
		ix.docs[to.Path] = tx.doc
		known := ix.summaries[from]
		known.ModifiedMs, known.size = h.ModifiedMs, h.size
		ix.summaries[to.Path], ix.live[to.Path] = tx.summary(known), ix.live[from]
		delete(ix.summaries, from)
		delete(ix.live, from)
		for before, now := range ix.renamed {
			if now == from {
				ix.renamed[before] = to.Path
			}
		}
		ix.renamed[from] = to.Path
		delete(ix.renamed, to.Path)
		moved = ix.assignUUIDs(map[string]bool{h.UUID: true}, kept)
		reg.windows.move(from, to.Path)
		reg.out.Emit(event.NotebookMoved{From: from, To: to.Path})
		ix.publishTree()
	})
	if !done {
		return nil
	}
	tx.conflict, tx.gone, tx.missed, tx.went = false, false, false, time.Time{}
	if tx.doc.work.Renamed(tx); tx.saver.dirty {
		tx.saver.schedule(tx, time.Millisecond) // the copy next to the old name is not needed then
	}
	tx.PublishPast()
	return moved
}

// NameNow gives the path of the notebook that was opened as path.
func (c *Calls) NameNow(path string) string {
	return indexed(c.reg, func(ix *index) string { return cmp.Or(ix.renamed[path], path) })
}

// nameNow returns the current place of a notebook that was renamed while open, for callers that
// know its previous path; any other place is returned unchanged.
func (reg *Registry) nameNow(path, file string) (string, string) {
	d := indexed(reg, func(ix *index) *Live { return ix.docs[ix.renamed[path]] })
	if d == nil || !isGone(file) {
		return path, file
	}
	at := d.at.Load()
	return at.Path, at.File
}
