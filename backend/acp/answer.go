package acp

import (
	"context"
	"errors"
	"sync"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/fault"
)

// turn is a turn while it runs.
type turn struct {
	with  Turn
	ctx   context.Context // of what the agent asks for
	reply *reply
	asked sync.WaitGroup // requests that are being answered

	// missingIsEmpty: the agent makes a new file only if reading it gives nothing. Gemini CLI takes
	// every error for a failure.
	missingIsEmpty bool
}

// Answer has a prompt answered, and emits what comes. session is the agent's session that now knows
// the conversation with the answer; its ID is "" if none does. However the turn ends, every call that
// was emitted has its result, and the process and what it started end with Close at the latest.
func (a *Agents) Answer(ctx context.Context, t Turn) (result agent.Result, session Session) {
	result.Steps = 1
	fail := func(err error) (agent.Result, Session) {
		if ctx.Err() != nil {
			result.Outcome, _ = agent.Cut(ctx)
			return result, Session{}
		}
		result.Outcome, result.Fault = agent.Failed, fault.Of(err)
		return result, Session{}
	}
	l, err := a.launch(t.Agent, t.Dir)
	if err != nil {
		return fail(err)
	}
	p := a.place(t.Notebook)
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return fail(ctx.Err())
	}
	if a.isClosed() {
		return fail(errClosed)
	}
	t.Emit(agent.Action{Text: "starting " + l.name})
	on, err := p.ready(ctx, l, t)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errClosed) && !fault.Is(err, fault.Denied) {
			a.see(t.Agent, func(s *seen) { s.state, s.problem = Broken, err })
		}
		return fail(err)
	}
	defer p.rest()
	fresh, err := on.open(ctx, t)
	if ctx.Err() != nil {
		return fail(ctx.Err())
	}
	if err != nil {
		if no := t.refusal(ctx); no != nil { // DropAll ended it
			return fail(no)
		}
	}
	if err = on.opened(err); err != nil {
		return fail(err)
	}
	return on.run(ctx, t, fresh)
}

// opened notes what became of the begin of a session, and returns the fault.
func (l *link) opened(err error) error {
	about, name := l.conn.about, l.conn.start.name
	now := seen{version: "", state: Ready, methods: about.AuthMethods}
	if about.Info != nil {
		now.version = versionOf(about.Info.Version)
	}
	switch {
	case isSignIn(err):
		err = signInFault(name, err)
		now.state, now.problem = SignIn, err
	case err != nil:
		err = fault.New(fault.Internal, "Could not begin a session with %s: %w", name, l.conn.told(err))
		now.state, now.problem = Broken, err
	}
	agents, id := l.place.agents, l.conn.start.id
	was := agents.lastSeen(id)
	if was.state == now.state && was.version == now.version && sameText(was.problem, now.problem) {
		return err
	}
	agents.see(id, func(s *seen) {
		s.version, s.state, s.problem, s.methods = now.version, now.state, now.problem, now.methods
	})
	return err
}

// promptAnswer is how a turn ended.
type promptAnswer struct {
	promptResult
	err error
}

// run sends a prompt, and waits for the end of the turn.
func (l *link) run(ctx context.Context, with Turn, fresh bool) (result agent.Result, session Session) {
	name := l.conn.start.name
	before := ""
	if fresh {
		with.Session = Session{ID: l.sessionID()}
		if with.Before != nil {
			before = with.Before()
		}
	}
	session = with.Session
	asking, stop := context.WithCancel(ctx)
	defer stop()
	t := &turn{with: with, ctx: asking, reply: newReply(with, name, l.place.agents.limits, l.terminal)}
	t.missingIsEmpty = l.conn.about.Info != nil && l.conn.about.Info.Name == "gemini-cli"
	l.state.Do(func(s *linkState) { s.turn = t })
	got := make(chan promptAnswer, 1)
	// The request continues when the turn is stopped: its answer says that the agent has stopped too.
	lives, dead := context.WithCancel(context.WithoutCancel(ctx))
	defer dead()
	params := promptParams{Session: session.ID, Prompt: promptBlocks(name, l.conn.about, with.Prompt, before)}
	go func() {
		var a promptAnswer
		a.err = l.conn.call(lives, 0, "session/prompt", params, &a.promptResult)
		got <- a
	}()
	var answer promptAnswer
	answered := true
	select {
	case answer = <-got:
	case <-ctx.Done():
		answer, answered = l.cancel(ctx, stop, session.ID, got)
	case <-t.reply.over:
		answer, answered = l.cancel(ctx, stop, session.ID, got)
	}
	stop()
	l.state.Do(func(s *linkState) { s.turn = nil })
	t.wait(l.place.agents.timing.stop)
	if ctx.Err() != nil {
		l.killTerminals()
	}
	if !answered {
		l.conn.close(true)
	}
	result, knows := t.end(ctx, l, answered, answer)
	if !knows {
		l.leave()
		return result, Session{}
	}
	session.Micros = t.reply.cost()
	return result, session
}

