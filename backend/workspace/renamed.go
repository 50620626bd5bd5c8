package workspace

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// The file of an open notebook may be renamed, inside the folder. The document
// follows, with what runs in it, waits for its turn and is not saved yet.

// place is where the file of a notebook is.
type place struct {
	path string // relative, with slashes
	file string // absolute
}

func (d *doc) path() string { return d.at.Load().path }
func (d *doc) file() string { return d.at.Load().file }

// A file that came is taken for one that is gone by what is known of it, the
// surest first.
type likeness int

const (
	unlike     likeness = iota
	sameUUID            // written by somebody else meanwhile
	sameText            // and the same uuid
	sameNumber          // the very file
)

// renaming is a notebook whose file seems to have another name.
type renaming struct {
	d    *doc
	path string
	head head
	like likeness
}

// followRenamed has open notebooks follow their files, among those that came or
// went, which have an order. Given back are those to be looked at now: one that
// may be a notebook which is being saved is left to whoever saves. Not in a Tx.
func (w *Workspace) followRenamed(files []string) []string {
	mayBe := func(path string) bool {
		d, _, hidden := w.registry.look(path)
		return d == nil && !hidden
	}
	if !slices.ContainsFunc(files, mayBe) {
		return files
	}
	var gone []*doc
	for _, d := range w.registry.openDocs() {
		if isGone(d.file()) {
			gone = append(gone, d)
		}
	}
	later := map[string]bool{}
	for _, r := range w.renamings(gone, files) {
		later[r.path] = r.d.follow(r)
	}
	return slices.DeleteFunc(files, func(path string) bool { return later[path] })
}

// renamings finds the notebooks, of those that are gone, which files are. A
// copy is none, and where several could be meant nothing is taken for granted.
func (w *Workspace) renamings(gone []*doc, files []string) (sure []renaming) {
	if len(gone) == 0 {
		return nil
	}
	var all []renaming
	prices := w.prices()
	for _, path := range files {
		d, known, hidden := w.registry.look(path)
		if d != nil || hidden {
			continue
		}
		h, there := w.readHead(path, head{}, prices)
		if !there || known.File != "" && known.UUID == h.UUID {
			continue
		}
		for _, d := range gone {
			if like := d.likeness(path, h); like != unlike {
				all = append(all, renaming{d, path, h, like})
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
			if r.like == like && rivals == 1 && !slices.ContainsFunc(sure, taken) {
				sure = append(sure, r)
			}
		}
	}
	return sure
}

// likeness says what speaks for it that a file is the notebook's. Not in a Tx.
func (d *doc) likeness(path string, h head) likeness {
	file, err := d.w.resolve(path)
	if err != nil {
		return unlike
	}
	uuid := ""
	known := locked(d, func(tx *Tx) notebook.Stamp {
		if tx.nb != nil && !tx.closed {
			uuid = tx.nb.UUID()
		}
		return tx.stamp
	})
	if uuid == "" && h.UUID != "" {
		return unlike
	}
	changed, err := notebook.Changed(file, known)
	same, text := known.IsFile(file), err == nil && !changed
	switch {
	case h.UUID != uuid && !(same && text): // a number may be given to another file
		return unlike
	case same:
		return sameNumber
	case text:
		return sameText
	case d.w.quiet && !h.lastRun.IsSelf(): // it may be a copy that was there all along
		return unlike
	}
	return sameUUID
}

// follow makes the file the notebook's own, and reports whether that is to be
// looked at later: the notebook is being saved. Whether the file holds what was
// read or written last is looked at behind that. Not in a Tx.
func (d *doc) follow(r renaming) (later bool) {
	file, err := d.w.resolve(r.path)
	if err != nil {
		return false
	}
	for {
		from := ""
		d.do(func(tx *Tx) {
			from, later = tx.path(), tx.saver.saving
			if later {
				tx.saver.look = true
				tx.saver.renamed = append(tx.saver.renamed, r.path)
			}
		})
		if later || !isGone(d.file()) {
			return later
		}
		kept, owns := d.w.keptFiles(map[string]bool{r.head.UUID: true}), d.w.identity(from, r.head.UUID) != ""
		again := false
		var moved map[string]settings.Agent
		d.do(func(tx *Tx) {
			if again = tx.saver.saving || tx.path() != from; again { // meanwhile
				return
			}
			if tx.nb != nil && !tx.closed && (!tx.conflict || tx.gone) {
				if owns {
					d.w.registry.hold(r.head.UUID, from)
				}
				moved = tx.move(place{r.path, file}, r.head, kept)
			}
		})
		if again {
			continue
		}
		d.w.claimed(moved)
		d.w.inbox.Move(from, d.path())
		return false
	}
}

// awaitName is how long a file that went may take to come under another name,
// before it is held for deleted.
const awaitName = 250 * time.Millisecond

// isAwaited reports whether the notebook's file went only now. Then it is
// looked at again a little later. Not in a Tx.
func (d *doc) isAwaited() bool {
	gone := isGone(d.file())
	return locked(d, func(tx *Tx) bool {
		switch {
		case !gone:
			tx.went = time.Time{}
			return false
		case tx.nb == nil, tx.closed, tx.gone, d.w.quiet, d.w.ctx.Err() != nil:
			return false
		case tx.went.IsZero():
			tx.went = time.Now()
			d.w.saves.Go(func() {
				select {
				case <-time.After(awaitName):
					d.w.filesChanged(map[string]bool{d.path(): true})
				case <-d.w.ctx.Done():
				}
			})
		}
		return time.Since(tx.went) < awaitName
	})
}

// dropGoneHolder forgets a notebook that nobody has open and whose file went,
// when another file has its uuid: that is no copy of it.
func (w *Workspace) dropGoneHolder(uuid string) {
	path := w.registry.holder(uuid)
	if file, err := w.resolve(path); uuid == "" || w.registry.opened(path) != nil || err != nil || !isGone(file) {
		return
	}
	w.registry.index(func(ix *index) {
		if ix.docs[path] == nil {
			delete(ix.heads, path)
		}
	})
}

// hold notes whose a uuid is where nobody looked through the folder.
func (reg *registry) hold(uuid, path string) {
	reg.index(func(ix *index) {
		if _, known := ix.holders[uuid]; !known {
			ix.holders[uuid] = path
		}
	})
}

// seekAfter is how long the folder is not looked through again for a file.
const seekAfter = 2 * time.Second

// seek looks for the notebook's file under another name in a folder that is not
// followed. Not in a Tx.
func (d *doc) seek() {
	w := d.w
	if !w.quiet || !isGone(d.file()) {
		return
	}
	var again bool
	var known notebook.Stamp
	d.do(func(tx *Tx) {
		again = tx.nb != nil && (time.Since(tx.saver.sought) > seekAfter || w.ctx.Err() != nil)
		if again {
			tx.saver.sought = time.Now()
		}
		known = tx.stamp
	})
	if !again {
		return
	}
	files := w.notebookFiles()
	paths := make([]string, 0, len(files))
	for _, file := range files {
		if known.IsFile(file) {
			paths = []string{w.PathOf(file)}
			break
		}
		paths = append(paths, w.PathOf(file))
	}
	for _, r := range w.renamings([]*doc{d}, paths) {
		r.d.follow(r)
	}
}

// notebookFiles lists the notebooks of the folder, and those beside one that
// was named on the command line.
func (w *Workspace) notebookFiles() []string {
	found := w.notebooksInside()
	if outside := w.outside(); outside != "" { // its family lies beside it
		entries, _ := os.ReadDir(filepath.Dir(outside))
		for _, e := range entries {
			if file := filepath.Join(filepath.Dir(outside), e.Name()); isNotebook(e.Name()) && !slices.Contains(found, file) {
				found = append(found, file)
			}
		}
	}
	return found
}

func (w *Workspace) notebooksInside() (found []string) {
	filepath.WalkDir(w.folder, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not known
		case e.IsDir() && file != w.folder && skipsFolder(e.Name()):
			return filepath.SkipDir
		case !e.IsDir() && isNotebook(w.PathOf(file)):
			found = append(found, file)
		}
		return nil
	})
	return found
}

