package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/tool"
)

// Run sends the conversation, streams the answer, runs the requested tools, appends their results
// and sends again, until an answer requests no tool, the task is finished, ctx ends, something
// fails or the step limit is reached. It returns how the run ended; failures are values.
//
// Run calls emit only from its own goroutine, in order; emit should not block. Whatever happens,
// the messages that were put form a conversation that can be sent again: every tool call has its
// result. When ctx ends, the request and the tools end too, Run puts what has arrived, and returns
// within about 100 ms even if a tool does not.
//
// Adjacent calls that only read run in parallel; their results keep the order of the calls. A call
// that changes something runs alone, and only if the Approver allows it.
func Run(ctx context.Context, cfg Config, emit func(Update)) Result {
	r := begin(cfg, emit)
	for {
		if f := r.fit(ctx); f != nil {
			return r.end(r.failure(), f)
		}
		r.act("thinking")
		answer, err := r.ask(ctx)
		calls := r.putAnswer(answer)

		switch {
		case ctx.Err() != nil:
			outcome, why := Cut(ctx)
			r.failCalls(calls, &chat.CallFacts{End: chat.CallStopped}, why)
			return r.end(outcome, nil)
		case err != nil:
			r.failCalls(calls, nil, "interrupted: the connection broke before this ran")
			return r.end(r.failure(), fault.Of(err))
		case len(calls) == 0 && answer.cutShort() != nil:
			return r.end(r.failure(), answer.cutShort())
		case answer.isEmpty() && r.nothingCame():
			return r.end(Failed, emptyAnswer(answer.finish))
		}

		finished := r.runTools(ctx, answer, calls)
		switch {
		case ctx.Err() != nil:
			outcome, _ := Cut(ctx)
			return r.end(outcome, nil)
		case finished:
			return r.end(TaskDone, nil)
		case len(calls) == 0:
			return r.end(Done, nil)
		case r.result.Steps >= r.limit:
			return r.end(StepLimit, fault.New(fault.Canceled,
				"The run reached its limit of %d steps. Continue to let the agent go on, or raise the limit in the settings.", r.limit))
		case cfg.NextStep != nil && !cfg.NextStep():
			return r.end(Done, nil)
		}
	}
}

// run is the state of one run.
type run struct {
	cfg     Config
	emit    func(Update)
	now     func() time.Time
	limit   int
	request provider.Request // Messages grows with every step
	before  int              // how many of them come from Config.Messages
	input   int              // tokens of the request's tools and of its first messages
	counted int              // how many messages these are
	index   int              // of the next message in the answer
	put     int              // messages put so far
	waiting bool
	result  Result
}

func begin(cfg Config, emit func(Update)) *run {
	r := &run{cfg: cfg, emit: emit, now: cfg.Now, limit: cfg.StepLimit, index: cfg.Index, request: cfg.Request}
	if r.now == nil {
		r.now = time.Now
	}
	if r.limit <= 0 {
		r.limit = DefaultStepLimit
	}
	var asked bool
	if r.request, _, asked = first(cfg); asked {
		r.emit(Put{Index: r.index, Message: askToGoOn, Internal: true})
		r.index++
	}
	r.before = len(r.request.Messages)
	if r.input = cfg.InputTokens; r.input > 0 {
		r.counted = len(r.request.Messages)
		return r
	}
	r.countAnew()
	return r
}

// fit lets Config.Fit change the conversation before it is sent. If ctx ends during that, it
// returns nil: the request ends at once.
func (r *run) fit(ctx context.Context) *fault.Error {
	if r.cfg.Fit == nil || ctx.Err() != nil {
		return nil
	}
	all := r.request.Messages
	c, err := r.cfg.Fit(ctx, Conversation{Before: all[:r.before:r.before], Added: slices.Clip(all[r.before:]), Tokens: r.inputTokens()})
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fault.Of(err)
	case c.Changed:
		r.before = len(c.Before)
		r.request.Messages = append(slices.Clip(c.Before), c.Added...)
		r.countAnew()
	}
	return nil
}

// First returns the first request that a run of cfg makes, and the position of each piece of
// cfg.Messages in it. The program added the rest.
func First(cfg Config) (provider.Request, []Move) {
	req, moves, _ := first(cfg)
	return req, moves
}