// cancel asks the agent to stop, and waits a short while for it. It returns false if it does not.
func (l *link) cancel(ctx context.Context, stop func(), session string, got <-chan promptAnswer) (a promptAnswer, answered bool) {
	sent := l.conn.notify("session/cancel", sessionOnly{session})
	stop() // questions about calls are answered
	limit := l.place.agents.timing.stop
	if errors.Is(context.Cause(ctx), agent.ErrEnding) {
		limit /= 4
	}
	late := time.After(limit)
	select {
	case a = <-got:
	case <-late:
		return a, false
	}
	select {
	case <-sent: // the agent may have ended by itself: a later cancellation would stop the next prompt
		return a, true
	case <-late:
		return a, false
	}
}

// wait waits a while until what the agent asked for is answered.
func (t *turn) wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		t.asked.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// end ends the answer. knows reports whether the agent's session knows it.
func (t *turn) end(ctx context.Context, l *link, answered bool, answer promptAnswer) (result agent.Result, knows bool) {
	r, err := t.reply, answer.err
	finish := func(with func(*call)) {
		result.Usage = r.finish(usageOf(answer.Usage), with)
		result.Steps = max(1, r.steps)
	}
	broken := func(f *fault.Error) {
		result.Outcome, result.Fault = agent.Broken, f
		if r.put == 0 {
			result.Outcome = agent.Failed
		}
	}
	limit := r.limit()
	switch {
	case ctx.Err() != nil:
		outcome, why := agent.Cut(ctx)
		finish(func(c *call) { c.stop(why, outcome == agent.Interrupted) })
		result.Outcome = outcome
		return result, answered && err == nil
	case limit != nil:
		finish(func(c *call) { c.stop("interrupted: the turn was ended", false) })
		broken(limit)
		return result, answered && err == nil
	case err != nil:
		why := "interrupted: the agent ended before it gave a result"
		alive := !errors.Is(err, errEnded)
		if alive {
			why = "interrupted: the agent failed before it gave a result"
		}
		finish(func(c *call) { c.stop(why, false) })
		broken(l.failure(err))
		return result, alive && result.Outcome == agent.Broken
	}
	finish(func(c *call) { c.leave(noResult, "") })
	result.Outcome = agent.Done
	switch answer.StopReason {
	case "max_tokens":
		broken(fault.New(fault.Provider, "Could not finish the answer: %s reached the limit of tokens for one. Continue to let it go on.", r.name))
	case "max_turn_requests":
		result.Outcome = agent.StepLimit
		result.Fault = fault.New(fault.Canceled, "%s reached its own limit of requests for one prompt. Continue to let it go on.", r.name)
	case "refusal":
		broken(fault.New(fault.Provider, "Could not continue the answer: %s refuses. Word the prompt in another way.", r.name))
		return result, false // it forgets the prompt
	case "cancelled":
		if !r.isOver() {
			result.Outcome = agent.Stopped
		}
	default:
		if r.put == 0 {
			broken(fault.New(fault.Provider, "Could not get an answer: %s ended its turn without one. Run the prompt again.", r.name))
		}
	}
	return result, answered
}

// failure is the fault of a turn that the agent did not end by itself.
func (l *link) failure(err error) *fault.Error {
	name := l.conn.start.name
	switch {
	case isSignIn(err):
		f := signInFault(name, err)
		l.place.agents.see(l.conn.start.id, func(s *seen) { s.state, s.problem, s.methods = SignIn, f, l.conn.about.AuthMethods })
		return f
	case errors.Is(err, errEnded):
		return fault.New(fault.Internal, "Could not get the whole answer from %s: %w", name, l.conn.told(err))
	}
	return fault.New(fault.Provider, "Could not get an answer from %s: %w", name, err)
}

// limit returns why the turn was ended; nil: the agent ended it, or no further step is wanted.
func (r *reply) limit() *fault.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fault
}

// isOver reports whether the agent was asked to end.
func (r *reply) isOver() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}
