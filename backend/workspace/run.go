package workspace

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// run is one prompt being answered, or waiting for its turn.
type run struct {
	id        string
	path      string // of the notebook
	cell      string
	goesOn    bool // continues an answer that broke off
	now       bool // to be given to the running agent at its next step
	unseated  bool // it waits for a seat, to begin or to go on: nobody started it by hand (SPEC 9)
	broke     bool // the person ended it when its budget was spent
	startedMs int64
	model     string
	ctx       context.Context
	cancel    context.CancelFunc
	skipWait  chan struct{}
	spent     cost.Total            // so far; written by the run's own goroutine under d.mu
	first     bool                  // nothing ran in the notebook before
	over      bool                  // it has ended: what it spent is in the notebook
	before    *notebook.RunInfo     // of the answer that it goes on with, or nil
	asked     []notebook.ModelUsage // what agents used that this one asked
	doing     doing
	waitMs    int64 // Unix milliseconds of the next attempt; 0: no wait
	waitWhy   string
}

func (r *run) view() notebook.RunView {
	return notebook.RunView{RunID: r.id, Cell: r.cell, AtMs: r.startedMs, Queued: r.startedMs == 0, Now: r.startedMs == 0 && r.now, WaitUntilMs: r.waitMs, WaitReason: r.waitWhy}
}

// Run answers a cell, or several, and returns the id of the first run. Runs of
// one notebook go one after another; those of several notebooks side by side.
func (w *Workspace) Run(path, cell string, mode RunMode) (id string, err error) {
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		cells := []string{cell}
		switch mode {
		case RunFrom:
			c, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditRewind, Cell: cell}})
			if err != nil {
				return err
			}
			d.changed(c, "")
		case RunAll:
			cells = promptsFrom(nb, cell)
		}
		id, err = d.enqueue(cells, false)
		return err
	})
	return id, err
}

// Continue goes on with an answer that broke off or was stopped.
func (w *Workspace) Continue(path, cell string) (id string, err error) {
	err = w.with(path, func(d *doc, nb *notebook.Document) error {
		id, err = d.enqueue([]string{cell}, true)
		return err
	})
	return id, err
}

// enqueue puts runs behind those that are there and returns the first one's id. Under d.mu.
func (d *doc) enqueue(cells []string, goesOn bool) (string, error) {
	if d.w.ctx.Err() != nil {
		return "", fault.New(fault.Canceled, "the program is closing")
	}
	if len(cells) == 0 {
		return "", fault.New(fault.NotFound, "there is no prompt to run")
	}
	first := ""
	for _, cell := range cells {
		if r := d.byHand(cell); r != nil {
			first = cmp.Or(first, r.id)
			continue
		}
		if head, err := d.nb.Head(cell); err != nil {
			return first, err
		} else if head.Role != chat.User {
			return first, fault.New(fault.Invalid, "only a prompt can be run")
		}
		if d.isDue(cell) {
			return first, fault.New(fault.Conflict, "this cell is running already")
		}
		first = cmp.Or(first, d.putOff(cell, goesOn).id)
	}
	d.next()
	return first, nil
}

// next starts the first run of the queue when nothing runs. The queue has the
// order of the notebook: who moves a cell moves its turn. Under d.mu.
func (d *doc) next() {
	for d.active == nil && len(d.queue) > 0 && d.w.ctx.Err() == nil {
		r := d.takeFirst()
		if r == nil {
			break
		}
		if err := d.start(r); err != nil {
			d.ended(r, agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)})
		}
	}
	d.showQueue()
	d.tellLive("")
}

// takeFirst takes the run of the uppermost cell out of the queue; nil: it waits
// for a seat. Under d.mu.
func (d *doc) takeFirst() *run {
	place := map[string]int{}
	for i, id := range d.nb.CellIDs() {
		place[id] = i
	}
	slices.SortStableFunc(d.queue, func(a, b *run) int { return place[a.cell] - place[b.cell] })
	r := d.queue[0]
	if r.unseated {
		return nil
	}
	d.queue = d.queue[1:]
	return r
}

