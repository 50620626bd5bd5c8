package summaries

import (
	"context"
	"fmt"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/runner"
)

var _ runner.Compactor = (*Maker)(nil)

// preparations are the summaries that are being made in the background while agents work, by the
// notebook's path.
type preparations struct {
	mu  lock.Mutex
	all map[string]*preparation
}

// preparation is one summary that is being made, or waits to be used.
type preparation struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when made and err are set
	made   summary
	err    error
}

// Prepare implements runner.Compactor: it begins to make a summary in the
// background, unless one is being made or waits already. One that fails is forgotten.
func (m *Maker) Prepare(path string, o runner.Overflow) {
	ctx, cancel := context.WithCancel(m.with.Context)
	p := &preparation{cancel: cancel, done: make(chan struct{})}
	if !m.prepared.add(path, p) {
		cancel()
		return
	}
	m.with.Start(func() {
		defer cancel()
		defer close(p.done)
		if p.made, p.err = m.draft(ctx, path, Order{Why: ByLimit, overflow: &o}); p.err != nil {
			m.prepared.forget(path, p)
		}
	})
}

// Compact implements runner.Compactor: it puts the summary that was prepared. It makes
// one if there is none, its preparation failed, or a cell changed since.
func (m *Maker) Compact(ctx context.Context, path string, o runner.Overflow) error {
	order := Order{Why: ByLimit, overflow: &o}
	if p := m.prepared.take(path); p != nil {
		select {
		case <-p.done:
		case <-ctx.Done():
			p.cancel()
			return ctx.Err()
		}
		if p.err == nil {
			if _, err := m.put(path, p.made, order); !fault.Is(err, fault.Conflict) {
				return err
			}
		}
	}
	_, err := m.Make(ctx, path, order)
	return err
}

// CompactFor implements runner.Compactor.
func (m *Maker) CompactFor(ctx context.Context, path, cell, note string) (string, error) {
	o := Order{Why: ByModel, Note: note, overflow: &runner.Overflow{Cell: cell}}
	s, err := m.draft(ctx, path, o)
	if err == nil {
		_, err = m.put(path, s, o)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("A summary of %d tokens stands in the place of %d earlier cells of %d tokens, from your next request on.",
		s.made.After, len(s.made.Covers), s.made.Before), nil
}

// Drop implements runner.Compactor: it ends the preparation for a notebook.
func (m *Maker) Drop(path string) {
	if p := m.prepared.take(path); p != nil {
		p.cancel()
	}
}

func (p *preparations) add(path string, one *preparation) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[path] != nil {
		return false
	}
	if p.all == nil {
		p.all = map[string]*preparation{}
	}
	p.all[path] = one
	return true
}

// forget removes a preparation, unless it was taken.
func (p *preparations) forget(path string, one *preparation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[path] == one {
		delete(p.all, path)
	}
}

func (p *preparations) take(path string) *preparation {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.all[path]
	delete(p.all, path)
	return one
}
