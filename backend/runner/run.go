package runner

import (
	"cmp"
	"context"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/coalesce"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/process"
	"mutsumi/backend/request"
)

// run is one prompt that is being answered or waits in the queue.
type run struct {
	id           string
	cell         string
	continues    bool         // continues an answer that broke off
	sendNow      bool         // to be sent at the next step of the active run
	waitsForSlot bool         // it waits for a slot to begin or to go on, as no person started it (SPEC 9)
	overBudget   bool         // the person ended it when its budget was spent
	writeFault   *fault.Error // why its answer could not be written into its cell
	startedMs    int64        // Unix milliseconds; 0: it is queued
	began        time.Time    // the same, with a monotonic clock
	queuedMs     int64        // when its queue span began; 0: it has none
	queued       time.Time    // the same, with a monotonic clock
	model        string
	agent        string // the agent's kind, which its messages name
	ctx          context.Context
	cancel       context.CancelFunc
	skipWait     chan struct{}
	spent        cost.Total            // so far; written by the run's own goroutine in a Tx
	first        bool                  // nothing ran in the notebook before
	finished     bool                  // it has ended, and the notebook holds its costs
	continued    *notebook.RunInfo     // of the answer that it continues; nil: none
	consulted    []notebook.ModelUsage // usage of the agents that this one consulted
	activity     activity
	progress     *callProgress
	cache        cacheWatch
	waitMs       int64 // Unix milliseconds of the next attempt; 0: no wait
	waitWhy      string
}

func (r *run) view() notebook.RunView {
	return notebook.RunView{RunID: r.id, Cell: r.cell, AtMs: r.startedMs, Queued: r.startedMs == 0, Now: r.startedMs == 0 && r.sendNow, WaitUntilMs: r.waitMs, WaitReason: r.waitWhy}
}

// atMs returns a time of the run in Unix milliseconds, by the system's clock as it was when the run
// began: setting the clock later changes nothing.
func (r *run) atMs(t time.Time) int64 { return r.startedMs + t.Sub(r.began).Milliseconds() }

// nowMs returns the current time for the notebook, in Unix milliseconds: by the clock of the active
// run, otherwise by the system's.
func (tx queueTx) nowMs() int64 {
	if tx.active != nil {
		return tx.active.atMs(time.Now())
	}
	return nowMs()
}

// rewind puts a cell's answer and all cells below aside as a branch, so that the cell can run
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

// start begins a run: it empties the cell's answer, fixes its prompt, and calls
// execute in the background. On an error the notebook is unchanged.
func (tx queueTx) start(r *run) error {
	r.startedMs, r.began = nowMs(), time.Now()
	doc := tx.doc
	r.progress = newCallProgress(func(e event.CallProgress) {
		e.RunID, e.Path, e.Cell = r.id, doc.Path(), r.cell
		doc.runner.out.Emit(e)
	})
	tx.Identify()
	var s request.Spec
	var err error
	if s.Role, s.Endpoint, err = tx.runner.with.Kinds.Resolve(tx.Notebook().Meta()); err != nil {
		return err
	}
	if err := tx.read(&s, r.cell); err != nil {
		return err
	}
	s.ByAgent = s.Endpoint.ProviderID == notebook.ACP
	r.model, r.agent = s.Endpoint.Model.ID, cmp.Or(s.Role.Name, kind.Chat)
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
		request.SetStartedCall(tx.Tx.Tx, r.cell, nil) // cannot fail: the run has a prompt
	}
	tx.naming().nameFromPrompt(s.Prompt)
	s.Agent.Name = tx.Notebook().Meta().Name
	tx.SetRunning(true)
	tx.looked = r.began
	if tx.active = r; !r.sendNow { // a prompt sent with "send now" belongs to the work that the raise was for
		tx.raises = 0
	}
	if r.continues {
		tx.CountUsage() // the usage of the answer so far counts with this run
	} else {
		tx.RecountUsage()
	}
	tx.Changed(c, "")
	tx.runner.out.Emit(event.RunStarted{RunID: r.id, Path: tx.Path(), Cell: r.cell, AtMs: r.startedMs, Model: r.model})
	tx.timeline().traceStart(r)
	tx.logStarted(r)
	d := tx.doc
	d.runner.with.Start(func() { d.execute(r, s) })
	return nil
}