// start begins a run: the cell is empty and its prompt fixed from here on. Under d.mu.
func (d *doc) start(r *run) error {
	r.startedMs = nowMs()
	j := job{goesOn: r.goesOn}
	if err := j.choose(d.w, d.nb.Meta()); err != nil {
		return err
	}
	r.model = j.endpoint.Model.ID
	info := notebook.RunInfo{StartedAtMs: r.startedMs, Model: r.model, QueuedMs: d.showTurn(r)}
	var c notebook.Change
	var err error
	if r.goesOn {
		if r.before, err = d.nb.Used(r.cell); err != nil {
			return err
		}
		r.spent = totalOf(d.w.prices(), r.before)
		if r.before != nil {
			r.asked = r.before.Asked
		}
		if err = d.carryForks(r); err != nil {
			return err
		}
		c, err = d.nb.ContinueRun(r.cell, info)
	} else {
		c, err = d.nb.BeginRun(r.cell, info)
	}
	if err != nil {
		return err
	}
	if err := j.take(d, d.nb, r.cell); err != nil {
		return err
	}
	if r.goesOn {
		if j.answer, err = d.nb.Answer(r.cell); err != nil {
			return err
		}
	}
	d.nameFromPrompt(j.prompt)
	d.active, d.more = r, 0
	d.addUpAnew()
	d.changed(c, "")
	d.w.out.Emit(event.RunStarted{RunID: r.id, Path: d.path, Cell: r.cell, AtMs: r.startedMs, Model: r.model})
	d.showStart(r)
	d.w.tasks.Go(func() { d.execute(r, j) })
	return nil
}

// execute carries a run out and ends it. Nothing here holds the lock for long.
func (d *doc) execute(r *run, j job) {
	g := &gather{}
	g.send = func(delta event.Delta, p partial) { d.putPartial(r, delta, p) }
	beaten := d.pulse()
	turn := d.w.beginTurn(j.meta.UUID, r.cell)
	j.turn = func() *checkpoint.Turn { return turn }
	cfg, built, err := d.w.config(r, j)
	if err == nil {
		err = d.keep(r, built)
	}
	result := agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)}
	if r.ctx.Err() != nil {
		result.Outcome, _ = agent.Cut(r.ctx)
		result.Fault = nil
	}
	if err == nil {
		d.watch(r, cfg.Tools)
		cfg.Model = pausable{cfg.Model, d.w, d.pauses}
		cfg.Model = budgeted{cfg.Model, func(ctx context.Context) bool { return d.withinBudget(ctx, r) }, func() { d.goBroke(r) }}
		d.seatAgain(r.ctx, r) // it may have waited for its children once more
		cfg.Inbox = func() []chat.Message {
			if d.seatAgain(r.ctx, r); r.ctx.Err() != nil {
				return nil
			}
			next, messages := d.handOver(r)
			if next != nil {
				g.retarget(func() { r = next })
				turn.End()
				turn = d.w.beginTurn(j.meta.UUID, r.cell)
			}
			return messages
		}
		result = agent.Run(r.ctx, cfg, func(u agent.Update) { d.update(r, g, u) })
	}
	g.flush()
	turn.End() // what it could not record its notes say
	beaten()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.w.out.Emit(event.FilesChanged{Path: d.path})
	d.active = nil
	d.finish(r, result)
	d.next()
}

// Stop ends the run of a notebook and drops those that wait behind it. What
// has arrived is kept. It does not wait for the end; RunFinished tells of it.
func (w *Workspace) Stop(path string) error {
	return w.with(path, func(d *doc, _ *notebook.Document) error {
		d.stop()
		return nil
	})
}

// RetryNow ends the wait before the next attempt.
func (w *Workspace) RetryNow(path string) error {
	return w.with(path, func(d *doc, _ *notebook.Document) error {
		if d.active == nil || d.active.waitMs == 0 {
			return nil // it went out by itself meanwhile
		}
		select {
		case d.active.skipWait <- struct{}{}:
		default:
		}
		return nil
	})
}

// Wait blocks until nothing runs in the notebook or ctx ends, for the command line.
func (w *Workspace) Wait(ctx context.Context, path string) error {
	d, err := w.doc(path)
	if err != nil {
		return err
	}
	seq := w.out.Seq()
	for {
		d.mu.Lock()
		idle := d.active == nil && len(d.queue) == 0
		d.mu.Unlock()
		if idle {
			return d.save()
		}
		wait, cancel := context.WithTimeout(ctx, time.Second)
		lines, err := w.out.Read(wait, seq)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			seq = w.out.Seq()
		}
		seq += uint64(len(lines))
	}
}
