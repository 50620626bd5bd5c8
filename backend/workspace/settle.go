package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/fork"
	"mutsumi/backend/prompt"
	"mutsumi/backend/ref"
	"mutsumi/backend/tool"
)

// settle gives the calls at the end of an answer that goes on the results that
// they lack, before anything is sent: a fork joins its children again, also
// when the person had stopped it; of any other call it is said that it was
// interrupted, and nothing is done a second time. The error is that of the
// run's context.
func (w *Workspace) settle(r *run, j *job, tools *tool.Registry, scratch string) error {
	at := lastCalls(j.answer)
	if at < 0 {
		return nil
	}
	d, err := w.doc(j.path())
	if err != nil {
		return err
	}
	for _, m := range j.answer[at+1:] {
		if m.Role != chat.Tool {
			return nil // the agent went on from there
		}
	}
	for _, call := range j.answer[at].ToolCalls {
		have := slices.IndexFunc(j.answer[at+1:], func(m chat.Message) bool { return m.ToolCallID == call.ID })
		f, forked := d.forkOf(r, at, call)
		var res tool.Result
		var began time.Time
		index := len(j.answer)
		if have >= 0 {
			index = at + 1 + have
		}
		switch {
		case forked && (have < 0 || cutShort(j.answer[at+1+have])):
			began = time.Now()
			d.showStep(agent.Called{Index: index, Call: call})
			res = d.rejoin(r.ctx, f, tool.Env{CallID: call.ID, Scratch: scratch})
			if r.ctx.Err() != nil {
				res = tool.Error(cutResult(r.ctx))
				res.Facts = &chat.CallFacts{End: chat.CallStopped}
			}
		case have >= 0:
			continue
		default:
			res = tool.Error(unfinished(call, tools, j.began(at, call)))
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
			j.answer = slices.Clone(j.answer)
			j.answer[put.Index] = put.Message
		} else {
			j.answer = append(slices.Clip(j.answer), put.Message)
		}
		d.put(r, put)
	}
	return r.ctx.Err()
}

// lastCalls is where the last message with calls stands in an answer; -1: nowhere.
func lastCalls(answer []chat.Message) int {
	for i, m := range slices.Backward(answer) {
		if m.Role == chat.Assistant && len(m.ToolCalls) > 0 {
			return i
		}
	}
	return -1
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
	d.w.forks.making.Lock()
	if ctx.Err() == nil {
		d.w.forks.beginAll(ctx, f, parent) // a stop is what join says
	}
	d.w.forks.making.Unlock()
	return d.w.forks.join(ctx, d, f, env)
}

// cutShort reports whether a result is only there because the call was
// stopped, by the person or by the end of the program.
func cutShort(result chat.Message) bool {
	text := result.Content.String()
	if strings.HasPrefix(text, "[") && strings.Contains(text, "]\n") { // a note that the person changed the arguments
		text = text[strings.LastIndex(text, "]\n")+len("]\n"):]
	}
	return text == agent.ByPerson || text == agent.Unfinished(false)
}

func cutResult(ctx context.Context) string {
	if outcome, why := agent.Cut(ctx); outcome == agent.Stopped {
		return why
	}
	return agent.Unfinished(false)
}

// began reports whether a call in message at of the answer may have begun
// before the program ended. What changes something begins only when the
// notebook says so, unless it was run by a program that did not write that.
func (j *job) began(at int, call chat.ToolCall) bool {
	return !j.effectsKept || j.started == startedCall{at, call.ID}
}

// unfinished says of a call that has no result what is known of it.
func unfinished(call chat.ToolCall, tools *tool.Registry, began bool) string {
	t, known := tools.Get(call.Function.Name)
	reads := known && t.Reads()
	switch {
	case !json.Valid([]byte(call.Function.Arguments)):
		return "The answer was cut off in the middle of this call: it did not run."
	case call.Function.Name == fork.Tool:
		return "interrupted by the end of the program before any agent was started"
	case !reads && !began:
		return agent.NotBegun
	}
	return agent.Unfinished(reads)
}

// caller runs the tools that stand in the prompt and in files.
func (j job) caller(c caller) assemble.ToolCaller {
	if !j.goesOn {
		return c
	}
	again := onceMore{caller: c}
	json.Unmarshal(j.sent, &again.sent) // what is not ours counts as nothing kept
	return again
}

// isForeign says which calls of the prompt nobody typed here. Of a run that goes
// on those that ran before are none: what they gave is given again.
func (j job) isForeign() func(call string) bool {
	if !j.goesOn || j.foreign == nil {
		return j.foreign
	}
	var sent prompt.Sent
	json.Unmarshal(j.sent, &sent)
	return func(call string) bool {
		name := ref.Parse(call).Tool
		return j.foreign(call) && !slices.ContainsFunc(sent.Tools, func(run prompt.ToolRun) bool { return run.Name == name })
	}
}

// onceMore is the caller of a run that goes on: what a tool gave when the
// prompt was first sent it gives again, and what may have changed something is
// not done a second time.
type onceMore struct {
	caller
	sent prompt.Sent
}

// Call implements assemble.ToolCaller.
func (c onceMore) Call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	for _, run := range c.sent.Tools {
		switch {
		case run.Name != name || !sameJSON(run.Args, args):
		case run.IsError:
			return "", errors.New(run.Result)
		default:
			return run.Result, nil
		}
	}
	if reads, known := c.Reads(name); known && !reads {
		return "", errors.New(agent.Unfinished(false))
	}
	return c.caller.Call(ctx, name, args)
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
