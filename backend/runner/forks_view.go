package runner

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
)

// fillIn adds to the views of cells what the notebook alone does not hold: the costs of their
// answers and the children that their calls of self_fork started. It returns cells.
func (tx childrenTx) fillIn(cells []notebook.CellView) []notebook.CellView {
	documents.FillInCosts(tx.runner.with.Prices.Table, cells)
	var all []fork.Record
	read := false
	for _, c := range cells {
		if c.Body == nil {
			continue
		}
		for i := range c.Body.Answer {
			if !fork.Calls(&c.Body.Answer[i]) {
				continue
			}
			if !read { // once for all cells, and never for most notebooks
				all, read = fork.Records(tx.Notebook()), true
			}
			fork.Show(&c.Body.Answer[i], all, c.ID, i, tx.runOf(c.ID))
		}
	}
	return cells
}

// publishFork emits which children a call of the running answer started.
func (tx childrenTx) publishFork(f fork.Record) {
	if tx.Notebook() == nil || tx.active == nil || tx.active.startedMs != f.RunMs {
		return // later views contain it
	}
	m, err := tx.Notebook().Message(f.Cell, f.Index)
	if err != nil {
		return // the answer with the call is gone
	}
	fork.Show(&m, fork.Records(tx.Notebook()), f.Cell, f.Index, tx.runOf(f.Cell))
	tx.runner.out.Emit(event.MessagePut{RunID: tx.active.id, Path: tx.Path(), Cell: f.Cell, Index: f.Index, Message: m})
}

// runOf returns when the run of a cell's answer began, in Unix milliseconds; 0: it has
// no answer.
func (tx childrenTx) runOf(cell string) int64 {
	if tx.active != nil && tx.active.cell == cell {
		return tx.active.startedMs
	}
	if info, err := tx.Notebook().RunInfo(cell); err == nil && info != nil {
		return info.StartedAtMs
	}
	return 0
}
