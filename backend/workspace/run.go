package workspace

import (
	"context"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/coalesce"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/process"
	"mutsumi/backend/prompt"
)

// run is one prompt being answered, or waiting for its turn.
type run struct {
	id           string
	cell         string
	goesOn       bool         // continues an answer that broke off
	now          bool         // to be sent at the next step of the agent at work
	waitsForSlot bool         // it waits for a slot, to begin or to go on: nobody started it by hand (SPEC 9)
	overBudget   bool         // the person ended it when its budget was spent
	broken       *fault.Error // why its cell could not take the answer
	startedMs    int64
	began        time.Time // the same by a clock that nobody sets
	queuedMs     int64     // when it was shown as waiting; 0: it never was
	queued       time.Time // the same
	model        string
	ctx          context.Context
	cancel       context.CancelFunc
	skipWait     chan struct{}
	spent        cost.Total            // so far; written by the run's own goroutine in a Tx
	first        bool                  // nothing ran in the notebook before
	over         bool                  // it has ended: what it spent is in the notebook
	before       *notebook.RunInfo     // of the answer that it goes on with, or nil
	asked        []notebook.ModelUsage // what agents used that this one asked
	doing        doing
	waitMs       int64 // Unix milliseconds of the next attempt; 0: no wait
	waitWhy      string
}

func (r *run) view() notebook.RunView {
	return notebook.RunView{RunID: r.id, Cell: r.cell, AtMs: r.startedMs, Queued: r.startedMs == 0, Now: r.startedMs == 0 && r.now, WaitUntilMs: r.waitMs, WaitReason: r.waitWhy}
}

// atMs is a time of the run as the notebook keeps it: in Unix milliseconds by
// the clock as it was when the run began.
func (r *run) atMs(t time.Time) int64 { return r.startedMs + t.Sub(r.began).Milliseconds() }

// nowMs is the time for what happens in the notebook: by the clock of the run
// under way, else by that of the system.
func (tx queueTx) nowMs() int64 {
	if tx.active != nil {
		return tx.active.atMs(time.Now())
	}
	return nowMs()
}

// Run answers a cell, or several, and returns the id of the first run. Runs of
// one notebook go one after another; those of several notebooks side by side.
func (w *Workspace) Run(path, cell string, mode RunMode) (id string, err error) {
	err = w.with(path, func(tx *Tx, nb *notebook.Document) error {
		cells := []string{cell}
		switch mode {
		case RunCell:
		case RunFrom:
			if err := tx.runs().rewind(cell); err != nil {
				return err
			}
		case RunAll:
			cells = promptsFrom(nb, cell)
		default:
			return fault.New(fault.Invalid, "%q is no way to run a cell: there are %s, %s and %s", mode, RunCell, RunFrom, RunAll)
		}
		id, err = tx.runs().enqueue(cells, false)
		return err
	})
	return id, err
}

// rewind puts a cell's answer and all below aside, so that the cell can be run
// again.
func (tx queueTx) rewind(cell string) error {
	if err := tx.runnable([]string{cell}); err != nil {
		return err
	}
	c, err := tx.Notebook().Apply([]notebook.Edit{{Kind: notebook.EditRewind, Cell: cell}})
	if err != nil {
		return err
	}
	tx.unqueueDeleted()
	tx.RecountUsage()
	tx.Changed(c, "")
	tx.TellPast()
	return nil
}

// Continue goes on with an answer that broke off or was stopped.
func (w *Workspace) Continue(path, cell string) (id string, err error) {
	err = w.with(path, func(tx *Tx, nb *notebook.Document) error {
		id, err = tx.runs().enqueue([]string{cell}, true)
		return err
	})
	return id, err
}

// start begins a run: the cell is empty and its prompt fixed from here on. On
// an error the notebook is as it was.
func (tx queueTx) start(r *run) error {
	r.startedMs, r.began = nowMs(), time.Now()
	tx.Identify()
	j := job{goesOn: r.goesOn}
	if err := j.choose(tx.w.agentKinds, tx.Notebook().Meta()); err != nil {
		return err
	}
	if err := j.take(tx.Tx, tx.Notebook(), r.cell); err != nil {
		return err
	}
	r.model = j.endpoint.Model.ID
	if r.goesOn {
		if err := tx.carryOn(r, &j); err != nil {
			return err
		}
	}
	info := notebook.RunInfo{StartedAtMs: r.startedMs, Model: r.model, QueuedMs: tx.timeline().showTurn(r)}.WithProcess(process.Self())
	begin := tx.Notebook().BeginRun
	if r.goesOn {
		begin = tx.Notebook().ContinueRun
	}
	c, err := begin(r.cell, info)
	if err != nil {
		return err
	}
	if !r.goesOn {
		tx.keepStarted(r.cell, nil) // it runs: it has a prompt to keep it in
	}
	tx.naming().nameFromPrompt(j.prompt)
	j.meta.Name = tx.Notebook().Meta().Name
	tx.SetRunning(true)
	if tx.active = r; !r.now { // a prompt that is sent now is part of the work that the person allowed
		tx.more = 0
	}
	if r.goesOn {
		tx.CountUsage() // what the answer used so far counts with the run
	} else {
		tx.RecountUsage()
	}
	tx.Changed(c, "")
	tx.w.out.Emit(event.RunStarted{RunID: r.id, Path: tx.Path(), Cell: r.cell, AtMs: r.startedMs, Model: r.model})
	tx.timeline().showStart(r)
	d := tx.doc
	d.w.tasks.Go(func() { d.execute(r, j) })
	return nil
}

