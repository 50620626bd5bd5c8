package workspace

import (
	"context"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// putOff puts a run at the end of the queue. Under d.mu.
func (d *doc) putOff(cell string, goesOn bool) *run {
	r := &run{id: newID(), path: d.path, cell: cell, goesOn: goesOn, skipWait: make(chan struct{}, 1)}
	r.ctx, r.cancel = context.WithCancel(d.w.ctx)
	d.queue = append(d.queue, r)
	d.w.out.Emit(event.RunQueued{RunID: r.id, Path: d.path, Cell: cell})
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

func (d *doc) isDue(cell string) bool {
	if d.active != nil && d.active.cell == cell {
		return true
	}
	for _, r := range d.queue {
		if r.cell == cell {
			return true
		}
	}
	return false
}

// A prompt that waits in the queue can be edited like any other: its text is
// read when its turn comes.

// Unqueue takes a prompt that waits for its turn out of the queue.
func (w *Workspace) Unqueue(path, cell string) error {
	return w.with(path, func(d *doc, _ *notebook.Document) error {
		r, err := d.queued(cell)
		if err != nil {
			return err
		}
		d.queue = slices.DeleteFunc(d.queue, func(x *run) bool { return x == r })
		d.drop(r)
		d.tellLive("")
		return nil
	})
}

// SendNow gives a prompt that waits to the running agent at its next step
// (SPEC 7.4): its cell moves behind the running one, and the answer goes on there.
func (w *Workspace) SendNow(path, cell string) error {
	return w.with(path, func(d *doc, _ *notebook.Document) error {
		r, err := d.queued(cell)
		if err != nil {
			return err
		}
		r.now = true
		w.out.Emit(event.RunQueued{RunID: r.id, Path: path, Cell: cell, Now: true})
		return nil
	})
}

func (d *doc) queued(cell string) (*run, error) {
	i := slices.IndexFunc(d.queue, func(r *run) bool { return r.cell == cell })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "this prompt does not wait any more")
	}
	return d.queue[i], nil
}

// handOver is called between two steps of a run. When a prompt is to be sent
// now, the run in its cell ends and the one of that prompt takes its place:
// the same loop goes on, with another cell to write into.
func (d *doc) handOver(r *run) (*run, []chat.Message) {
	d.mu.Lock()
	i := slices.IndexFunc(d.queue, func(q *run) bool { return q.now })
	if i < 0 {
		d.mu.Unlock()
		return nil, nil
	}
	next := d.queue[i]
	d.queue = slices.Delete(d.queue, i, i+1)
	j, err := d.takeOver(r, next)
	d.mu.Unlock()
	if err != nil {
		d.refuse(next, err)
		return nil, nil
	}
	messages, err := d.w.handedOver(next, j)
	if err != nil {
		messages = []chat.Message{{Role: chat.User, Content: j.prompt}} // as typed: better than not at all
	}
	return next, messages
}

func (d *doc) refuse(r *run, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended(r, agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)})
}

// takeOver ends r in its cell and begins next behind it. Under d.mu.
func (d *doc) takeOver(r, next *run) (j job, err error) {
	if err := j.choose(d.w, d.nb.Meta()); err != nil {
		return j, err
	}
	ids := d.nb.CellIDs()
	before := ""
	if at := slices.Index(ids, r.cell) + 1; at < len(ids) {
		before = ids[at]
	}
	if before != next.cell {
		c, err := d.nb.Apply([]notebook.Edit{{Kind: notebook.EditMove, Cell: next.cell, Before: before}})
		if err != nil {
			return j, err
		}
		d.changed(c, "")
	}
	next.startedMs, next.model = nowMs(), r.model
	c, err := d.nb.BeginRun(next.cell, notebook.RunInfo{StartedAtMs: next.startedMs, Model: next.model, QueuedMs: d.showTurn(next)})
	if err != nil {
		return j, err
	}
	d.changed(c, "")
	next.ctx, next.cancel, next.doing.stuck = r.ctx, r.cancel, r.doing.stuck
	r.cancel = func() {} // the context goes on with next
	d.finish(r, agent.Result{Outcome: agent.Done})
	d.active = next
	d.w.out.Emit(event.RunStarted{RunID: next.id, Path: d.path, Cell: next.cell, AtMs: next.startedMs, Model: next.model})
	d.showStart(next)
	d.tellLive("thinking")
	return j, j.take(d, d.nb, next.cell)
}

// handedOver builds what the prompt sends: its last message, with references.
func (w *Workspace) handedOver(r *run, j job) ([]chat.Message, error) {
	roots, err := w.rootsOf(&j.meta)
	if err != nil {
		return nil, err
	}
	built, err := w.build(r.ctx, j, roots, w.toolsFor(roots, j), false)
	if err != nil {
		return nil, err
	}
	return built.Messages[len(built.Messages)-1:], nil
}