// execute carries out a run, ends it and starts the next one. It holds the lock
// only briefly.
func (d *doc) execute(r *run, s request.Spec) {
	batch := coalesce.New(func(delta event.Delta, whole chat.Message) { d.putPartial(r, delta, whole) })
	stopHeartbeat := d.startHeartbeat()
	turn := d.runner.with.History.Begin(s.Agent.UUID, r.cell)
	s.Turn = func() *checkpoint.Recorder { return turn }
	defer d.Disclaim()
	err := d.Claim(r.ctx)
	result := agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)}
	preempted := false // by a prompt with "send now"
	switch {
	case r.ctx.Err() != nil:
		result.Outcome, _ = agent.Cut(r.ctx)
		result.Fault = nil
	case err != nil:
	case s.ByAgent:
		result, preempted = d.answerByAgent(r, s, batch)
	default:
		result, preempted = d.answerByModel(r, s, batch)
	}
	batch.Flush()
	r.cache.locate(d.runner.records.file(s.Agent.UUID))
	turn.End() // the notes say what it could not record
	stopHeartbeat()
	d.do(func(tx *Tx) {
		d.runner.out.Emit(event.FilesChanged{Path: d.Path()})
		tx.active = nil
		tx.SetRunning(false)
		if tx.Gone() { // the tree now drops its node
			d.runner.with.Start(func() { d.runner.registry.FilesChanged(map[string]bool{d.Path(): true}) })
		}
		preempted = preempted && r.ctx.Err() == nil // not stopped in the meantime
		tx.runs().finish(r, result)
		tx.runs().finishChild(s, result)
		if result.Outcome == agent.Stopped {
			d.runner.with.Compactor.Drop(d.Path())
		}
		tx.naming().nameByModel(r, s.Prompt, result)
		tx.runs().prepareNext(r.cell, preempted)
		tx.runs().startNext()
	})
}

// answerByModel has a run answered by the model of its notebook. preempted reports that it ended
// for a prompt with "send now".
func (d *doc) answerByModel(r *run, s request.Spec, batch *coalesce.Batcher) (result agent.Result, preempted bool) {
	cfg, built, err := d.runner.config(r, s)
	if err == nil {
		err = d.saveBuilt(r, built)
	}
	if r.ctx.Err() != nil {
		result.Outcome, _ = agent.Cut(r.ctx)
	}
	if err != nil {
		if result.Outcome == "" {
			result = agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)}
		}
		return result, false
	}
	d.detectLoops(r, cfg.Tools)
	cfg.Model = d.runner.records.of(s.Agent.UUID, r.cell, r.cache.of(cfg.Model, request.CacheOf(s.Endpoint)))
	cfg.Model = pausable{cfg.Model, d.runner.pause, d.setPausedAction}
	cfg.Model = budgeted{cfg.Model, func(ctx context.Context) bool { return d.withinBudget(ctx, r) }, func() { d.stopOverBudget(r) }}
	d.reacquireSlot(r.ctx, r) // config may have released it to wait for children
	cfg.BeforeEffect = func(ctx context.Context, e agent.Effect) error { return d.beforeEffect(ctx, r, e) }
	cfg.NextStep = func() bool {
		d.look() // a prompt that another process appended may be next
		if !d.hasSendNow() {
			d.reacquireSlot(r.ctx, r)
		}
		preempted = r.ctx.Err() == nil && d.hasSendNow()
		return !preempted
	}
	result = agent.Run(r.ctx, cfg, func(u agent.Update) { d.update(r, batch, u) })
	return result, preempted
}
