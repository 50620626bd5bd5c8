package runner

import (
	"context"

	"mutsumi/backend/agent"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/provider"
)

// pause holds the requests of all agents while the person paused them.
type pause struct {
	out *event.Outbox

	mu     lock.Mutex
	paused chan struct{} // closed when the agents go on; nil: they are not paused
}

// set pauses all agents or lets them go on, see Calls.SetPaused.
func (p *pause) set(paused bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case paused == (p.paused != nil):
		return nil
	case paused:
		p.paused = make(chan struct{})
	default:
		close(p.paused)
		p.paused = nil
	}
	p.out.Emit(event.PausedChanged{Paused: paused})
	return nil
}

// pausedAction is the action of a paused agent.
const pausedAction = "paused"

// setPausedAction publishes that the agent is paused, or its action once it
// resumes.
func (d *doc) setPausedAction(action string) {
	d.setAction(action)
	d.traceHeld(action == pausedAction)
}

func (p *pause) isPaused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused != nil
}

// pausable is a model whose requests, retries included, wait while the agents are
// paused. act is called with the agent's action.
type pausable struct {
	agent.Model
	gate *pause
	act  func(string)
}

// Stream implements agent.Model.
func (p pausable) Stream(ctx context.Context, req provider.Request, fn func(provider.Chunk) error) error {
	if err := p.gate.wait(ctx, p.act); err != nil {
		return err
	}
	return p.Model.Stream(ctx, req, func(c provider.Chunk) error {
		if c.Wait != nil && c.Wait.Until.IsZero() { // the next attempt starts when this returns
			if err := p.gate.wait(ctx, p.act); err != nil {
				return err
			}
		}
		return fn(c)
	})
}

// wait blocks while the agents are paused. It returns the error of ctx if that
// ends first.
func (p *pause) wait(ctx context.Context, act func(string)) error {
	waited := false
	for {
		p.mu.Lock()
		goesOn := p.paused
		p.mu.Unlock()
		if goesOn == nil {
			if waited {
				act("thinking")
			}
			return ctx.Err()
		}
		waited = true
		act(pausedAction)
		select {
		case <-goesOn:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
