package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// lastBodies is how many cells at the end of a notebook come with it; the
// bodies of the others are fetched when they are shown.
const lastBodies = 12

// resolve checks a path that came from the interface: a notebook inside the
// folder, links included.
func (w *Workspace) resolve(path string) (string, error) {
	if w.outside() != "" && path == w.PathOf(w.outside()) {
		return w.outside(), nil
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
	own, err := files.New(w.folder, []string{access.WholeFolder})
	return err == nil && own.Allowed(file)
}

// load reads the file. A file that is no notebook is no error: problem says
// what is wrong with it.
func (tx *Tx) load() error {
	nb, problem, stamp, err := readVersion(tx.file())
	if err != nil {
		return err
	}
	tx.show(nb, problem, stamp)
	return nil
}

// show puts what was read in the place of what is in memory.
func (tx *Tx) show(nb *notebook.Document, problem *notebook.Problem, stamp notebook.Stamp) {
	tx.nb, tx.problem, tx.stamp = nb, problem, stamp
	if nb != nil {
		tx.taken = nil
		tx.typed = newTypedCalls() // whoever wrote the file typed nothing here
		tx.spending().addUp()
		tx.w.headOpened(tx)
		if uuid := tx.w.identity(tx.path(), nb.UUID()); uuid != "" {
			tx.w.grants.LoadFor(settings.Agent{File: tx.path(), UUID: uuid})
		}
	}
	tx.conflict, tx.gone, tx.missed, tx.went = false, false, false, time.Time{}
}

// readable returns the document, or the reason why it cannot be worked on.
func (tx *Tx) readable() (*notebook.Document, error) {
	if tx.nb == nil {
		return nil, fault.New(fault.Invalid, "%s is not a notebook: %s", tx.path(), tx.problem.Message)
	}
	return tx.nb, nil
}

// close lets go of the document: the next who wants the notebook loads it.
func (tx *Tx) close() {
	tx.closed = true
	tx.w.registry.letGo(tx.doc)
}

// Notebook gives a notebook as the interface loads it (GET /api/notebook).
func (w *Workspace) Notebook(path string) (v notebook.View, err error) {
	err = w.open(path, func(tx *Tx) error {
		tx.shown = true
		v = tx.view(path)
		return nil
	})
	return v, err
}

// view is the notebook as the interface loads it; path is what it asked for.
func (tx *Tx) view(path string) notebook.View {
	if tx.problem != nil {
		return notebook.View{
			Seq: tx.w.out.Seq(), Path: path, Problem: tx.problem, Cells: []notebook.CellView{}, Running: []notebook.RunView{},
			Meta:  notebook.MetaView{Name: strings.TrimSuffix(filepath.Base(path), ".mtm"), Allowed: []string{}},
			State: notebook.DocState{Branches: []notebook.BranchView{}},
		}
	}
	v := tx.nb.View(tx.w.out.Seq(), lastBodies)
	v.Path, v.Conflict, v.State = tx.path(), tx.conflict, tx.docState()
	tx.children().fillIn(v.Cells)
	v.Running = []notebook.RunView{}
	if tx.active != nil {
		v.Running = append(v.Running, tx.active.view())
	}
	for _, r := range tx.queue {
		v.Running = append(v.Running, r.view())
	}
	return v
}

// Cells gives bodies of cells, with the number of the last event in them.
// Cells that are not there any more are left out.
func (w *Workspace) Cells(path string, ids []string) (seq uint64, cells []notebook.CellView, err error) {
	err = w.with(path, func(tx *Tx, nb *notebook.Document) error {
		tx.shown = true
		seq, cells = w.out.Seq(), tx.children().fillIn(nb.Cells(ids))
		return nil
	})
	return seq, cells, err
}

// Message gives one message of a cell's answer with its whole text.
func (w *Workspace) Message(path, cell string, index int) (m notebook.MessageView, err error) {
	err = w.with(path, func(_ *Tx, nb *notebook.Document) error {
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
	d := w.registry.opened(path)
	if d == nil {
		return nil
	}
	return locked(d, func(tx *Tx) error {
		if tx.idle() {
			tx.close()
		}
		return nil
	})
}

// idle reports whether nothing would be lost if the notebook were loaded
// again.
func (tx *Tx) idle() bool {
	return tx.active == nil && len(tx.queue) == 0 && !tx.conflict && !tx.saver.busy()
}

// letGoUnseen lets go of a notebook that no person looked at when its agent is
// done: of many children that ran nobody needs the text in memory.
func (tx *Tx) letGoUnseen() {
	if tx.shown || tx.more > 0 || !tx.idle() || !tx.doc.consults.TryLock() {
		return // d.more: what the person allowed would be asked again
	}
	defer tx.doc.consults.Unlock()
	tx.close()
}

// Edit applies a person's edits in order, all or none.
func (w *Workspace) Edit(path string, edits []notebook.Edit, origin string) (r EditResult, err error) {
	err = w.with(path, func(tx *Tx, nb *notebook.Document) error {
		tx.shown = true
		before := promptsOf(nb, edits)
		c, err := nb.Apply(edits)
		if err != nil {
			return err
		}
		tx.identify()
		tx.noteTyped(edits, before, c.NewID)
		again, anew := false, false
		for _, e := range edits {
			if e.Kind != notebook.EditSetText {
				again = true
			}
			anew = anew || slices.Contains(editsOfThePast, e.Kind)
		}
		if again {
			tx.spending().addUpAnew()
		}
		if anew {
			tx.timeline().tellPast()
		}
		tx.runs().unqueueDeleted()
		r = EditResult{Seq: tx.changed(c, origin), Rev: nb.Rev(), ID: c.NewID}
		return nil
	})
	return r, err
}

// Undo takes the last step back, with what it gave the agent outside the folder.
func (w *Workspace) Undo(path string) (EditResult, error) {
	return w.step(path, (*notebook.Document).Undo)
}

// Redo brings back the step that was undone last. What that gave the agent
// outside the folder it has again unless something else changed.
func (w *Workspace) Redo(path string) (EditResult, error) {
	return w.step(path, (*notebook.Document).Redo)
}

// change carries out what f does to a notebook, and tells of it.
func (w *Workspace) change(path, origin string, f func(*notebook.Document) (notebook.Change, error)) (r EditResult, err error) {
	err = w.with(path, func(tx *Tx, nb *notebook.Document) error {
		c, err := f(nb)
		if err != nil {
			return err
		}
		tx.identify()
		tx.spending().addUpAnew()
		tx.timeline().tellPast()
		tx.runs().unqueueDeleted()
		r = EditResult{Seq: tx.changed(c, origin), Rev: nb.Rev(), ID: c.NewID}
		return nil
	})
	return r, err
}

// changed tells of a change, has it saved soon, and returns the event's number.
func (tx *Tx) changed(c notebook.Change, origin string) uint64 {
	tx.saver.soon(tx)
	seq := tx.w.out.Emit(event.CellsSpliced{
		Path: tx.path(), Rev: tx.nb.Rev(), Origin: origin, At: c.At, Remove: c.Remove, Cells: tx.children().fillIn(c.Cells),
		State: tx.docState(), Meta: tx.nb.Meta(),
	})
	tx.w.headChanged(tx)
	return seq
}

func (tx *Tx) docState() notebook.DocState {
	s := tx.nb.State()
	s.Dirty, s.Spent = tx.saver.busy(), tx.spending().spent()
	return s
}

// nowMs is the time in events: Unix milliseconds.
func nowMs() int64 { return time.Now().UnixMilli() }
