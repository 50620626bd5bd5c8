package branches

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// Take replaces the notebook at to with another line, as one undo step. A branch of the same
// notebook is swapped in; of another notebook, the cells after those that both share are copied.
// The replaced cells are put aside as a branch. Nothing is run, and only the notebook is written.
// Errors: NotFound; Invalid if the two share no cell at the beginning, or the other has nothing
// more; Conflict while one of the two is being written.
func (c *Calls) Take(from Place, to string) (documents.EditResult, error) {
	source, err := c.line(from)
	if err != nil {
		return documents.EditResult{}, err
	}
	own, err := c.line(Place{Path: to})
	if err != nil {
		return documents.EditResult{}, err
	}
	if source.place.Path == own.place.Path {
		if from.Branch == "" {
			return documents.EditResult{}, fault.New(fault.Invalid, "Could not take this line: the notebook goes this way already.")
		}
		return c.with.Documents.Edit(to, []notebook.Edit{{Kind: notebook.EditRestore, Branch: from.Branch}}, "")
	}
	common := notebook.CommonCells(source.Sums(), own.Sums())
	switch {
	case common == 0:
		return documents.EditResult{}, fault.New(fault.Invalid, "Could not take this line: the two have no cell in common at the beginning. Carry its cells over one by one.")
	case common == source.Len():
		return documents.EditResult{}, fault.New(fault.Invalid, "Could not take this line: it has no cell that this notebook has not.")
	}
	var taken []*notebook.CarriedCell
	for i := common; i < source.Len(); i++ {
		cell, err := source.Take(i, notebook.Carried{UUID: source.uuid, Name: source.name})
		if err != nil {
			return documents.EditResult{}, err
		}
		taken = append(taken, cell)
	}
	if err := c.mayAppend(to); err != nil {
		return documents.EditResult{}, err
	}
	r, err := c.with.Registry.Change(to, "", func(nb *notebook.Document) (notebook.Change, error) {
		return nb.Lineage().Adopt(own.ID(common-1), taken)
	})
	if err == nil {
		c.with.Outbox.Emit(event.ContextChanged{Path: to})
	}
	return r, err
}
