package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

var (
	errNoMethod = errors.New("there is no such method")
	errParams   = errors.New("invalid parameters")
	errNoTurn   = errors.New("no turn runs in this session: only during one can something be asked for")
)

// maxPermissionOptions is how many answers an agent may offer.
const maxPermissionOptions = 20

// request implements peer: it does what the agent asks for, during a turn of its session.
func (l *link) request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	answer, is := map[string]func(context.Context, *turn, json.RawMessage) (any, error){
		"fs/read_text_file": readFile, "fs/write_text_file": writeFile, "session/request_permission": requestPermission,
		"terminal/create": l.createTerminal, "terminal/output": l.terminalOutput, "terminal/wait_for_exit": l.waitForTerminal,
		"terminal/kill": l.killTerminal, "terminal/release": l.releaseTerminal,
	}[method]
	if !is {
		return nil, errNoMethod
	}
	var of sessionOnly
	if decode(params, &of) != nil {
		return nil, errParams
	}
	t := l.enter(of.Session)
	if t == nil {
		return nil, errNoTurn
	}
	defer t.asked.Done()
	both, cancel := context.WithCancel(t.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return answer(both, t, params)
}

// enter returns the turn that runs in a session, whose asked counts the request; nil: none runs.
func (l *link) enter(session string) (t *turn) {
	l.state.Do(func(s *linkState) {
		if session != "" && s.session == session && s.turn != nil {
			t = s.turn
			t.asked.Add(1)
		}
	})
	return t
}

func readFile(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p fileParams
	if decode(params, &p) != nil || !filepath.IsAbs(p.Path) {
		return nil, fmt.Errorf("%w: path is not absolute", errParams)
	}
	text, err := t.with.Host.ReadFile(ctx, filepath.Clean(p.Path), amount(p.Line), amount(p.Limit))
	if isMissing(err) && t.missingIsEmpty {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return map[string]string{"content": text}, nil
}

func writeFile(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p fileParams
	if decode(params, &p) != nil || !filepath.IsAbs(p.Path) {
		return nil, fmt.Errorf("%w: path is not absolute", errParams)
	}
	if err := t.with.Host.WriteFile(ctx, filepath.Clean(p.Path), p.Content); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

// requestPermission asks whether a call may run. An answer that the agent did not offer ends the
// turn.
func requestPermission(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	cancelled := map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}
	var p permissionParams
	if decode(params, &p) != nil {
		return nil, errParams
	}
	var ask Permission
	for _, o := range p.Options {
		if len(ask.Options) < maxPermissionOptions && o.ID != "" && len(o.ID) <= maxID {
			ask.Options = append(ask.Options, PermissionOption{ID: o.ID, Name: clip.VisibleLine(o.Name, maxLabel), Kind: o.Kind})
		}
	}
	if len(ask.Options) == 0 {
		return nil, fmt.Errorf("%w: there are no options", errParams)
	}
	c := t.reply.ask(p.Call.toolCallFields, p.Call.Content, &ask)
	if c == nil {
		return cancelled, nil
	}
	option, err := t.with.Host.Permit(ctx, ask)
	if ctx.Err() != nil {
		t.reply.notAnswered(c)
		return cancelled, nil
	}
	i := slices.IndexFunc(ask.Options, func(o PermissionOption) bool { return o.ID == option })
	if err != nil || i < 0 {
		if err == nil {
			err = errors.New("it offers no answer that fits")
		}
		t.reply.stopFor(fault.New(fault.Denied, "Could not continue the answer: %s was not allowed to make a call (%w).", t.reply.name, err))
		return cancelled, nil
	}
	t.reply.answered(c, ask.Options[i].Kind)
	return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": option}}, nil
}

// ask takes a call about which the agent asks, and completes the question; nil: it is not asked.
func (r *reply) ask(f toolCallFields, content json.RawMessage, p *Permission) *call {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.ended {
		return nil
	}
	r.renew(f.ID)
	c := r.update(f, content)
	if c == nil || c.finished {
		return nil
	}
	if c.joined && !c.told && !r.isPut {
		r.tell(c)
	}
	p.Call, p.Why = c.host(), agent.LastSentence(r.cur.text.String())
	r.act("waiting for approval: " + c.action())
	return c
}

// answered notes how a question about a call was answered.
func (r *reply) answered(c *call, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.ready = time.Now()
	if c.rejected = kind == "reject_once" || kind == "reject_always"; c.rejected || r.closed || r.ended || !c.joined || c.finished {
		return
	}
	if !c.called {
		r.start(c)
	}
}

// notAnswered notes that the run was stopped while the person was asked about a call.
func (r *reply) notAnswered(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.unanswered = true
}

// stopFor ends the turn with a fault.
func (r *reply) stopFor(why *fault.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.breakOff(why)
	}
}
