package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
)

// parallel is how many reading calls run at once; stopGrace is how long a stopped tool may take to
// end before it is abandoned.
const (
	parallel  = 8
	stopGrace = 100 * time.Millisecond
)

// toolCall is a call from its preparation to its result.
type toolCall struct {
	call     chat.ToolCall
	prepared tool.Call
	err      error        // nothing is to be run; result says why
	done     chan outcome // holds one: an abandoned tool can still end
	result   tool.Result
	note     string // put before the result
	facts    chat.CallFacts
	approved []tool.Change // the changes that the person saw
	called   time.Time     // handed to a worker
	began    time.Time
	took     time.Duration
}

// outcome is the result of a tool's goroutine.
type outcome struct {
	result tool.Result
	began  time.Time
	took   time.Duration
}

func (t *toolCall) reads() bool { return t.err != nil || t.prepared.Tool.Reads() }

// runTools runs the calls of an answer, puts a result for each in order, and
// takes answer and results into the conversation. True: the task is finished.
func (r *run) runTools(ctx context.Context, a *answer, calls []chat.ToolCall) (finished bool) {
	if len(calls) == 0 {
		return false
	}
	made := r.index - 1 // the message with the calls
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(stopGrace, func() { close(late) })
	})()
	all := make([]*toolCall, len(calls))
	for i, c := range calls {
		all[i] = r.prepare(a, c)
	}
	for start := 0; start < len(all); {
		end := start + 1
		for all[start].reads() && end < len(all) && all[end].reads() {
			end++
		}
		batch := all[start:end]
		if !batch[0].reads() {
			r.approve(ctx, a, batch[0])
			r.beforeEffect(ctx, made, batch[0])
		}
		r.start(ctx, batch)
		for _, t := range batch {
			r.await(ctx, t, late)
			m := toolMessage(t.call, t.result)
			a.sent = append(a.sent, m)
			r.putMessage(Put{Message: m, IsError: t.result.IsError, Facts: t.callFacts(), At: t.began, Took: t.took})
			if t.result.Finish && !t.result.IsError {
				finished, r.result.FinishText = true, t.result.Content
			}
		}
		start = end
	}
	r.say(a.sent)
	return finished
}

func (r *run) prepare(a *answer, c chat.ToolCall) *toolCall {
	t := &toolCall{call: c, done: make(chan outcome, 1)}
	if t.prepared, t.err = r.cfg.Tools.Prepare(c.Function.Name, c.Function.Arguments); t.err != nil {
		if a.finish == "length" {
			t.err = fmt.Errorf("%w (the answer reached its limit of tokens and was cut off here: write less in one call)", t.err)
		}
		t.refuse(t.err.Error())
	}
	return t
}

// approve asks about a call that changes something. The result of a refused call says what to do
// instead.
func (r *run) approve(ctx context.Context, a *answer, t *toolCall) {
	name := t.prepared.Tool.Name()
	if _, why := Cut(ctx); ctx.Err() != nil {
		t.stop(why)
		return
	}
	if r.cfg.Approver == nil {
		t.refuse(fmt.Sprintf("%s was not run: it changes something, and in this run only tools that read may be used. Go on without it, and say in your answer what you would have done.", name))
		return
	}
	r.act("waiting for approval: " + t.prepared.Action)
	d, err := r.cfg.Approver.Approve(ctx, Ask{CallID: t.call.ID, Index: r.index, Made: t.call, Call: t.prepared, Why: a.why()})
	switch {
	case ctx.Err() != nil:
		_, why := Cut(ctx)
		t.stop(why)
	case err != nil:
		t.refuse(fmt.Sprintf("%s was not run: nobody decided about it (%v).", name, err))
	case d.Result != nil:
		t.result, t.err = *d.Result, errIdle
	case !d.Allow && d.Reason != "":
		t.facts.Reason = d.Reason
		t.reject(fmt.Sprintf("The person rejected this call of %s, with this reason: %s", name, d.Reason))
	case !d.Allow:
		t.reject(fmt.Sprintf("The person rejected this call of %s. Do not try the same in another way; ask, or go on without it.", name))
	case d.Arguments != "":
		edited, err := r.cfg.Tools.Prepare(name, d.Arguments)
		if err != nil {
			t.refuse("The person edited the arguments, but they cannot be used: " + err.Error())
			return
		}
		t.prepared, t.note = edited, fmt.Sprintf("[The person changed the arguments to %s]\n", edited.Args)
		if d.Note != "" {
			t.note = "[" + d.Note + "]\n"
		}
	}
	t.approved = d.Approved
}

