package branches

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// What Carry takes.
const (
	WholeCell  = "cell"       // the prompt with its answer
	Conclusion = "conclusion" // the last text of the answer, as a quotation
)

// Carry appends a cell of one line, or its conclusion, to a notebook as one undo step. Nothing in
// it is followed or run, and its cost stays with the original. Errors: NotFound; Invalid if there
// is nothing to carry; Conflict while one of the two is being written.
func (c *Calls) Carry(from Place, cell, to, what string) (documents.EditResult, error) {
	if what != WholeCell && what != Conclusion {
		return documents.EditResult{}, fault.New(fault.Invalid, "%q cannot be carried over: choose %q or %q", what, WholeCell, Conclusion)
	}
	source, err := c.line(from)
	if err != nil {
		return documents.EditResult{}, err
	}
	at := source.Find(cell)
	if at < 0 {
		return documents.EditResult{}, fault.New(fault.NotFound, "the notebook has no cell %q any more", cell)
	}
	taken, err := source.Take(at, notebook.Carried{UUID: source.uuid, Name: source.name, Conclusion: what == Conclusion})
	if err != nil {
		return documents.EditResult{}, err
	}
	if err := c.mayAppend(to); err != nil {
		return documents.EditResult{}, err
	}
	r, err := c.with.Registry.Change(to, "", func(nb *notebook.Document) (notebook.Change, error) { return nb.Lineage().Append(taken) })
	if err == nil {
		c.with.Outbox.Emit(event.ContextChanged{Path: to})
	}
	return r, err
}

// mayAppend is a Conflict while an agent writes the notebook at path, here or elsewhere.
func (c *Calls) mayAppend(path string) error {
	return c.with.Registry.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
		if tx.Running() || tx.Work().Waiting() {
			return fault.New(fault.Conflict, "Could not carry the cell over: the other agent works. Wait until it is done, or stop it.")
		}
		return tx.NotElsewhere()
	})
}
