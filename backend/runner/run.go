package runner

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
	"mutsumi/backend/request"
)

// run is one prompt being answered, or waiting for its turn.
type run struct {
	id           string
	cell         string
	continues    bool         // continues an answer that broke off
	sendNow      bool         // to be sent at the next step of the agent at work
	waitsForSlot bool         // it waits for a slot, to begin or to go on: nobody started it by hand (SPEC 9)
	overBudget   bool         // the person ended it when its budget was spent
	writeFault   *fault.Error // why its cell could not take the answer
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
	finished     bool                  // it has ended: what it spent is in the notebook
	continued    *notebook.RunInfo     // of the answer that it goes on with, or nil
	consulted    []notebook.ModelUsage // what agents used that this one asked
	activity     activity
	waitMs       int64 // Unix milliseconds of the next attempt; 0: no wait
	waitWhy      string
}

func (r *run) view() notebook.RunView {
	return notebook.RunView{RunID: r.id, Cell: r.cell, AtMs: r.startedMs, Queued: r.startedMs == 0, Now: r.startedMs == 0 && r.sendNow, WaitUntilMs: r.waitMs, WaitReason: r.waitWhy}
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
	tx.PublishPast()
	return nil
}

// start begins a run: the cell is empty and its prompt fixed from here on. On
// an error the notebook is as it was.
func (tx queueTx) start(r *run) error {
	r.startedMs, r.began = nowMs(), time.Now()
	tx.Identify()
	var s request.Spec
	var err error
	if s.Role, s.Endpoint, err = tx.runner.with.Kinds.Resolve(tx.Notebook().Meta()); err != nil {
		return err
	}
	if err := tx.read(&s, r.cell); err != nil {
		return err
	}
	r.model = s.Endpoint.Model.ID
	if r.continues {
		if err := tx.loadContinued(r, &s); err != nil {
			return err
		}
	}
	info := notebook.RunInfo{StartedAtMs: r.startedMs, Model: r.model, QueuedMs: tx.timeline().traceBegin(r)}.WithProcess(process.Self())
	begin := tx.Notebook().BeginRun
	if r.continues {
		begin = tx.Notebook().ContinueRun
	}
	c, err := begin(r.cell, info)
	if err != nil {
		return err
	}
	if !r.continues {
		request.SetStartedCall(tx.Tx.Tx, r.cell, nil) // it runs: it has a prompt to keep it in
	}
	tx.naming().nameFromPrompt(s.Prompt)
	s.Agent.Name = tx.Notebook().Meta().Name
	tx.SetRunning(true)
	if tx.active = r; !r.sendNow { // a prompt that is sent now is part of the work that the person allowed
		tx.raises = 0
	}
	if r.continues {
		tx.CountUsage() // what the answer used so far counts with the run
	} else {
		tx.RecountUsage()
	}
	tx.Changed(c, "")
	tx.runner.out.Emit(event.RunStarted{RunID: r.id, Path: tx.Path(), Cell: r.cell, AtMs: r.startedMs, Model: r.model})
	tx.timeline().traceStart(r)
	d := tx.doc
	d.runner.with.Start(func() { d.execute(r, s) })
	return nil
}

// loadContinued takes over what the answer has that a run goes on with.
func (tx queueTx) loadContinued(r *run, s *request.Spec) (err error) {
	if r.continued, err = tx.Notebook().Used(r.cell); err != nil {
		return err
	}
	r.spent = documents.RunCost(tx.runner.with.Prices.Table(), r.continued)
	if r.continued != nil {
		r.consulted = r.continued.Asked
	}
	if err := s.ReadAnswer(tx.Tx.Tx, r.cell); err != nil {
		return err
	}
	return tx.children().adoptForks(r)
}

// execute carries a run out and ends it. Nothing here holds the lock for long.
func (d *doc) execute(r *run, s request.Spec) {
	batch := coalesce.New(func(delta event.Delta, whole chat.Message) { d.putPartial(r, delta, whole) })
	stopHeartbeat := d.startHeartbeat()
	turn := d.runner.with.History.Begin(s.Agent.UUID, r.cell)
	s.Turn = func() *checkpoint.Recorder { return turn }
	err := d.Claim(r.ctx)
	var cfg agent.Config
	var built prompt.Result
	if err == nil {
		cfg, built, err = d.runner.config(r, s)
	}
	if err == nil {
		err = d.saveBuilt(r, built)
	}
	result := agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)}
	if r.ctx.Err() != nil {
		result.Outcome, _ = agent.Cut(r.ctx)
		result.Fault = nil
	}
	preempted := false // by a prompt that the person wants sent now
	if err == nil {
		d.detectLoops(r, cfg.Tools)
		cfg.Model = pausable{cfg.Model, d.runner.pause, d.setPausedAction}
		cfg.Model = budgeted{cfg.Model, func(ctx context.Context) bool { return d.withinBudget(ctx, r) }, func() { d.stopOverBudget(r) }}
		d.reacquireSlot(r.ctx, r) // it may have waited for its children once more
		cfg.BeforeEffect = func(ctx context.Context, e agent.Effect) error { return d.beforeEffect(ctx, r, e) }
		cfg.NextStep = func() bool {
			if !d.hasSendNow() {
				d.reacquireSlot(r.ctx, r)
			}
			preempted = r.ctx.Err() == nil && d.hasSendNow()
			return !preempted
		}
		result = agent.Run(r.ctx, cfg, func(u agent.Update) { d.update(r, batch, u) })
	}
	batch.Flush()
	turn.End() // what it could not record its notes say
	stopHeartbeat()
	d.do(func(tx *Tx) {
		d.runner.out.Emit(event.FilesChanged{Path: d.Path()})
		tx.active = nil
		tx.SetRunning(false)
		if tx.Gone() { // its node goes with it
			d.runner.with.Start(func() { d.runner.registry.FilesChanged(map[string]bool{d.Path(): true}) })
		}
		preempted = preempted && r.ctx.Err() == nil // not stopped meanwhile
		tx.runs().finish(r, result)
		tx.naming().nameByModel(r, s.Prompt, result)
		tx.runs().prepareNext(r.cell, preempted)
		tx.runs().startNext()
	})
}
