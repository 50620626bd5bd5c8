package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
	"mutsumi/backend/tool/builtin"
)

// lastBodies is how many cells at the end of a notebook come with it; the
// bodies of the others are fetched when they are shown.
const lastBodies = 12

// doc is one notebook in memory. Everything that happens to it, edits and
// running answers alike, happens under mu, and its events are emitted there,
// so that a state read under mu holds every event up to the outbox's number.
type doc struct {
	w  *Workspace
	at atomic.Pointer[place] // written under mu and w.mu, when the file is renamed

	mu       sync.Mutex
	closed   bool               // let go of: who finds it so asks the workspace for the notebook again
	shown    bool               // a person looked at it or edited it here: it stays until CloseNotebook
	nb       *notebook.Document // nil: not loaded, or problem says why it cannot be
	problem  *notebook.Problem
	stamp    notebook.Stamp
	conflict bool // the file on disk is another one than was read or written last
	gone     bool // the file is not there any more
	missed   bool // the folder was looked through for it since
	saver    saver
	active   *run
	runs     atomic.Bool // active is set; for those that may not take mu
	queue    []*run
	lane     timeline.Live   // what the agent does now
	typed    typedCalls      // the tool calls in prompts that the person typed here
	seen     *builtin.Seen   // what the agent has read
	consults sync.Mutex      // held while a budget is asked about for an agent that is asked
	total    cost.Total      // of the answers that are in the notebook
	tally    *notebook.Tally // the same without prices
	more     int             // how often the person let agents go on past its budget
	asks     chan struct{}   // holds one while an agent asks for more
}

// doc returns the notebook at path, loading it if it is not open.
func (w *Workspace) doc(path string) (*doc, error) {
	d, err := w.lock(path)
	if err != nil {
		return nil, err
	}
	d.mu.Unlock()
	return d, nil
}

// lock is doc with the document's lock held.
func (w *Workspace) lock(path string) (*doc, error) {
	file, err := w.resolve(path)
	if err != nil {
		return nil, err
	}
	if err := knownName(path, file); err != nil {
		return nil, err
	}
	path, file = w.mainName(path, file)
	path, file = w.nameNow(path, file)
	for {
		w.mu.Lock()
		d := w.docs[path]
		if d == nil {
			d = &doc{w: w, typed: newTypedCalls(), seen: builtin.NewSeen(), asks: make(chan struct{}, 1)}
			d.at.Store(&place{path, file})
			w.docs[path] = d
		}
		w.mu.Unlock()
		d.mu.Lock()
		switch {
		case d.closed: // between the two locks
			d.mu.Unlock()
			continue
		case d.nb != nil || d.problem != nil:
			return d, nil
		}
		if err := d.load(); err != nil {
			d.close()
			d.mu.Unlock()
			return nil, err
		}
		return d, nil
	}
}

// resolve checks a path that came from the interface: a notebook inside the
// folder, links included.
func (w *Workspace) resolve(path string) (string, error) {
	if w.outside != "" && path == w.PathOf(w.outside) {
		return w.outside, nil
	}
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) || !isNotebook(path) {
		return "", fault.New(fault.Denied, "%q is not a notebook of this folder", path)
	}
	file := filepath.Join(w.folder, local)
	if !w.staysInside(file) {
		return "", fault.New(fault.Denied, "%s is, or is behind, a link that leads out of the folder", path)
	}
	return file, nil
}

// staysInside reports whether a path leads, links followed, to a place in the
// folder, whether there is something or not.
func (w *Workspace) staysInside(file string) bool {
	own, err := files.New(w.folder, []string{wholeFolder})
	return err == nil && own.Allowed(file)
}

// load reads the file. A file that is no notebook is no error: problem says
// what is wrong with it.
func (d *doc) load() error {
	nb, problem, stamp, err := readVersion(d.file())
	if err != nil {
		return err
	}
	d.show(nb, problem, stamp)
	return nil
}

// show puts what was read in the place of what is in memory. Under d.mu.
func (d *doc) show(nb *notebook.Document, problem *notebook.Problem, stamp notebook.Stamp) {
	d.nb, d.problem, d.stamp = nb, problem, stamp
	if nb != nil {
		d.typed = newTypedCalls() // whoever wrote the file typed nothing here
		d.addUp()
		d.w.headOpened(d)
		d.w.loadGrantsOf(d.path(), nb.UUID())
	}
	d.conflict, d.gone, d.missed = false, false, false
}

// readable returns the document, or the reason why it cannot be worked on.
func (d *doc) readable() (*notebook.Document, error) {
	if d.nb == nil {
		return nil, fault.New(fault.Invalid, "%s is not a notebook: %s", d.path(), d.problem.Message)
	}
	return d.nb, nil
}

// with calls f with the notebook at path under its lock.
func (w *Workspace) with(path string, f func(*doc, *notebook.Document) error) error {
	d, err := w.lock(path)
	if err != nil {
		return err
	}
	defer d.mu.Unlock()
	nb, err := d.readable()
	if err != nil {
		return err
	}
	return f(d, nb)
}

// close lets go of the document: the next who wants the notebook loads it.
// Under d.mu.
func (d *doc) close() {
	d.closed = true
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	if d.w.docs[d.path()] == d {
		delete(d.w.docs, d.path())
	}
}

func (w *Workspace) openDocs() []*doc {
	w.mu.Lock()
	defer w.mu.Unlock()
	docs := make([]*doc, 0, len(w.docs))
	for _, d := range w.docs {
		docs = append(docs, d)
	}
	return docs
}

