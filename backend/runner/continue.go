package runner

import (
	"context"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/documents"
	"mutsumi/backend/fork"
	"mutsumi/backend/request"
	"mutsumi/backend/tool"
)

// resolvePendingCalls adds missing results to the calls at the end of a continued answer before
// anything is sent. A fork waits for its children again, even if the person had stopped it; every
// other call gets a result that says it was interrupted, and does not run again. The error is that
// of the run's context.
func (rn *Runner) resolvePendingCalls(r *run, s *request.Spec, tools *tool.Registry, scratch string) error {
	at := request.LastCalls(s.Answer)
	if at < 0 {
		return nil
	}
	d := docOf(s.Live)
	for _, m := range s.Answer[at+1:] {
		if m.Role != chat.Tool {
			return nil // the agent went on from there
		}
	}
	for _, call := range s.Answer[at].ToolCalls {
		have := slices.IndexFunc(s.Answer[at+1:], func(m chat.Message) bool { return m.ToolCallID == call.ID })
		f, forked := d.forkOf(r, at, call)
		var res tool.Result
		var began time.Time
		index := len(s.Answer)
		if have >= 0 {
			index = at + 1 + have
		}
		switch {
		case forked && (have < 0 || isCutShort(s.Answer[at+1+have])):
			began = time.Now()
			d.traceStep(agent.Called{Index: index, Call: call})
			res = d.rejoin(r.ctx, f, tool.Env{CallID: call.ID, Scratch: scratch})
			if r.ctx.Err() != nil {
				res = tool.Error(interruptedText(r.ctx))
				res.Facts = &chat.CallFacts{End: chat.CallStopped}
			}
		case have >= 0:
			continue
		default:
			res = tool.Error(request.PendingResult(call, tools, s.MayHaveBegun(at, call)))
			res.Facts = &chat.CallFacts{End: chat.CallStopped, Line: "The program ended meanwhile"}
		}
		put := agent.Put{
			Index: index, IsError: res.IsError, Facts: res.Facts, At: began,
			Message: chat.Message{Role: chat.Tool, ToolCallID: call.ID, Name: call.Function.Name, Content: chat.Text(res.Content)},
		}
		if !began.IsZero() {
			put.Took = time.Since(began)
		}
		if have >= 0 {
			s.Answer = slices.Clone(s.Answer)
			s.Answer[put.Index] = put.Message
		} else {
			s.Answer = append(slices.Clip(s.Answer), put.Message)
		}
		d.put(r, put)
	}
	return r.ctx.Err()
}

// forkOf returns the fork that a call started; at is the index of the call's
// message in the answer.
func (d *doc) forkOf(r *run, at int, call chat.ToolCall) (found fork.Record, ok bool) {
	if call.Function.Name != fork.Tool {
		return fork.Record{}, false
	}
	d.do(func(tx *Tx) {
		all := fork.Records(tx.Notebook())
		i := slices.IndexFunc(all, fork.Record{Cell: r.cell, Call: call.ID, Index: at, RunMs: r.startedMs}.Same)
		if ok = i >= 0; ok {
			found = all[i]
		}
	})
	return found, ok
}

// rejoin waits for the children of a fork again. Children that never ran start, and children that
// the end of the program interrupted resume; the others do not run again.
func (d *doc) rejoin(ctx context.Context, f fork.Record, env tool.Env) tool.Result {
	parent := d.UUID()
	d.runner.with.Making.Lock()
	if ctx.Err() == nil {
		d.runner.forks.beginAll(ctx, f, parent) // join reports a stop
	}
	d.runner.with.Making.Unlock()
	return d.runner.forks.join(ctx, d, f, env)
}

// isCutShort reports whether a result only says that the call was stopped, by the person or by the
// end of the program.
func isCutShort(result chat.Message) bool {
	text := result.Content.String()
	if strings.HasPrefix(text, "[") && strings.Contains(text, "]\n") { // a note that the person changed the arguments
		text = text[strings.LastIndex(text, "]\n")+len("]\n"):]
	}
	return text == agent.ByPerson || text == agent.Unfinished(false)
}

// interruptedText is the result of a call whose run ended.
func interruptedText(ctx context.Context) string {
	if outcome, why := agent.Cut(ctx); outcome == agent.Stopped {
		return why
	}
	return agent.Unfinished(false)
}

// loadContinued reads the answer that a run continues, with its cost and forks,
// into r and s.
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