// errIdle marks a call that has its result without having been run.
var errIdle = errors.New("nothing is to be done")

// beforeEffect has kept what must be kept before a call changes something.
func (r *run) beforeEffect(ctx context.Context, made int, t *toolCall) {
	if t.err != nil || r.cfg.BeforeEffect == nil {
		return
	}
	err := r.cfg.BeforeEffect(ctx, Effect{Index: made, Call: t.call})
	switch {
	case ctx.Err() != nil:
		_, why := Cut(ctx)
		t.stop(why)
	case err != nil:
		t.refuse(fmt.Sprintf("%s was not run, and nothing was changed: it could not be noted first that it runs (%v). The person has to see to that; do not try it in another way.", t.prepared.Tool.Name(), err))
	}
}

// reject, refuse and stop set the result of a call that will not run: why is the
// reason, for the model.
func (t *toolCall) reject(why string) { t.fail(chat.CallRejected, why) }
func (t *toolCall) refuse(why string) { t.fail(chat.CallRefused, why) }
func (t *toolCall) stop(why string)   { t.fail(chat.CallStopped, why) }

func (t *toolCall) fail(end chat.CallEnd, why string) {
	t.facts.End = end
	t.result, t.err = tool.Error(why), fmt.Errorf("%s", why)
}

// callFacts returns the short facts that a person sees about the call, or nil.
func (t *toolCall) callFacts() *chat.CallFacts {
	if f := t.result.Facts; f != nil {
		f.End = cmp.Or(t.facts.End, f.End)
		return f
	}
	if t.facts == (chat.CallFacts{}) {
		return nil
	}
	return &t.facts
}

// start runs a batch in the background, a few at a time.
func (r *run) start(ctx context.Context, batch []*toolCall) {
	var ready []*toolCall
	for i, t := range batch {
		if t.err == nil {
			ready = append(ready, t)
			t.called = r.now()
			r.emit(Called{Index: r.index + i, Call: t.call})
		}
	}
	switch {
	case len(ready) == 1:
		r.act(ready[0].prepared.Action)
	case len(ready) > 1:
		r.act(fmt.Sprintf("%s and %d more", ready[0].prepared.Action, len(ready)-1))
	}
	next := make(chan *toolCall, len(ready))
	for _, t := range ready {
		next <- t
	}
	close(next)
	for range min(parallel, len(ready)) {
		go func() {
			for t := range next {
				started := r.now()
				env := r.cfg.Env
				env.CallID = t.call.ID
				env.Afresh, env.Approved = t.approved != nil, t.approved
				res := tool.Run(ctx, env, t.prepared)
				t.done <- outcome{res, started, r.now().Sub(started)}
			}
		}()
	}
}

// await stores the result of the call; after cancellation it waits at most
// stopGrace. An error caused by the cancellation is reported as such.
func (r *run) await(ctx context.Context, t *toolCall, late <-chan struct{}) {
	if t.err != nil {
		return
	}
	o := outcome{began: t.called}
	select {
	case o = <-t.done:
	case <-late:
		select {
		case o = <-t.done:
		default:
			o.result = tool.Error(unfinished(ctx, t.prepared.Tool.Reads()))
			o.took = r.now().Sub(o.began)
		}
	}
	if ctx.Err() != nil && o.result.IsError {
		facts := o.result.Facts // the person can still see what it printed
		o.result = tool.Error(unfinished(ctx, t.prepared.Tool.Reads()))
		o.result.Facts, t.facts.End = facts, chat.CallStopped
	}
	t.result, t.began, t.took = o.result, o.began, o.took
	t.result.Content = t.note + t.result.Content
}

// toolMessage returns a result as it is stored: text, followed by images.
func toolMessage(c chat.ToolCall, res tool.Result) chat.Message {
	m := chat.Message{Role: chat.Tool, ToolCallID: c.ID, Name: c.Function.Name, Content: chat.Text(res.Content)}
	if len(res.Images) > 0 {
		m.Content = chat.Content{Parts: append([]chat.Part{{Type: chat.PartText, Text: res.Content}}, res.Images...)}
	}
	return m
}
