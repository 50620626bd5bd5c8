package documents

import (
	"fmt"
	"slices"
	"time"

	"mutsumi/backend/notebook"
)

// Calls lets the interface load, edit and close notebooks. Package workspace embeds it.
type Calls struct {
	reg *Registry
}

// NewCalls returns the calls of the interface.
func NewCalls(reg *Registry) *Calls { return &Calls{reg: reg} }

// EditResult is the immediate answer to an edit. The same change also comes as an event.
type EditResult struct {
	Seq uint64 `json:"seq"`
	Rev int    `json:"rev"`
	ID  string `json:"id,omitempty"` // of the cell that an insert or split made
}

// Notebook returns a notebook as the interface loads it (GET /api/notebook).
func (c *Calls) Notebook(path string) (v notebook.View, err error) {
	err = c.reg.Open(path, func(tx *Tx) error {
		tx.shown = true
		v = tx.view(path)
		return nil
	})
	return v, err
}

// Cells returns the bodies of cells, with the number of the last event that they include.
// It leaves out cells that are gone.
func (c *Calls) Cells(path string, ids []string) (seq uint64, cells []notebook.CellView, err error) {
	err = c.reg.With(path, func(tx *Tx, nb *notebook.Document) error {
		tx.shown = true
		seq, cells = c.reg.out.Seq(), tx.doc.work.FillIn(tx, nb.Cells(ids))
		return nil
	})
	return seq, cells, err
}

// Message returns one message of a cell's answer with its whole text.
func (c *Calls) Message(path, cell string, index int) (m notebook.MessageView, err error) {
	err = c.reg.With(path, func(_ *Tx, nb *notebook.Document) error {
		m, err = nb.Message(cell, index)
		return err
	})
	return m, err
}

// Line returns the cells of a notebook as they are now, with its metadata. A notebook that
// is not open stays so.
func (c *Calls) Line(path string) (line *notebook.Line, meta notebook.MetaView, err error) {
	err = c.reg.ReadOnly(path, func(_ *Tx, nb *notebook.Document) error {
		meta = nb.Meta()
		line, err = nb.Lineage().Line("")
		return err
	})
	return line, meta, err
}

// RawText returns the text of a file that is not a valid notebook, for the recovery view.
func (c *Calls) RawText(path string) ([]byte, error) {
	file, err := c.reg.Resolve(path)
	if err != nil {
		return nil, err
	}
	b, _, err := notebook.ReadText(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

// SaveRepairedCopy writes the readable parts of a damaged file to a new notebook next to it and
// returns its path. The damaged file stays.
func (c *Calls) SaveRepairedCopy(path string) (string, error) {
	file, err := c.reg.Resolve(path)
	if err != nil {
		return "", err
	}
	made, _, err := notebook.SaveRepaired(file, time.Now())
	if err != nil {
		return "", err
	}
	return c.reg.PathOf(made), nil
}

// CloseNotebook unloads a notebook that no window shows any longer. A notebook with runs, unsaved
// changes or a budget that others spend stays until those end.
func (c *Calls) CloseNotebook(path string) error {
	d := c.reg.Opened(path)
	if d == nil {
		c.reg.index(func(ix *index) { delete(ix.left, path) })
		return nil
	}
	return locked(d, func(tx *Tx) error {
		tx.shown = false
		tx.CloseUnseen()
		return nil
	})
}

// Edit applies a person's edits in order, all or none. If one replaces a text of another program that the
// person did not see, it is a conflict between memory and disk.
func (c *Calls) Edit(path string, edits []notebook.Edit, origin string) (r EditResult, err error) {
	err = c.reg.With(path, func(tx *Tx, nb *notebook.Document) error {
		r, err = tx.edit(nb, edits, origin)
		return err
	})
	return r, err
}

func (tx *Tx) edit(nb *notebook.Document, edits []notebook.Edit, origin string) (EditResult, error) {
	tx.shown = true
	if slices.ContainsFunc(edits, inserts) && nb.RunsElsewhere() != nil {
		edits = notebook.Drafts(edits)
	}
	edits = notebook.TypedBy(origin, edits)
	contradicts := slices.ContainsFunc(edits, tx.overDisk)
	applied := tx.doc.work.Editing(nb, edits)
	change, err := nb.Apply(edits)
	if err != nil {
		return EditResult{}, err
	}
	tx.Identify()
	applied(change.NewID)
	again, anew := false, false
	for _, e := range edits {
		if e.Kind != notebook.EditSetText {
			again = true
		}
		anew = anew || slices.Contains(editsChangingPast, e.Kind)
	}
	if again {
		tx.RecountUsage()
	}
	if anew {
		tx.PublishPast()
	}
	tx.doc.work.CellsChanged(tx)
	r := EditResult{Seq: tx.Changed(change, origin), Rev: nb.Rev(), ID: change.NewID}
	if contradicts {
		tx.markConflict(false)
	}
	return r, nil
}

func inserts(e notebook.Edit) bool { return e.Kind == notebook.EditInsert }

// editsChangingPast are the edits that remove or restore answers.
var editsChangingPast = []notebook.EditKind{notebook.EditDelete, notebook.EditClear, notebook.EditRewind, notebook.EditFork, notebook.EditRestore}

// PathOf is Registry.PathOf.
func (c *Calls) PathOf(file string) string { return c.reg.PathOf(file) }
