package workspace

import (
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
)

// fillIn adds to views of cells what the notebook alone does not say: what
// their answers cost, and whom their calls of self_fork started. It returns
// them.
func (tx childrenTx) fillIn(cells []notebook.CellView) []notebook.CellView {
	tx.w.priceList.fillIn(cells)
	var all []fork
	read := false
	for _, c := range cells {
		if c.Body == nil {
			continue
		}
		for i := range c.Body.Answer {
			if !forking(&c.Body.Answer[i]) {
				continue
			}
			if !read { // once for all of them, and not at all for most notebooks
				all, read = forksOf(tx.Notebook()), true
			}
			showForks(&c.Body.Answer[i], all, c.ID, i, tx.runOf(c.ID))
		}
	}
	return cells
}

// tellFork tells whom a call of the running answer started.
func (tx childrenTx) tellFork(f fork) {
	if tx.Notebook() == nil || tx.active == nil || tx.active.startedMs != f.RunMs {
		return // whoever looks later is told by the view
	}
	m, err := tx.Notebook().Message(f.Cell, f.Index)
	if err != nil {
		return // the answer that the call stood in is gone
	}
	showForks(&m, forksOf(tx.Notebook()), f.Cell, f.Index, tx.runOf(f.Cell))
	tx.w.out.Emit(event.MessagePut{RunID: tx.active.id, Path: tx.Path(), Cell: f.Cell, Index: f.Index, Message: m})
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

// forking reports whether a message calls self_fork.
func forking(m *notebook.MessageView) bool {
	for _, c := range m.ToolCalls {
		if c.Name == forkTool {
			return true
		}
	}
	return false
}

// showForks says in the view of a message, which stands at index in the answer
// of that run of the cell, which of all forks its calls are.
func showForks(m *notebook.MessageView, all []fork, cell string, index int, runMs int64) {
	for _, c := range m.ToolCalls {
		for _, f := range all {
			if !f.same(fork{Cell: cell, Call: c.ID, Index: index, RunMs: runMs}) {
				continue
			}
			v := notebook.ForkView{Call: c.ID, Children: make([]notebook.ChildView, len(f.Children))}
			for i, child := range f.Children {
				v.Children[i] = notebook.ChildView{UUID: child.UUID, Name: child.Name}
			}
			m.Forks = append(m.Forks, v)
			break
		}
	}
}
