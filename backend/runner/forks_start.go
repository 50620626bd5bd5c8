package runner

import (
	"context"

	"mutsumi/backend/chat"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
)

// begin queues a child's first prompt, or the answer that the end of the program interrupted, to
// run when a slot is free. It leaves alone a child that has run, runs or is queued. forks.making
// must be held.
func (fk *forks) begin(c fork.Child, parent string) {
	fk.withChild(c, parent, func(d *doc, tx *Tx) {
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

// beginAll queues the children of a fork. If the run that starts them is stopped in the meantime,
// it stops the children again, because StopTree may have looked before they were queued.
// forks.making must be held.
func (fk *forks) beginAll(ctx context.Context, f fork.Record, parent string) {
	for _, c := range f.Children {
		fk.begin(c, parent)
	}
	if ctx.Err() == nil {
		return
	}
	for _, c := range f.Children {
		fk.withChild(c, parent, func(_ *doc, tx *Tx) { tx.runs().stop() })
	}
}

// firstPrompt returns the first prompt of a notebook, "" if it has none.
func firstPrompt(nb *notebook.Document) string {
	for _, id := range nb.CellIDs() {
		if head, err := nb.Head(id); err == nil && head.Role == chat.User {
			return id
		}
	}
	return ""
}
