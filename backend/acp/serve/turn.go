package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// turn is a prompt of the editor, from its arrival to its answer.
type turn struct {
	*session
	cell     string
	out      *answer
	comes    *event.Subscription
	asks     map[string]*asking // what the editor is asked, by the id of the request
	asking   sync.WaitGroup
	released chan struct{} // see prompt
}

// prompt takes a prompt in. Prompts of one session follow one another in the order in which they
// came; a cancellation ends those before it.
func (s *server) prompt(raw json.RawMessage) work {
	p, err := params[acp.PromptRequest](raw)
	if err != nil {
		return refused(err)
	}
	one, err := s.session(p.SessionId)
	if err != nil {
		return refused(err)
	}
	t := &turn{session: one, released: make(chan struct{}), asks: map[string]*asking{}}
	stopped, stop := context.WithCancel(context.Background())
	var before chan struct{}
	one.state.Do(func(st *sessionState) {
		before, st.last = st.last, t.released
		st.stops[t] = stop
	})
	return func(ctx context.Context) (any, func(), error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(stopped, cancel)()
		defer close(t.released)
		defer one.state.Do(func(st *sessionState) { delete(st.stops, t) })
		defer stop()
		if before != nil {
			<-before // it has been stopped as well, if this one was
		}
		if stopped.Err() != nil { // AfterFunc calls cancel on a goroutine of its own, perhaps later
			cancel()
		}
		response, err := t.answer(ctx, p.Prompt)
		if err != nil {
			return nil, one.tellChanges, err
		}
		response.UserMessageId = p.MessageId
		return response, one.tellChanges, nil
	}
}

// answer adds a prompt to the notebook, runs it, and returns once the run has ended and is saved.
func (t *turn) answer(ctx context.Context, blocks []acp.ContentBlock) (acp.PromptResponse, error) {
	cancelled := acp.PromptResponse{StopReason: acp.StopReasonCancelled}
	if ctx.Err() != nil {
		return cancelled, nil
	}
	if err := acceptable(blocks); err != nil { // before anything is written
		return cancelled, err
	}
	path, err := t.ensure()
	if err != nil {
		return cancelled, err
	}
	t.ws.AskEnvironment(ctx)
	if err := t.ws.CanRun(path); err != nil { // before anything is written
		return cancelled, err
	}
	text, err := t.text(path, blocks)
	if err != nil {
		return cancelled, err
	}
	t.busy.Do(func(all *map[string]bool) { (*all)[t.id] = true })
	defer t.busy.Do(func(all *map[string]bool) { delete(*all, t.id) })
	end, err := t.run(ctx, path, text)
	if err != nil {
		return cancelled, err
	}
	saved, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	if err := t.ws.Wait(saved, t.where()); err != nil && end.Fault == nil {
		return cancelled, broken("Could not save the answer: %v", err)
	}
	response := acp.PromptResponse{Usage: t.usage()}
	response.StopReason, err = reason(end, ctx.Err() != nil)
	return response, err
}

// reason says how a run ended; a failure is an error with its sentence.
func reason(end event.RunFinished, cancelled bool) (acp.StopReason, error) {
	switch {
	case cancelled, end.Outcome == notebook.Stopped:
		return acp.StopReasonCancelled, nil
	case end.Outcome == notebook.StepLimit:
		return acp.StopReasonMaxTurnRequests, nil
	case end.Fault != nil && strings.HasPrefix(end.Fault.Message, "The answer was cut off: it reached the limit of tokens"):
		return acp.StopReasonMaxTokens, nil
	case end.Fault != nil && strings.HasPrefix(end.Fault.Message, "The server's content filter ended the answer"):
		return acp.StopReasonRefusal, nil
	case end.Fault != nil:
		return "", failed(end.Fault)
	case end.Outcome == notebook.Done, end.Outcome == notebook.TaskDone:
		return acp.StopReasonEndTurn, nil
	}
	return "", broken("Could not finish the answer: the run ended as %q. Send another prompt to continue.", end.Outcome)
}

