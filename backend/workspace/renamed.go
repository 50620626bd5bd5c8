package workspace

import (
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

// lacksFile reports whether it is known that the file is not there.
func (d *doc) lacksFile() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gone
}

// followRenamed has open notebooks follow their files, among those that came or
// went, which have an order. Given back are those to be looked at now: one that
// may be a notebook which is being saved is left to whoever saves. Under no lock.
func (w *Workspace) followRenamed(files []string) []string {
	var gone []*doc
	for _, d := range w.openDocs() {
		if _, told := slices.BinarySearch(files, d.path()); (told || d.lacksFile()) && isGone(d.file()) {
			gone = append(gone, d)
		}
	}
	if len(gone) == 0 {
		return files
	}
	prices := w.prices()
	return slices.DeleteFunc(files, func(path string) bool {
		w.mu.Lock()
		isNew := w.docs[path] == nil && w.heads[path].File == "" && !w.hidden[path]
		w.mu.Unlock()
		if !isNew {
			return false
		}
		h, there := w.readHead(path, head{}, prices)
		return there && h.UUID != "" && slices.ContainsFunc(gone, func(d *doc) bool {
			return d.uuid() == h.UUID && d.follow(path, h)
		})
	})
}

// follow makes path the notebook's own when the file there is the one that was
// read or written last, and reports whether that is to be looked at later: the
// notebook is being saved. Under no lock.
func (d *doc) follow(path string, h head) (later bool) {
	file, err := d.w.resolve(path)
	if err != nil {
		return false
	}
	for {
		d.mu.Lock()
		known, from := d.stamp, d.path()
		if d.saver.saving {
			d.saver.look = true
			d.saver.renamed = append(d.saver.renamed, path)
			d.mu.Unlock()
			return true
		}
		d.mu.Unlock()
		changed, err := notebook.Changed(file, known)
		if err != nil || changed || !isGone(d.file()) {
			return false
		}
		kept := d.w.keptFiles(map[string]bool{h.UUID: true})
		d.mu.Lock()
		if d.saver.saving || d.stamp != known || d.path() != from { // meanwhile
			d.mu.Unlock()
			continue
		}
		var moved map[string]settings.Agent
		if d.nb != nil && !d.closed && (!d.conflict || d.gone) && d.nb.UUID() == h.UUID {
			moved = d.move(place{path, file}, h, kept)
		}
		d.mu.Unlock()
		d.w.claimed(moved)
		d.w.inbox.Move(from, d.path())
		return false
	}
}

// move gives the notebook another place, and tells of it. Given back is what
// claim found. Under d.mu.
func (d *doc) move(to place, h head, kept map[string]string) (moved map[string]settings.Agent) {
	w, from := d.w, d.path()
	w.mu.Lock()
	if w.docs[from] != d || w.docs[to.path] != nil {
		w.mu.Unlock()
		return nil
	}
	d.at.Store(&to)
	delete(w.docs, from)
	w.docs[to.path] = d
	known := w.heads[from]
	known.ModifiedMs, known.size = h.ModifiedMs, h.size
	w.heads[to.path], w.live[to.path] = d.head(known), w.live[from]
	delete(w.heads, from)
	delete(w.live, from)
	for before, now := range w.renamed {
		if now == from {
			w.renamed[before] = to.path
		}
	}
	w.renamed[from] = to.path
	delete(w.renamed, to.path)
	moved = w.claim(map[string]bool{h.UUID: true}, kept)
	w.out.Emit(event.NotebookMoved{From: from, To: to.path})
	w.tellTree()
	w.mu.Unlock()
	d.conflict, d.gone, d.missed = false, false, false
	if d.nameLane(); d.saver.dirty {
		d.saver.schedule(d, time.Millisecond) // what is kept beside the old name is not needed then
	}
	d.tellPast()
	return moved
}

// nameNow gives the place of a notebook that was renamed while it is open, for
// who knows its path of before; any other place is as it was.
func (w *Workspace) nameNow(path, file string) (string, string) {
	w.mu.Lock()
	now, renamed := w.renamed[path]
	d := w.docs[now]
	w.mu.Unlock()
	if !renamed || d == nil || !isGone(file) {
		return path, file
	}
	at := d.at.Load()
	return at.path, at.file
}
