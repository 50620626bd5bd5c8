// Package coalesce joins the small deltas of a streaming answer into few events.
package coalesce

import (
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/provider"
)

// interval is the least time between two events: long enough that a fast
// stream does not flood the window, short enough to look immediate.
const interval = 25 * time.Millisecond

// Batcher joins the deltas of streaming messages, one after the other, and sends them at most once
// in an interval. It is safe for concurrent use.
type Batcher struct {
	mu      lock.Mutex
	send    func(event.Delta, chat.Message)
	delta   event.Delta
	whole   chat.Message // as of the last delta
	timer   *time.Timer
	pending bool
	sent    time.Time
}

// New returns a batcher. send gets the joined delta and the whole message so
// far; it is never called concurrently with itself, on the caller's goroutine
// or a timer's.
func New(send func(event.Delta, chat.Message)) *Batcher { return &Batcher{send: send} }

// Add adds a delta. One with another index begins the next message.
func (b *Batcher) Add(c agent.Delta) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.delta.Index != c.Index {
		b.flushLocked()
		b.delta.Index = c.Index
	}
	if c.Text == "" && c.Reasoning == "" && len(c.ToolCalls) == 0 {
		return
	}
	b.whole = c.Whole
	b.delta.Text += c.Text
	b.delta.Reasoning += c.Reasoning
	for _, d := range c.ToolCalls {
		b.addCall(d)
	}
	b.pending = true
	if wait := interval - time.Since(b.sent); wait <= 0 {
		b.flushLocked()
	} else if b.timer == nil {
		b.timer = time.AfterFunc(wait, b.Flush)
	}
}

// addCall joins a fragment with the unsent ones of its call.
func (b *Batcher) addCall(d provider.ToolCallDelta) {
	for i := range b.delta.ToolCalls {
		if t := &b.delta.ToolCalls[i]; t.Index == d.Index {
			t.Arguments += d.Arguments
			return
		}
	}
	b.delta.ToolCalls = append(b.delta.ToolCalls, event.ToolCallDelta{Index: d.Index, ID: d.ID, Name: d.Name, Arguments: d.Arguments})
}

// Flush immediately sends everything unsent.
func (b *Batcher) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
}

// flushLocked is Flush with the lock held.
func (b *Batcher) flushLocked() {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if !b.pending {
		return
	}
	b.pending = false
	b.sent = time.Now()
	d := b.delta
	b.delta.Text, b.delta.Reasoning, b.delta.ToolCalls = "", "", nil
	b.send(d, b.whole)
}
