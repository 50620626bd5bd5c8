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

// enqueue puts runs behind those that are there, all of them or none, and
// returns the id of the first. Cells that run or wait already are left as they
// are; when there are no others the error is a Conflict.
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

// runnable says why cells cannot be run.
func (tx queueTx) runnable(cells []string) error {
	if len(cells) == 0 {
		return fault.New(fault.NotFound, "there is no prompt to run")
	}
	due := 0
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
			due++
		}
	}
	if due == len(cells) {
		return fault.New(fault.Conflict, "this cell is running already")
	}
	return nil
}

// addToQueue puts a run at the end of the queue.
func (tx queueTx) addToQueue(cell string, continues bool) *run {
	r := &run{id: newID(), cell: cell, continues: continues, skipWait: make(chan struct{}, 1)}
	r.ctx, r.cancel = context.WithCancel(tx.runner.with.Context)
	tx.queue = append(tx.queue, r)
	tx.runner.out.Emit(event.RunQueued{RunID: r.id, Path: tx.Path(), Cell: cell})
	return r
}

// startNext starts the first run of the queue when nothing runs.
func (tx queueTx) startNext() {
	for tx.active == nil && len(tx.queue) > 0 && tx.runner.with.Context.Err() == nil {
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

// dequeue takes the first run out of the queue; nil: it waits for a slot. A
// prompt that is to be sent now comes first, the others have the order of the
// notebook: who moves a cell moves its turn.
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

// promptsFrom lists a cell and the prompts below it.
func promptsFrom(nb *notebook.Document, cell string) []string {
	ids := nb.CellIDs()
	var prompts []string
	for _, id := range ids[max(0, slices.Index(ids, cell)):] {
		if head, err := nb.Head(id); err == nil && head.Role == chat.User {
			prompts = append(prompts, id)
		}
	}
	return prompts
}

// isPending reports whether a cell runs or waits for its turn.
func (tx queueTx) isPending(cell string) bool {
	if tx.active != nil && tx.active.cell == cell {
		return true
	}
	_, err := tx.queued(cell)
	return err == nil
}

// waitsForSlot reports whether a run of the cell waits for a slot.
func (tx queueTx) waitsForSlot(cell string) bool {
	r, err := tx.queued(cell)
	return err == nil && r.waitsForSlot
}

// queued gives the run of a cell that waits for its turn.
func (tx queueTx) queued(cell string) (*run, error) {
	i := slices.IndexFunc(tx.queue, func(r *run) bool { return r.cell == cell })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "this prompt does not wait any more")
	}
	return tx.queue[i], nil
}

// unqueue takes runs out of the queue and ends them.
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

// unqueueDeleted takes the runs out of the queue whose prompts are not in the
// notebook any more.
func (tx queueTx) unqueueDeleted() {
	if len(tx.queue) > 0 {
		ids := tx.Notebook().CellIDs()
		tx.unqueue(func(r *run) bool { return !slices.Contains(ids, r.cell) })
	}
}

// hasSendNow reports whether a prompt waits to be sent at the next step.
func (d *doc) hasSendNow() bool {
	return locked(d, func(tx *Tx) bool {
		return tx.runs().firstSendNow() != nil
	})
}

// firstSendNow gives the first run that waits to be sent at the next step, nil
// when there is none.
func (tx queueTx) firstSendNow() *run {
	if i := slices.IndexFunc(tx.queue, func(r *run) bool { return r.sendNow }); i >= 0 {
		return tx.queue[i]
	}
	return nil
}

// prepareNext prepares the queue for what follows the run of a cell. A prompt that
// is to be sent now moves behind the cell, so that it continues from there. If
// the run ended between two steps for such a prompt, and the person took that
// back at the last moment, the run goes on instead.
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
	// A cell that cannot move runs where it is.
	if c, err := tx.Notebook().Apply([]notebook.Edit{{Kind: notebook.EditMove, Cell: r.cell, Before: before}}); err == nil {
		tx.Changed(c, "")
	}
}
