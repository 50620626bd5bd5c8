package agent

import (
	"context"
	"fmt"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
)

// parallel is how many reading calls run at once; stopGrace is how long a
// tool has to end after a stop before it is left behind.
const (
	parallel  = 8
	stopGrace = 100 * time.Millisecond
)

// job is a call on its way.
type job struct {
	call     chat.ToolCall
	prepared tool.Call
	err      error        // there is nothing to run; result says why
	done     chan outcome // holds one: a tool that is left behind can still end
	result   tool.Result
	note     string // put before the result
	facts    chat.CallFacts
	called   time.Time // handed to a worker
	began    time.Time
	took     time.Duration
}

// outcome is what a tool's goroutine hands back.
type outcome struct {
	result tool.Result
	began  time.Time
	took   time.Duration
}

func (j *job) reads() bool { return j.err != nil || j.prepared.Tool.Reads() }

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
	jobs := make([]*job, len(calls))
	for i, c := range calls {
		jobs[i] = r.prepare(a, c)
	}
	for start := 0; start < len(jobs); {
		end := start + 1
		for jobs[start].reads() && end < len(jobs) && jobs[end].reads() {
			end++
		}
		batch := jobs[start:end]
		if !batch[0].reads() {
			r.approve(ctx, a, batch[0])
			r.beforeEffect(ctx, made, batch[0])
		}
		r.start(ctx, batch)
		for _, j := range batch {
			r.await(ctx, j, late)
			m := toolMessage(j.call, j.result)
			a.sent = append(a.sent, m)
			r.putMessage(Put{Message: m, IsError: j.result.IsError, Facts: j.told(), At: j.began, Took: j.took})
			if j.result.Finish && !j.result.IsError {
				finished, r.result.FinishText = true, j.result.Content
			}
		}
		start = end
	}
	r.say(a.sent)
	return finished
}

func (r *run) prepare(a *answer, c chat.ToolCall) *job {
	j := &job{call: c, done: make(chan outcome, 1)}
	if j.prepared, j.err = r.cfg.Tools.Prepare(c.Function.Name, c.Function.Arguments); j.err != nil {
		if a.finish == "length" {
			j.err = fmt.Errorf("%w (the answer reached its limit of tokens and was cut off here: write less in one call)", j.err)
		}
		j.refuse(j.err.Error())
	}
	return j
}

// approve asks about a call that changes something. A refusal is a result
// that says what to do instead.
func (r *run) approve(ctx context.Context, a *answer, j *job) {
	name := j.prepared.Tool.Name()
	if _, why := Cut(ctx); ctx.Err() != nil {
		j.stop(why)
		return
	}
	if r.cfg.Approver == nil {
		j.refuse(fmt.Sprintf("%s was not run: it changes something, and in this run only tools that read may be used. Go on without it, and say in your answer what you would have done.", name))
		return
	}
	r.act("waiting for approval: " + j.prepared.Action)
	d, err := r.cfg.Approver.Approve(ctx, Ask{CallID: j.call.ID, Index: r.index, Made: j.call, Call: j.prepared, Why: a.why()})
	switch {
	case ctx.Err() != nil:
		_, why := Cut(ctx)
		j.stop(why)
	case err != nil:
		j.refuse(fmt.Sprintf("%s was not run: nobody decided about it (%v).", name, err))
	case !d.Allow && d.Reason != "":
		j.facts.Reason = d.Reason
		j.reject(fmt.Sprintf("The person rejected this call of %s, with this reason: %s", name, d.Reason))
	case !d.Allow:
		j.reject(fmt.Sprintf("The person rejected this call of %s. Do not try the same in another way; ask, or go on without it.", name))
	case d.Arguments != "":
		edited, err := r.cfg.Tools.Prepare(name, d.Arguments)
		if err != nil {
			j.refuse("The person edited the arguments, but they cannot be used: " + err.Error())
			return
		}
		j.prepared, j.note = edited, fmt.Sprintf("[The person changed the arguments to %s]\n", edited.Args)
		if d.Told != "" {
			j.note = "[" + d.Told + "]\n"
		}
	}
}

