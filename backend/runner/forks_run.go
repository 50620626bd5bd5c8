package runner

import (
	"context"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
)

// begin has a child run by itself when a slot is free: its first prompt, or
// what the end of the program interrupted. One that ran, runs or waits is left
// alone. It is called with forks.making.
func (fk *forks) begin(c fork.Child, parent string) {
	d := fk.childDoc(c, parent)
	if d == nil {
		return
	}
	d.do(func(tx *Tx) {
		if tx.Notebook() == nil || tx.active != nil || len(tx.queue) > 0 || fk.ctx.Err() != nil {
			return
		}
		cell, info := fork.LastRun(tx.Notebook())
		continues := cell != ""
		switch {
		case continues && (info == nil || info.Outcome != notebook.Interrupted):
			return
		case !continues:
			cell = firstPrompt(tx.Notebook())
		}
		if cell == "" {
			return
		}
		r := tx.runs().addToQueue(cell, continues)
		r.waitsForSlot = true
		tx.runs().startNext()
		fk.slots.Acquire(r, func() { d.slotGranted(r) })
	})
}

// beginAll has the children of a fork run. When the run that starts them is
// stopped meanwhile, with its whole tree perhaps, those that have begun are
// stopped too: whoever stopped the tree may have come by before they began. It
// is called with forks.making.
func (fk *forks) beginAll(ctx context.Context, f fork.Record, parent string) {
	for _, c := range f.Children {
		fk.begin(c, parent)
	}
	if ctx.Err() == nil {
		return
	}
	for _, c := range f.Children {
		if d := fk.childDoc(c, parent); d != nil {
			d.do(func(tx *Tx) {
				tx.runs().stop()
			})
		}
	}
}

func firstPrompt(nb *notebook.Document) string {
	for _, id := range nb.CellIDs() {
		if head, err := nb.Head(id); err == nil && head.Role == chat.User {
			return id
		}
	}
	return ""
}

// slotGranted lets a run begin that waited for a slot.
func (d *doc) slotGranted(r *run) {
	d.do(func(tx *Tx) {
		if !r.waitsForSlot || !slices.Contains(tx.queue, r) {
			d.runner.slots.Remove(r) // it was dropped, or started by hand
			return
		}
		r.waitsForSlot = false
		tx.runs().startNext()
	})
}

// startNow lets all runs of the notebook go that wait for a slot: the person
// wants this agent to work now, and that needs none. It gives the run of cell
// if that was among them.
func (tx queueTx) startNow(cell string) (of *run) {
	for _, r := range tx.queue {
		if r.waitsForSlot {
			r.waitsForSlot = false
			tx.runner.slots.Remove(r)
			if r.cell == cell {
				of = r
			}
		}
	}
	return of
}

// cancelQueued ends a run that waits. For one that never began the notebook says so,
// so that nobody takes it for one that is still to come.
func (tx queueTx) cancelQueued(r *run) {
	if r.waitsForSlot && !r.continues && tx.Notebook() != nil {
		now := nowMs()
		info := notebook.RunInfo{StartedAtMs: now, Outcome: notebook.Stopped}
		if _, err := tx.Notebook().BeginRun(r.cell, info); err == nil {
			if c, err := tx.Notebook().EndRun(r.cell, info); err == nil {
				tx.Changed(c, "")
			}
		}
	}
	tx.ended(r, agent.Result{Outcome: agent.Stopped})
}

// stop ends the run of the notebook and drops those that wait behind it.
func (tx queueTx) stop() {
	queue := tx.queue
	tx.queue = nil
	for _, r := range queue {
		tx.cancelQueued(r)
	}
	if tx.active != nil {
		tx.active.cancel()
	}
}

// stopOverBudget ends a run whose budget is spent. Not in a Tx.
func (d *doc) stopOverBudget(r *run) {
	d.do(func(tx *Tx) {
		r.overBudget = r.ctx.Err() == nil
		r.cancel()
	})
}

// runEnded gives the slot of a run that is over to the next, and has those look who
// wait for its agent.
func (fk *forks) runEnded(r *run) {
	fk.slots.Remove(r)
	fk.publish()
}