// run runs a prompt, tells the editor what comes, and returns how the run ended.
func (t *turn) run(ctx context.Context, path, text string) (event.RunFinished, error) {
	t.comes = t.ws.Events().Subscribe(func(e event.Event) bool {
		switch e.(type) {
		case event.Delta, event.MessagePut, event.RunWaiting, event.RunFinished, event.ApprovalsChanged:
			return true
		}
		return false
	})
	defer t.comes.Close()
	made, err := t.ws.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, "")
	if err != nil {
		return event.RunFinished{}, err
	}
	t.cell = made.ID
	t.out = newAnswer(t.session, t.cell)
	t.sayWhatIsLeftOut(path)
	if _, err := t.ws.Run(path, t.cell, runner.RunCell); err != nil {
		return event.RunFinished{}, err
	}
	asked, stopAsking := context.WithCancel(context.Background())
	defer t.asking.Wait()
	defer stopAsking()
	for {
		switch e := t.comes.Next(ctx).(type) {
		case nil:
			ctx = context.Background()
			if t.ws.Unqueue(t.where(), t.cell) != nil { // it has already begun
				_ = t.ws.StopTree(t.where())
			}
		case event.Delta:
			if e.Cell == t.cell {
				t.out.delta(e)
			}
		case event.MessagePut:
			if e.Cell == t.cell {
				t.out.put(e.Index, e.Message)
			} else if e.Message.Role == chat.Tool {
				t.out.result(e.Cell, e.Message)
			}
		case event.RunWaiting:
			if e.Cell == t.cell && e.UntilMs > 0 {
				t.Say(e.Reason + ": trying again")
			}
		case event.ApprovalsChanged:
			for _, r := range e.Added {
				if t.owner(r) == t.id {
					t.request(asked, r)
				}
			}
			t.decided(e.Removed)
		case event.RunFinished:
			if e.Cell == t.cell {
				t.out.end()
				return e, nil
			}
		}
	}
}

// sayWhatIsLeftOut says what has no effect because the folder is not trusted (SPEC 4.2): to the
// person once, before the first answer of the session, as a thought.
func (t *turn) sayWhatIsLeftOut(path string) {
	what := t.ws.LeftOut(path)
	first := false
	t.state.Do(func(st *sessionState) { first, st.began = !st.began, true })
	if len(what) == 0 || !first {
		return
	}
	line := fmt.Sprintf("Left out, because %s is not trusted with it: %s. Trust the folder in Mutsumi's window, or start the agent with --trust.", t.ws.Folder(), strings.Join(what, ", "))
	t.Say(line)
	t.update(t.id, acp.UpdateAgentThoughtText(line+"\n\n"))
}

// usage tells the editor how full the context is and what the session has cost, and returns what the
// answer used.
func (t *turn) usage() *acp.Usage {
	_, cells, err := t.ws.Cells(t.where(), []string{t.cell})
	if err != nil || len(cells) == 0 || cells[0].Body == nil || cells[0].Body.Run == nil {
		return nil
	}
	body := cells[0].Body
	if size := t.contextTokens(); size > 0 {
		for i := len(body.Answer) - 1; i >= 0; i-- {
			if u := body.Answer[i].Usage; u != nil {
				update := &acp.SessionUsageUpdate{Size: size, Used: u.Input + u.Output}
				if node, ok := t.node(t.id); ok && node.Own.Cost > 0 {
					update.Cost = &acp.Cost{Amount: float64(node.Own.Cost) / 1e9, Currency: "USD"}
				}
				t.update(t.id, acp.SessionUpdate{UsageUpdate: update})
				break
			}
		}
	}
	u := body.Run.Usage
	if u == nil {
		return nil
	}
	return &acp.Usage{
		InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Input + u.Output,
		CachedReadTokens: &u.Cached, ThoughtTokens: &u.Reasoning,
	}
}

// asking is a request to the person that the editor shows.
type asking struct {
	request approval.Request
	cancel  context.CancelFunc
	done    chan struct{} // closed when the editor has answered
}

// request asks the editor for a decision about a request, on a goroutine that ends with the run.
// A request that comes again because it has changed is asked again.
func (t *turn) request(ctx context.Context, r approval.Request) {
	if before := t.asks[r.ID]; before != nil {
		select {
		case <-before.done:
		default:
			if sameToThePerson(before.request, r) {
				return
			}
		}
		before.cancel()
	}
	if t.mode() == modeReads && r.Question == nil {
		_ = t.ws.ResolveApproval(r.ID, approval.Decision{Reason: "the session is in its mode Read only: say in your answer what you would have done"}) // it may already be gone
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	t.asks[r.ID] = &asking{r, cancel, done}
	call := t.out.asked(r)
	t.asking.Go(func() {
		defer close(done)
		defer cancel()
		decision, stop := t.decide(ctx, call, r)
		switch {
		case ctx.Err() != nil: // decided elsewhere, changed, or gone
			return
		case stop:
			t.stop()
			return
		}
		err := t.ws.ResolveApproval(r.ID, decision)
		if err != nil && decision.Scope == approval.Notebook && fault.Is(err, fault.Invalid) { // no rule can be made of it
			decision.Scope, decision.Patterns = approval.Once, nil
			err = t.ws.ResolveApproval(r.ID, decision)
		}
		if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) {
			_ = t.ws.ResolveApproval(r.ID, approval.Decision{Reason: err.Error()}) // it may be gone by now
		}
	})
}

// decided ends a request to the editor that is no longer needed.
func (t *turn) decided(id string) {
	if a := t.asks[id]; a != nil {
		a.cancel()
		delete(t.asks, id)
	}
}