// outside is the notebook that was named on the command line, wherever it is.
func (w *Workspace) outside() string { return *w.named.Load() }

// move gives the notebook another place, and tells of it. Given back is what
// claim found.
func (tx *Tx) move(to place, h head, kept map[string]string) (moved map[string]settings.Agent) {
	w, from, done := tx.w, tx.path(), false
	w.registry.index(func(ix *index) {
		if ix.docs[from] != tx.doc || ix.docs[to.path] != nil {
			return
		}
		done = true
		if tx.doc.at.Load().file == w.outside() {
			w.named.Store(&to.file)
		}
		tx.doc.at.Store(&to)
		delete(ix.docs, from)
		ix.docs[to.path] = tx.doc
		known := ix.heads[from]
		known.ModifiedMs, known.size = h.ModifiedMs, h.size
		ix.heads[to.path], ix.live[to.path] = tx.head(known), ix.live[from]
		delete(ix.heads, from)
		delete(ix.live, from)
		for before, now := range ix.renamed {
			if now == from {
				ix.renamed[before] = to.path
			}
		}
		ix.renamed[from] = to.path
		delete(ix.renamed, to.path)
		moved = ix.claim(map[string]bool{h.UUID: true}, kept)
		w.out.Emit(event.NotebookMoved{From: from, To: to.path})
		ix.tellTree()
	})
	if !done {
		return nil
	}
	tx.conflict, tx.gone, tx.missed, tx.went = false, false, false, time.Time{}
	if tx.timeline().nameLane(); tx.saver.dirty {
		tx.saver.schedule(tx, time.Millisecond) // what is kept beside the old name is not needed then
	}
	tx.timeline().tellPast()
	return moved
}

// NameNow gives the path of the notebook that was opened as path.
func (w *Workspace) NameNow(path string) string {
	return indexed(w.registry, func(ix *index) string { return cmp.Or(ix.renamed[path], path) })
}

// nameNow gives the place of a notebook that was renamed while it is open, for
// who knows its path of before; any other place is as it was.
func (reg *registry) nameNow(path, file string) (string, string) {
	d := indexed(reg, func(ix *index) *doc { return ix.docs[ix.renamed[path]] })
	if d == nil || !isGone(file) {
		return path, file
	}
	at := d.at.Load()
	return at.path, at.file
}