// Notebook gives a notebook as the interface loads it (GET /api/notebook).
func (w *Workspace) Notebook(path string) (notebook.View, error) {
	d, err := w.lock(path)
	if err != nil {
		return notebook.View{}, err
	}
	defer d.mu.Unlock()
	d.shown = true
	if d.problem != nil {
		return notebook.View{
			Seq: w.out.Seq(), Path: path, Problem: d.problem, Cells: []notebook.CellView{}, Running: []notebook.RunView{},
			Meta:  notebook.MetaView{Name: strings.TrimSuffix(filepath.Base(path), ".mtm"), Allowed: []string{}},
			State: notebook.DocState{Branches: []notebook.BranchView{}},
		}, nil
	}
	v := d.nb.View(w.out.Seq(), lastBodies)
	v.Path, v.Conflict, v.State = d.path(), d.conflict, d.state()
	d.fillIn(v.Cells)
	v.Running = []notebook.RunView{}
	if d.active != nil {
		v.Running = append(v.Running, d.active.view())
	}
	for _, r := range d.queue {
		v.Running = append(v.Running, r.view())
	}
	return v, nil
}

// Cells gives bodies of cells, with the number of the last event in them.
// Cells that are not there any more are left out.
func (w *Workspace) Cells(path string, ids []string) (seq uint64, cells []notebook.CellView, err error) {
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		d.shown = true
		seq, cells = w.out.Seq(), d.fillIn(nb.Cells(ids))
		return nil
	})
	return seq, cells, err
}

// Message gives one message of a cell's answer with its whole text.
func (w *Workspace) Message(path, cell string, index int) (m notebook.MessageView, err error) {
	err = w.with(path, func(_ *doc, nb *notebook.Document) error {
		m, err = nb.Message(cell, index)
		return err
	})
	return m, err
}

// RawText gives the text of a file that is no notebook, for the recovery view.
func (w *Workspace) RawText(path string) ([]byte, error) {
	file, err := w.resolve(path)
	if err != nil {
		return nil, err
	}
	b, _, err := notebook.ReadText(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

// SaveRepairedCopy writes what can be read of a damaged file to a new
// notebook beside it and returns that one's path. The damaged file stays.
func (w *Workspace) SaveRepairedCopy(path string) (string, error) {
	file, err := w.resolve(path)
	if err != nil {
		return "", err
	}
	made, _, err := notebook.SaveRepaired(file, time.Now())
	if err != nil {
		return "", err
	}
	return w.PathOf(made), nil
}

// PathOf names a file as the interface does: relative to the folder, with slashes.
func (w *Workspace) PathOf(file string) string {
	rel, err := filepath.Rel(w.folder, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// CloseNotebook lets go of a notebook that no window shows any more, unless
// something runs in it or is still to be saved.
func (w *Workspace) CloseNotebook(path string) error {
	w.mu.Lock()
	d := w.docs[path]
	w.mu.Unlock()
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.idle() {
		d.close()
	}
	return nil
}

// idle reports whether nothing would be lost if the notebook were loaded
// again. Under d.mu.
func (d *doc) idle() bool {
	return d.active == nil && len(d.queue) == 0 && !d.conflict && !d.saver.busy()
}

// letGoUnseen lets go of a notebook that no person looked at when its agent is
// done: of many children that ran nobody needs the text in memory. Under d.mu.
func (d *doc) letGoUnseen() {
	if d.shown || d.more > 0 || !d.idle() || !d.consults.TryLock() {
		return // d.more: what the person allowed would be asked again
	}
	defer d.consults.Unlock()
	d.close()
}

// Edit applies a person's edits in order, all or none.
func (w *Workspace) Edit(path string, edits []notebook.Edit, origin string) (r EditResult, err error) {
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		d.shown = true
		before := promptsOf(nb, edits)
		c, err := nb.Apply(edits)
		if err != nil {
			return err
		}
		d.identify()
		d.noteTyped(edits, before, c.NewID)
		again, anew := false, false
		for _, e := range edits {
			if e.Kind != notebook.EditSetText {
				again = true
			}
			anew = anew || slices.Contains(editsOfThePast, e.Kind)
		}
		if again {
			d.addUpAnew()
		}
		if anew {
			d.tellPast()
		}
		d.unqueueDeleted()
		r = EditResult{Seq: d.changed(c, origin), Rev: nb.Rev(), ID: c.NewID}
		return nil
	})
	return r, err
}

// Undo takes the last step back.
func (w *Workspace) Undo(path string) (EditResult, error) {
	return w.change(path, "", (*notebook.Document).Undo)
}

// Redo brings back the step that was undone last.
func (w *Workspace) Redo(path string) (EditResult, error) {
	return w.change(path, "", (*notebook.Document).Redo)
}

// change carries out what f does to a notebook, and tells of it.
func (w *Workspace) change(path, origin string, f func(*notebook.Document) (notebook.Change, error)) (r EditResult, err error) {
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		c, err := f(nb)
		if err != nil {
			return err
		}
		d.identify()
		d.addUpAnew()
		d.tellPast()
		d.unqueueDeleted()
		r = EditResult{Seq: d.changed(c, origin), Rev: nb.Rev(), ID: c.NewID}
		return nil
	})
	return r, err
}

// changed tells of a change, has it saved soon, and returns the event's number.
func (d *doc) changed(c notebook.Change, origin string) uint64 {
	d.saver.soon(d)
	seq := d.w.out.Emit(event.CellsSpliced{
		Path: d.path(), Rev: d.nb.Rev(), Origin: origin, At: c.At, Remove: c.Remove, Cells: d.fillIn(c.Cells),
		State: d.state(), Meta: d.nb.Meta(),
	})
	d.w.headChanged(d)
	return seq
}

func (d *doc) state() notebook.DocState {
	s := d.nb.State()
	s.Dirty, s.Spent = d.saver.busy(), d.spent()
	return s
}

// nowMs is the time in events: Unix milliseconds.
func nowMs() int64 { return time.Now().UnixMilli() }
