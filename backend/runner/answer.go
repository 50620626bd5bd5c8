package runner

import (
	"encoding/json"
	"errors"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/coalesce"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/metaedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
)

// saveBuilt writes what the build of the request produced into the notebook: macros, context items
// and sent results (SPEC 2.6, 5.3).
func (d *doc) saveBuilt(r *run, built prompt.Result) error {
	items, err := json.Marshal(built.Metadata.ContextItems)
	if err != nil {
		return err
	}
	sent, err := json.Marshal(built.Sent)
	if err != nil {
		return err
	}
	return locked(d, func(tx *Tx) error {
		if before := tx.Notebook().Raw(prompt.KeyMacros); len(built.Metadata.MacroContext) > 0 || before != nil {
			if macros, bad := metaedit.MergeMacros(before, built.Metadata.MacroContext, ""); bad == nil { // otherwise they stay, and the build has warned
				err = errors.Join(err, tx.Notebook().SetMacroContext(macros))
			}
		}
		if len(built.Metadata.ContextItems) > 0 || tx.Notebook().Raw(prompt.KeyItems) != nil {
			err = errors.Join(err, tx.Notebook().SetContextItems(items))
		}
		if built.Sent.IsEmpty() {
			sent = nil // replaces what an earlier run of the cell kept
		}
		err = errors.Join(err, tx.Notebook().KeepPromptMeta(r.cell, prompt.KeySent, sent))
		tx.SaveSoon()
		return err
	})
}

// update applies an update of the agent loop to the notebook and emits its events.
func (d *doc) update(r *run, batch *coalesce.Batcher, u agent.Update) {
	switch u := u.(type) {
	case agent.Delta:
		batch.Add(u)
	case agent.Put:
		batch.Flush()
		r.progress.end(u.Message.ToolCallID)
		d.put(r, u)
		if u.Message.ToolCallID != "" {
			d.runner.with.Coedits.Recheck() // the call may have written a file
		}
	case agent.Asked, agent.Called:
		d.traceStep(u)
	case agent.Waiting:
		d.logWaiting(u)
		d.do(func(tx *Tx) {
			r.waitMs, r.waitWhy = 0, u.Reason
			if !u.Until.IsZero() {
				r.waitMs = u.Until.UnixMilli()
			}
			tx.runs().publishActivity("")
			d.runner.out.Emit(event.RunWaiting{RunID: r.id, Path: d.Path(), Cell: r.cell, Attempt: u.Attempt, UntilMs: r.waitMs, Reason: u.Reason})
		})
	case agent.Action:
		d.do(func(tx *Tx) { tx.runs().setAction(r, u.Text) })
	}
}

// put writes a finished message of the answer into the notebook.
func (d *doc) put(r *run, u agent.Put) {
	d.do(func(tx *Tx) {
		if err := tx.Notebook().PutMessage(r.cell, u.Index, tx.timeline().traceMessage(r, u)); err != nil {
			r.breakOff(err)
			return
		}
		tx.SaveSoon()
		if u.Usage != nil {
			r.spent = r.spent.Add(documents.RunCost(d.runner.with.Prices.Table(), &notebook.RunInfo{Model: r.model, Usage: u.Usage}))
			r.activity.output = nil // the usage replaces the estimate
		}
		if r.activity.loops != nil {
			r.activity.loops.Add(u.Message, u.IsError, time.Now())
		}
		r.activity.noteMessage(u.Message)
		view, err := tx.Notebook().Message(r.cell, u.Index)
		if err != nil {
			return
		}
		d.runner.out.Emit(event.MessagePut{RunID: r.id, Path: d.Path(), Cell: r.cell, Index: u.Index, Message: view})
	})
}

// putPartial writes the part of a message that has arrived.
func (d *doc) putPartial(r *run, delta event.Delta, whole chat.Message) {
	d.do(func(tx *Tx) {
		t := tx.lane.Since(delta.Index, tx.runs().nowMs()) // the message's times, in case the program ends here
		m := notebook.Message{Message: whole, Agent: r.agent, AtMs: t.AtMs, TookMs: t.TookMs, WaitedMs: t.WaitedMs}
		if err := tx.Notebook().PutMessage(r.cell, delta.Index, m); err != nil {
			r.breakOff(err)
			return
		}
		tx.SaveSoon()
		tx.runs().noteDelta(r, delta)
		delta.RunID, delta.Path, delta.Cell = r.id, d.Path(), r.cell
		d.runner.out.Emit(delta)
	})
}

// breakOff cancels a run whose answer cannot be written into its cell, so that no further answer is
// requested and lost. Call it in a Tx.
func (r *run) breakOff(err error) {
	if r.writeFault == nil && r.ctx.Err() == nil {
		r.writeFault = fault.New(fault.Internal, "Could not add the answer to its cell: %w. What came before is kept. Run the prompt again.", err)
	}
	r.cancel()
}

// finish records in the notebook how the run ended.
func (tx queueTx) finish(r *run, result agent.Result) {
	usage := result.Usage
	if r.continued != nil && r.continued.Usage != nil {
		usage = usage.Add(*r.continued.Usage)
	}
	requests := result.Steps + result.Retries
	if r.continued != nil {
		requests += r.continued.Count()
	}
	info := notebook.RunInfo{
		Requests: requests, StartedAtMs: r.startedMs, TookMs: time.Since(r.began).Milliseconds(), Model: r.model,
		Outcome: notebook.Outcome(result.Outcome), Fault: result.Fault, Usage: &usage, Asked: r.consulted,
	}
	if r.writeFault != nil && result.Outcome == agent.Stopped {
		result.Outcome, result.Fault = agent.Broken, r.writeFault
		info.Outcome, info.Fault = notebook.Broken, r.writeFault
	}
	if r.overBudget && result.Outcome == agent.Stopped {
		info.Fault = fault.New(fault.Canceled, "The budget is spent. Raise it to let the agent continue.")
		result.Fault = info.Fault
	}
	if r.continued != nil {
		info.EarlierMs = r.continued.WorkedMs()
	}
	info.Cache = r.cache.miss
	tx.timeline().traceEnd(&info)
	request.SetStartedCall(tx.Tx.Tx, r.cell, nil) // every call has a result now
	c, err := tx.Notebook().EndRun(r.cell, info)
	if err == nil {
		r.finished = true
		tx.CountUsage()
		tally, _ := tx.Usage()
		tx.Notebook().KeepTally(tally)
		tx.Changed(c, "")
	}
	tx.ended(r, result)
}

// ended publishes the end of a run. It is called exactly once per run.
func (tx queueTx) ended(r *run, result agent.Result) {
	r.cancel()
	tx.logEnded(r, result)
	tx.runner.with.Attention.RunEnded(tx.Path(), r.cell, r.activity.lastText, result)
	defer tx.runner.forks.runEnded(r)
	tx.timeline().traceDropped(r)
	tx.publishActivity("")
	tx.runner.with.Coedits.Recheck()
	if result.Outcome == agent.TaskDone {
		tx.runner.with.Approvals.Policy().Finish(tx.Notebook().Meta().UUID)
	}
	tx.runner.registry.SetFailed(tx.Path(), result.Outcome == agent.Failed || result.Outcome == agent.Broken)
	tx.runner.out.Emit(event.RunFinished{
		RunID: r.id, Path: tx.Path(), Cell: r.cell, Outcome: notebook.Outcome(result.Outcome), Fault: result.Fault,
	})
}
