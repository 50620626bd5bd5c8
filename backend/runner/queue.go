package runner

import (
	"cmp"
	"context"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// enqueue adds runs of cells to the queue, all of them or none, and returns the id of the first. It
// skips cells that already run or are queued; if no others are left, the error is a Conflict.
func (tx queueTx) enqueue(cells []string, continues bool) (string, error) {
	if tx.runner.with.Context.Err() != nil {
		return "", fault.New(fault.Canceled, "the program is closing")
	}
	if err := tx.runnable(cells); err != nil {
		return "", err
	}
	if err := tx.NotElsewhere(); err != nil {
		return "", err
	}
	first := ""
	for _, cell := range cells {
		if r := tx.startNow(cell); r != nil {
			first = cmp.Or(first, r.id)
		} else if !tx.isPending(cell) {
			first = cmp.Or(first, tx.addToQueue(cell, continues).id)
		}
	}
	tx.startNext()
	return first, nil
}

// runnable returns the reason why cells cannot be run, nil if they can.
func (tx queueTx) runnable(cells []string) error {
	if len(cells) == 0 {
		return fault.New(fault.NotFound, "there is no prompt to run")
	}
	pending := 0
	for _, cell := range cells {
		head, err := tx.Notebook().Head(cell)
		if err != nil {
			return err
		}
		if head.Role != chat.User {
			return fault.New(fault.Invalid, "only a prompt can be run")
		}
		if head.Compaction != nil {
			return fault.New(fault.Invalid, "a summary cannot be run: run the prompt below it")
		}
		if tx.isPending(cell) && !tx.waitsForSlot(cell) {
			pending++
		}
	}
	if pending == len(cells) {
		return fault.New(fault.Conflict, "this cell is running already")
	}
	return nil
}

// addToQueue appends a run of the cell to the queue.
func (tx queueTx) addToQueue(cell string, continues bool) *run {
	r := &run{id: newID(), cell: cell, continues: continues, skipWait: make(chan struct{}, 1)}
	r.ctx, r.cancel = context.WithCancel(tx.runner.with.Context)
	tx.queue = append(tx.queue, r)
	tx.runner.out.Emit(event.RunQueued{RunID: r.id, Path: tx.Path(), Cell: cell})
	return r
}

// startNext starts the first run of the queue if none is active.
func (tx queueTx) startNext() {
	for tx.active == nil && len(tx.queue) > 0 && tx.runner.with.Context.Err() == nil && !tx.awaitsModels() {
		r := tx.dequeue()
		if r == nil {
			break
		}
		if err := tx.start(r); err != nil {
			tx.ended(r, agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)})
		}
	}
	tx.timeline().traceQueue()
	tx.publishActivity("")
}

// dequeue removes and returns the first run of the queue; nil: it waits for a
// slot. A run with "send now" comes first; the others follow the order of their
// cells in the notebook, so that moving a cell moves its turn.
func (tx queueTx) dequeue() *run {
	position := map[string]int{}
	for i, id := range tx.Notebook().CellIDs() {
		position[id] = i
	}
	slices.SortStableFunc(tx.queue, func(a, b *run) int {
		switch {
		case a.sendNow == b.sendNow:
			return cmp.Compare(position[a.cell], position[b.cell])
		case a.sendNow:
			return -1
		}
		return 1
	})
	r := tx.queue[0]
	if r.waitsForSlot {
		return nil
	}
	tx.queue = tx.queue[1:]
	return r
}

// promptsFrom lists the prompts of a notebook from a cell on.
func promptsFrom(nb *notebook.Document, cell string) []string {
	ids := nb.CellIDs()
	var prompts []string
	for _, id := range ids[max(0, slices.Index(ids, cell)):] {
		if head, err := nb.Head(id); err == nil && head.Role == chat.User && head.Compaction == nil {
			prompts = append(prompts, id)
		}
	}
	return prompts
}

// isPending reports whether a cell is running or queued.
func (tx queueTx) isPending(cell string) bool {
	if tx.active != nil && tx.active.cell == cell {
		return true
	}
	_, err := tx.queued(cell)
	return err == nil
}

// waitsForSlot reports whether a queued run of the cell waits for a slot.
func (tx queueTx) waitsForSlot(cell string) bool {
	r, err := tx.queued(cell)
	return err == nil && r.waitsForSlot
}

// queued returns the queued run of a cell; NotFound: it is not queued.
func (tx queueTx) queued(cell string) (*run, error) {
	i := slices.IndexFunc(tx.queue, func(r *run) bool { return r.cell == cell })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "this prompt does not wait any more")
	}
	return tx.queue[i], nil
}

// unqueue removes the runs that match from the queue and cancels them.
func (tx queueTx) unqueue(which func(*run) bool) {
	var out []*run
	tx.queue = slices.DeleteFunc(tx.queue, func(r *run) bool {
		if !which(r) {
			return false
		}
		out = append(out, r)
		return true
	})
	for _, r := range out {
		tx.cancelQueued(r)
	}
	if len(out) > 0 {
		tx.publishActivity("")
	}
}

// unqueueDeleted cancels the queued runs whose prompts were deleted.
func (tx queueTx) unqueueDeleted() {
	if len(tx.queue) > 0 {
		ids := tx.Notebook().CellIDs()
		tx.unqueue(func(r *run) bool { return !slices.Contains(ids, r.cell) })
	}
}

// hasSendNow reports whether a queued prompt should be sent at the next step.
func (d *doc) hasSendNow() bool {
	return locked(d, func(tx *Tx) bool {
		return tx.runs().firstSendNow() != nil
	})
}

// firstSendNow returns the first queued run that should be sent at the next step, nil if there is
// none.
func (tx queueTx) firstSendNow() *run {
	if i := slices.IndexFunc(tx.queue, func(r *run) bool { return r.sendNow }); i >= 0 {
		return tx.queue[i]
	}
	return nil
}

// prepareNext prepares the queue after the run of a cell. A prompt with "send now" moves below the
// cell, so that it continues from there. If the run ended between two steps for such a prompt
// (preempted) and the person has unqueued the prompt since, the run is queued again to continue.
func (tx queueTx) prepareNext(cell string, preempted bool) {
	r := tx.firstSendNow()
	if r == nil {
		if preempted && tx.runner.with.Context.Err() == nil {
			tx.addToQueue(cell, true).sendNow = true
		}
		return
	}
	ids := tx.Notebook().CellIDs()
	before := ""
	if at := slices.Index(ids, cell) + 1; at < len(ids) {
		before = ids[at]
	}
	if before == r.cell {
		return
	}
	// A cell that cannot be moved runs where it is.
	if c, err := tx.Notebook().Apply([]notebook.Edit{{Kind: notebook.EditMove, Cell: r.cell, Before: before}}); err == nil {
		tx.Changed(c, "")
	}
}

// startNow releases every queued run that waits for a slot: runs that the person starts need none.
// It returns the run of cell if that was among them.
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

// cancelQueued ends a queued run. If a child's run never began, its notebook records it as stopped,
// so that it does not look as if it were still to come.
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

// stop cancels the active run and every queued one.
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

// slotGranted starts a run that waited for a slot and now has one.
func (d *doc) slotGranted(r *run) {
	d.do(func(tx *Tx) {
		if !r.waitsForSlot || !slices.Contains(tx.queue, r) {
			d.runner.slots.Remove(r) // it was cancelled, or the person started it
			return
		}
		r.waitsForSlot = false
		tx.runs().startNext()
	})
}
