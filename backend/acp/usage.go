package acp

import (
	"math"

	"mutsumi/backend/chat"
)

// usageOf returns the tokens of a turn, if the agent reports them.
func usageOf(u *turnUsage) *chat.Usage {
	if u == nil || u.Input < 0 || u.Output < 0 || u.CachedRead < 0 || u.CachedWrite < 0 || u.Thought < 0 || u.Input+u.Output+u.CachedRead == 0 {
		return nil
	}
	out := chat.Usage{Input: u.Input, Cached: u.CachedRead, Output: u.Output, Reasoning: u.Thought}
	if u.Total >= u.Input+u.Output+u.CachedRead+u.CachedWrite { // the agent does not count them as input
		out.Input += u.CachedRead + u.CachedWrite
	}
	out.Cached = min(out.Cached, out.Input)
	out.Reasoning = min(out.Reasoning, out.Output)
	return &out
}

// use counts what was used since the last message.
func (r *reply) use(u chat.Usage) {
	r.spent, r.total = add(r.spent, u), add(r.total, u)
}

// maxMicros limits what an agent says a session cost: a million dollars.
const maxMicros = 1e12

// pay takes in what the session cost so far. Other currencies than dollars are shown, and not
// counted.
func (r *reply) pay(c *wireCost) {
	if c == nil || c.Currency != "USD" || !(c.Amount >= 0 && c.Amount*1e6 <= maxMicros) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return // it counts in the next turn
	}
	now := int(math.Round(c.Amount * 1e6))
	more := now - r.paid
	if more < 0 { // an agent that started again counts from 0
		more = now
	}
	r.paid = now
	if more > 0 {
		r.use(chat.Usage{Micros: more})
	}
}

// cost returns what the session cost so far, in millionths of a dollar.
func (r *reply) cost() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paid
}

func add(to *chat.Usage, more chat.Usage) *chat.Usage {
	if to != nil {
		more = to.Add(more)
	}
	return &more
}