// beforeEffect has kept what must be kept before a call changes something.
func (r *run) beforeEffect(ctx context.Context, made int, j *job) {
	if j.err != nil || r.cfg.BeforeEffect == nil {
		return
	}
	err := r.cfg.BeforeEffect(ctx, Effect{Index: made, Call: j.call})
	switch {
	case ctx.Err() != nil:
		_, why := Cut(ctx)
		j.stop(why)
	case err != nil:
		j.refuse(fmt.Sprintf("%s was not run, and nothing was changed: it could not be noted first that it runs (%v). The person has to see to that; do not try it in another way.", j.prepared.Tool.Name(), err))
	}
}

// reject, refuse and stop give a job that will not run its result: why says
// the reason, for the model.
func (j *job) reject(why string) { j.fail(chat.CallRejected, why) }
func (j *job) refuse(why string) { j.fail(chat.CallRefused, why) }
func (j *job) stop(why string)   { j.fail(chat.CallStopped, why) }

func (j *job) fail(end chat.CallEnd, why string) {
	j.facts.End = end
	j.result, j.err = tool.Error(why), fmt.Errorf("%s", why)
}

// told returns what a person sees of the call at a glance, nil for nothing.
func (j *job) told() *chat.CallFacts {
	if f := j.result.Facts; f != nil {
		f.End = j.facts.End
		return f
	}
	if j.facts == (chat.CallFacts{}) {
		return nil
	}
	return &j.facts
}

// start runs a batch in the background, a few at a time.
func (r *run) start(ctx context.Context, batch []*job) {
	var ready []*job
	for i, j := range batch {
		if j.err == nil {
			ready = append(ready, j)
			j.called = r.now()
			r.emit(Called{Index: r.index + i, Call: j.call})
		}
	}
	switch {
	case len(ready) == 1:
		r.act(ready[0].prepared.Action)
	case len(ready) > 1:
		r.act(fmt.Sprintf("%s and %d more", ready[0].prepared.Action, len(ready)-1))
	}
	next := make(chan *job, len(ready))
	for _, j := range ready {
		next <- j
	}
	close(next)
	for range min(parallel, len(ready)) {
		go func() {
			for j := range next {
				started := r.now()
				env := r.cfg.Env
				env.CallID = j.call.ID
				res := tool.Run(ctx, env, j.prepared)
				j.done <- outcome{res, started, r.now().Sub(started)}
			}
		}()
	}
}

// await sets the job's result, after a stop at the latest when the grace is
// over. A failure that the stop caused is called by its name.
func (r *run) await(ctx context.Context, j *job, late <-chan struct{}) {
	if j.err != nil {
		return
	}
	o := outcome{began: j.called}
	select {
	case o = <-j.done:
	case <-late:
		select {
		case o = <-j.done:
		default:
			o.result = tool.Error(unfinished(ctx, j.prepared.Tool.Reads()))
			o.took = r.now().Sub(o.began)
		}
	}
	if ctx.Err() != nil && o.result.IsError {
		o.result = tool.Error(unfinished(ctx, j.prepared.Tool.Reads()))
		j.facts.End = chat.CallStopped
	}
	j.result, j.began, j.took = o.result, o.began, o.took
	j.result.Content = j.note + j.result.Content
}

// toolMessage is a result as it is kept: text, with images behind it.
func toolMessage(c chat.ToolCall, res tool.Result) chat.Message {
	m := chat.Message{Role: chat.Tool, ToolCallID: c.ID, Name: c.Function.Name, Content: chat.Text(res.Content)}
	if len(res.Images) > 0 {
		m.Content = chat.Content{Parts: append([]chat.Part{{Type: chat.PartText, Text: res.Content}}, res.Images...)}
	}
	return m
}
