package documents

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/timeline"
)

// lastBodies is how many cells at the end of a notebook are sent with it; the bodies of the others
// are fetched when they are shown.
const lastBodies = 12

// load reads the file. For a file that is not a valid notebook, it sets problem instead
// of returning an error.
func (tx *Tx) load() error {
	nb, problem, stamp, err := readVersion(tx.File())
	if err != nil {
		return err
	}
	tx.show(nb, problem, stamp)
	return nil
}

// show replaces the version in memory with the one that was read.
func (tx *Tx) show(nb *notebook.Document, problem *notebook.Problem, stamp notebook.Stamp) {
	again, before := tx.nb != nil, cmp.Or(tx.nb, tx.before)
	if nb != nil && before != nil {
		tx.cameFromDisk(notebook.KeepIDs(nb, before))
		before = nil
	}
	tx.before = before
	tx.nb, tx.problem, tx.stamp, tx.base = nb, problem, stamp, nil
	if nb != nil {
		tx.base = nb.Encoded()
		tx.logLoaded(again)
		tx.doc.work.Loaded()
		tx.CountUsage()
		tx.opened()
		if uuid := tx.reg.Identity(tx.Path(), nb.UUID()); uuid != "" {
			tx.reg.host.Opened(settings.Agent{File: tx.Path(), UUID: uuid})
		}
	}
	tx.conflict, tx.gone, tx.missed, tx.went = false, false, false, time.Time{}
}

// readable returns the document, or the reason why it cannot be worked on.
func (tx *Tx) readable() (*notebook.Document, error) {
	if tx.nb == nil {
		return nil, fault.New(fault.Invalid, "%s is not a notebook: %s", tx.Path(), tx.problem.Message)
	}
	return tx.nb, nil
}

// Close closes the document. The next use of the notebook loads it again.
func (tx *Tx) Close() {
	tx.closed = true
	tx.reg.unload(tx.doc)
}

// view returns the notebook as the interface loads it; path is the requested path.
func (tx *Tx) view(path string) notebook.View {
	if tx.problem != nil {
		return notebook.View{
			Seq: tx.reg.out.Seq(), Path: path, Problem: tx.problem, Cells: []notebook.CellView{}, Running: []notebook.RunView{},
			Meta:  notebook.MetaView{Name: strings.TrimSuffix(filepath.Base(path), ".mtm"), Allowed: []string{}},
			State: notebook.DocState{Branches: []notebook.BranchView{}},
		}
	}
	v := tx.nb.View(tx.reg.out.Seq(), lastBodies)
	v.Path, v.Conflict, v.State = tx.Path(), tx.conflict, tx.docState()
	tx.doc.work.FillIn(tx, v.Cells)
	v.Running = append([]notebook.RunView{}, tx.doc.work.Views()...)
	return v
}

// Idle reports whether nothing would be lost if the notebook were loaded
// again.
func (tx *Tx) Idle() bool {
	return !tx.Running() && !tx.doc.work.Waiting() && !tx.conflict && !tx.saver.busy()
}

// CloseUnseen closes the document if no person has it open and its agent is done, so that the texts
// of many children do not stay in memory.
func (tx *Tx) CloseUnseen() {
	if !tx.shown && tx.Idle() && tx.doc.work.MayClose() {
		tx.Close()
	}
}

// Changed publishes a change, schedules a save, and returns the event's number.
func (tx *Tx) Changed(c notebook.Change, origin string) uint64 {
	tx.SaveSoon()
	seq := tx.reg.out.Emit(event.CellsSpliced{
		Path: tx.Path(), Rev: tx.nb.Rev(), Origin: origin, Typed: c.Typed, At: c.At, Remove: c.Remove, Cells: tx.doc.work.FillIn(tx, c.Cells),
		State: tx.docState(), Meta: tx.nb.Meta(),
	})
	tx.summaryChanged()
	return seq
}

func (tx *Tx) docState() notebook.DocState {
	s := tx.nb.State()
	s.Dirty, s.Spent = tx.saver.busy(), tx.doc.work.Spent(tx)
	return s
}

// nowMs is the time in events: Unix milliseconds.
func nowMs() int64 { return time.Now().UnixMilli() }

// Change applies f to the notebook at path, and publishes the change.
func (reg *Registry) Change(path, origin string, f func(*notebook.Document) (notebook.Change, error)) (r EditResult, err error) {
	err = reg.With(path, func(tx *Tx, nb *notebook.Document) error {
		c, err := f(nb)
		if err != nil {
			return err
		}
		tx.Identify()
		tx.RecountUsage()
		tx.PublishPast()
		tx.doc.work.CellsChanged(tx)
		r = EditResult{Seq: tx.Changed(c, origin), Rev: nb.Rev(), ID: c.NewID}
		return nil
	})
	return r, err
}

// PublishPast emits that the notebook's earlier runs changed.
func (tx *Tx) PublishPast() {
	tx.reg.out.Emit(event.TimelineChanged{Spans: []timeline.Span{}, Links: []timeline.Link{}, Past: tx.Path()})
}

// ShowName updates the document's name in the tree, as Changed does too.
func (tx *Tx) ShowName() { tx.summaryChanged() }