// first is First that also returns whether the program asks the model to go on.
func first(cfg Config) (req provider.Request, moves []Move, asks bool) {
	req = cfg.Request
	req.Tools = nil
	for _, t := range cfg.Tools.All() {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()})
	}
	sent, moves := cfg.wire(nil, cfg.Messages)
	if n := len(sent); n > 0 && sent[n-1].Role == chat.Assistant {
		sent, asks = append(sent, askToGoOn), true
	}
	req.Messages = sent
	return req, moves, asks
}

// askToGoOn follows an answer that broke off: servers refuse a conversation that
// ends with one, or take it for finished. It is put into the answer, so that later
// requests begin with the bytes of this one.
var askToGoOn = chat.Message{Role: chat.User, Content: chat.Text("Your last answer broke off. Go on exactly where it ended, without repeating anything.")}

// say appends messages to the conversation to send. Messages that belong together (calls and their
// results) are added together.
func (r *run) say(messages []chat.Message) {
	sent, _ := r.cfg.wire(r.request.Messages, messages)
	r.request.Messages = append(r.request.Messages, sent...)
}

// ask sends the conversation and collects the answer, complete or not.
func (r *run) ask(ctx context.Context) (*answer, error) {
	r.result.Steps++
	a := &answer{started: r.now(), tools: r.cfg.Tools}
	r.emit(Asked{Index: r.index})
	req := r.request
	req.Messages = slices.Clip(req.Messages)
	err := r.cfg.Model.Stream(ctx, req, func(c provider.Chunk) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.wait(c.Wait)
		d, err := a.add(c)
		if d.Text != "" || d.Reasoning != "" || d.ToolCalls != nil {
			d.Index, d.Whole = r.index, a.message(r.result.Steps)
			r.emit(d)
		}
		return err
	})
	r.wait(nil)
	a.took = r.now().Sub(a.started)
	if a.usage == nil && (err == nil || !a.isEmpty()) {
		a.usage = &chat.Usage{Input: r.inputTokens(), Output: a.tokens(r.cfg.Tokens), Reasoning: r.cfg.Tokens.Count(a.reasoning.String()), Estimated: true}
	}
	if a.usage != nil {
		r.result.Usage = r.result.Usage.Add(*a.usage)
	}
	return a, err
}

// putAnswer puts the assistant message and returns its calls; their results are
// due before the next request.
func (r *run) putAnswer(a *answer) []chat.ToolCall {
	if a.isEmpty() {
		return nil
	}
	m := a.message(r.result.Steps)
	m.Content, m.ReasoningContent = said(strings.Clone(m.Content.String())), strings.Clone(m.ReasoningContent) // a Builder has room to spare
	a.sent = append(a.sent, m)
	r.putMessage(Put{Message: m, At: a.started, Took: a.took, Usage: a.usage})
	if len(m.ToolCalls) == 0 {
		r.say(a.sent)
	}
	return m.ToolCalls
}

// failCalls gives calls that will not run a result, so that the conversation can
// be sent again.
func (r *run) failCalls(calls []chat.ToolCall, facts *chat.CallFacts, why string) {
	for _, c := range calls {
		r.putMessage(Put{Message: toolMessage(c, tool.Error(why)), IsError: true, Facts: facts})
	}
}

func (r *run) putMessage(p Put) {
	p.Index = r.index
	r.index++
	r.put++
	r.emit(p)
}

func (r *run) wait(w *provider.Wait) {
	switch {
	case w != nil:
		if r.waiting && w.Until.IsZero() {
			r.result.Retries++ // it is being sent now
		}
		r.waiting = !w.Until.IsZero()
		r.emit(Waiting{Attempt: w.Attempt, Until: w.Until, Reason: w.Reason})
	case r.waiting:
		r.waiting = false
		r.emit(Waiting{})
	}
}

func (r *run) act(text string)   { r.emit(Action{Text: text}) }
func (r *run) nothingCame() bool { return r.put == 0 }

func (r *run) failure() Outcome {
	if r.nothingCame() {
		return Failed
	}
	return Broken
}

func (r *run) end(o Outcome, f *fault.Error) Result {
	r.result.Outcome, r.result.Fault = o, f
	return r.result
}

func emptyAnswer(finish string) *fault.Error {
	return fault.New(fault.Provider, "The model gave an empty answer (%s). Run the prompt again, or choose another model.",
		fmt.Sprintf("finish reason %q", finish))
}