// carryOn takes over what the answer has that a run goes on with.
func (tx queueTx) carryOn(r *run, j *job) (err error) {
	if r.before, err = tx.Notebook().Used(r.cell); err != nil {
		return err
	}
	r.spent = documents.RunCost(tx.w.prices(), r.before)
	if r.before != nil {
		r.asked = r.before.Asked
	}
	if err := j.takeAnswer(tx.Tx, r.cell); err != nil {
		return err
	}
	return tx.children().carryForks(r)
}

// takeAnswer reads what a cell's answer has, and which of its calls began.
func (j *job) takeAnswer(tx *Tx, cell string) (err error) {
	info, err := tx.Notebook().RunInfo(cell)
	if err != nil {
		return err
	}
	j.started, j.effectsKept = tx.runs().started(cell), info != nil && info.Process() != nil
	j.answer, err = tx.Notebook().Answer(cell)
	return err
}

// execute carries a run out and ends it. Nothing here holds the lock for long.
func (d *doc) execute(r *run, j job) {
	batch := coalesce.New(func(delta event.Delta, whole chat.Message) { d.putPartial(r, delta, whole) })
	beaten := d.pulse()
	turn := d.w.History.Begin(j.meta.UUID, r.cell)
	j.turn = func() *checkpoint.Recorder { return turn }
	err := d.Claim(r.ctx)
	var cfg agent.Config
	var built prompt.Result
	if err == nil {
		cfg, built, err = d.w.config(r, j)
	}
	if err == nil {
		err = d.keep(r, built)
	}
	result := agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)}
	if r.ctx.Err() != nil {
		result.Outcome, _ = agent.Cut(r.ctx)
		result.Fault = nil
	}
	preempted := false // by a prompt that the person wants sent now
	if err == nil {
		d.detectLoops(r, cfg.Tools)
		cfg.Model = pausable{cfg.Model, d.w.pause, d.pauses}
		cfg.Model = budgeted{cfg.Model, func(ctx context.Context) bool { return d.withinBudget(ctx, r) }, func() { d.goBroke(r) }}
		d.reacquireSlot(r.ctx, r) // it may have waited for its children once more
		cfg.BeforeEffect = func(ctx context.Context, e agent.Effect) error { return d.beforeEffect(ctx, r, e) }
		cfg.NextStep = func() bool {
			if !d.sendsNow() {
				d.reacquireSlot(r.ctx, r)
			}
			preempted = r.ctx.Err() == nil && d.sendsNow()
			return !preempted
		}
		result = agent.Run(r.ctx, cfg, func(u agent.Update) { d.update(r, batch, u) })
	}
	batch.Flush()
	turn.End() // what it could not record its notes say
	beaten()
	d.do(func(tx *Tx) {
		d.w.out.Emit(event.FilesChanged{Path: d.Path()})
		tx.active = nil
		tx.SetRunning(false)
		if tx.Gone() { // its node goes with it
			d.w.tasks.Go(func() { d.w.registry.FilesChanged(map[string]bool{d.Path(): true}) })
		}
		preempted = preempted && r.ctx.Err() == nil // not stopped meanwhile
		tx.runs().finish(r, result)
		tx.naming().nameByModel(r, j.prompt, result)
		tx.runs().prepareNext(r.cell, preempted)
		tx.runs().startNext()
	})
}

// Stop ends the run of a notebook and drops those that wait behind it. What
// has arrived is kept. It does not wait for the end; RunFinished tells of it.
func (w *Workspace) Stop(path string) error {
	if d := w.registry.RunsUnderOldName(path); d != nil {
		path = d.Path()
	}
	return w.with(path, func(tx *Tx, _ *notebook.Document) error {
		tx.runs().stop()
		if tx.active == nil {
			return tx.NotElsewhere() // it cannot be stopped from here
		}
		return nil
	})
}

// RetryNow ends the wait before the next attempt.
func (w *Workspace) RetryNow(path string) error {
	return w.with(path, func(tx *Tx, _ *notebook.Document) error {
		if tx.active == nil || tx.active.waitMs == 0 {
			return nil // it went out by itself meanwhile
		}
		select {
		case tx.active.skipWait <- struct{}{}:
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
	ends := w.out.Subscribe(func(e event.Event) bool {
		end, ok := e.(event.RunFinished)
		return ok && end.Path == d.Path()
	})
	defer ends.Close()
	for {
		if locked(d, func(tx *Tx) bool { return tx.active == nil && len(tx.queue) == 0 }) {
			return d.Save()
		}
		if ends.Next(ctx) == nil {
			return ctx.Err()
		}
	}
}

// CanRun says why nothing can be run in a notebook now: another process does.
func (w *Workspace) CanRun(path string) error {
	return w.with(path, func(tx *Tx, _ *notebook.Document) error { return tx.NotElsewhere() })
}
