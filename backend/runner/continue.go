package runner

import (
	"context"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fork"
	"mutsumi/backend/request"
	"mutsumi/backend/tool"
)

// resolvePendingCalls gives the calls at the end of an answer that is continued the results that
// they lack, before anything is sent: a fork joins its children again, also
// when the person had stopped it; of any other call it is said that it was
// interrupted, and nothing is done a second time. The error is that of the
// run's context.
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

// forkOf finds what a call in message at of the answer started.
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

// rejoin waits for the children of a fork again. Those that never ran begin,
// those that the end of the program interrupted go on; the others are not run
// a second time.
func (d *doc) rejoin(ctx context.Context, f fork.Record, env tool.Env) tool.Result {
	parent := d.UUID()
	d.runner.with.Making.Lock()
	if ctx.Err() == nil {
		d.runner.forks.beginAll(ctx, f, parent) // a stop is what join says
	}
	d.runner.with.Making.Unlock()
	return d.runner.forks.join(ctx, d, f, env)
}

// isCutShort reports whether a result is only there because the call was
// stopped, by the person or by the end of the program.
func isCutShort(result chat.Message) bool {
	text := result.Content.String()
	if strings.HasPrefix(text, "[") && strings.Contains(text, "]\n") { // a note that the person changed the arguments
		text = text[strings.LastIndex(text, "]\n")+len("]\n"):]
	}
	return text == agent.ByPerson || text == agent.Unfinished(false)
}

func interruptedText(ctx context.Context) string {
	if outcome, why := agent.Cut(ctx); outcome == agent.Stopped {
		return why
	}
	return agent.Unfinished(false)
}
