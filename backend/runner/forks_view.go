package runner

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
)

// fillIn adds to views of cells what the notebook alone does not say: what
// their answers cost, and whom their calls of self_fork started. It returns
// them.
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
			if !read { // once for all of them, and not at all for most notebooks
				all, read = fork.Records(tx.Notebook()), true
			}
			fork.Show(&c.Body.Answer[i], all, c.ID, i, tx.runOf(c.ID))
		}
	}
	return cells
}

// publishFork tells whom a call of the running answer started.
func (tx childrenTx) publishFork(f fork.Record) {
	if tx.Notebook() == nil || tx.active == nil || tx.active.startedMs != f.RunMs {
		return // whoever looks later is told by the view
	}
	m, err := tx.Notebook().Message(f.Cell, f.Index)
	if err != nil {
		return // the answer that the call stood in is gone
	}
	fork.Show(&m, fork.Records(tx.Notebook()), f.Cell, f.Index, tx.runOf(f.Cell))
	tx.runner.out.Emit(event.MessagePut{RunID: tx.active.id, Path: tx.Path(), Cell: f.Cell, Index: f.Index, Message: m})
}

// runOf is when the run began that a cell's answer is of, in Unix milliseconds;
// 0 when it has none.
func (tx childrenTx) runOf(cell string) int64 {
	if tx.active != nil && tx.active.cell == cell {
		return tx.active.startedMs
	}
	if info, err := tx.Notebook().RunInfo(cell); err == nil && info != nil {
		return info.StartedAtMs
	}
	return 0
}
