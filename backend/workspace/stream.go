package workspace

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/provider"
)

// tick is how long deltas are gathered before they go out as one event: long
// enough that a fast stream does not flood the window, short enough to look
// immediate.
const tick = 25 * time.Millisecond

// gather joins the deltas of one streaming message and hands them on at most
// once in a tick. send is called with the gathered delta and the whole text so
// far, never concurrently with itself, on the caller's goroutine or a timer's.
// Safe for concurrent use.
type gather struct {
	mu        sync.Mutex
	send      func(event.Delta, partial)
	delta     event.Delta
	text      strings.Builder
	reasoning strings.Builder
	calls     []*callText
	timer     *time.Timer
	pending   bool
	sent      time.Time
}

// callText is a tool call as far as it has come.
type callText struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     map[string]json.RawMessage
}

// partial is a message as far as it has come.
type partial struct {
	Text      string
	Reasoning string
	ToolCalls []chat.ToolCall
}

// add takes a delta in.
func (g *gather) add(c agent.Delta) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.delta.Index != c.Index {
		g.flushLocked()
		g.reset(c.Index)
	}
	if c.Text == "" && c.Reasoning == "" && len(c.ToolCalls) == 0 {
		return
	}
	g.text.WriteString(c.Text)
	g.reasoning.WriteString(c.Reasoning)
	g.delta.Text += c.Text
	g.delta.Reasoning += c.Reasoning
	for _, d := range c.ToolCalls {
		g.addCall(d)
	}
	g.pending = true
	if wait := tick - time.Since(g.sent); wait <= 0 {
		g.flushLocked()
	} else if g.timer == nil {
		g.timer = time.AfterFunc(wait, g.flush)
	}
}

func (g *gather) addCall(d provider.ToolCallDelta) {
	at := slices.IndexFunc(g.calls, func(c *callText) bool { return c.index == d.Index })
	if at < 0 {
		g.calls = append(g.calls, &callText{index: d.Index})
		at = len(g.calls) - 1
	}
	c := g.calls[at]
	c.arguments.WriteString(d.Arguments)
	c.extra = provider.WithExtra(c.extra, d.Extra)
	if d.ID != "" {
		c.id = d.ID
	}
	if d.Name != "" {
		c.name = d.Name
	}
	for i := range g.delta.ToolCalls {
		if t := &g.delta.ToolCalls[i]; t.Index == d.Index {
			t.Arguments += d.Arguments
			return
		}
	}
	g.delta.ToolCalls = append(g.delta.ToolCalls, event.ToolCallDelta{Index: d.Index, ID: d.ID, Name: d.Name, Arguments: d.Arguments})
}

// reset begins message index.
func (g *gather) reset(index int) {
	g.text.Reset()
	g.reasoning.Reset()
	g.calls = nil
	g.delta.Index = index
}

// flush sends what is gathered now.
func (g *gather) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flushLocked()
}

func (g *gather) flushLocked() {
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	if !g.pending {
		return
	}
	g.pending = false
	g.sent = time.Now()
	d := g.delta
	g.delta.Text, g.delta.Reasoning, g.delta.ToolCalls = "", "", nil
	p := partial{Text: g.text.String(), Reasoning: g.reasoning.String()}
	for _, c := range g.calls {
		p.ToolCalls = append(p.ToolCalls, chat.ToolCall{ID: c.id, Type: "function", Function: chat.Function{Name: c.name, Arguments: c.arguments.String()}, Extra: c.extra})
	}
	g.send(d, p)
}

// message is the partial message as it is kept, so that nothing that came is lost.
func (p partial) message() chat.Message {
	return chat.Message{
		Role: chat.Assistant, ReasoningContent: p.Reasoning, ToolCalls: p.ToolCalls,
		Content: chat.Content{Text: p.Text, Null: p.Text == "" && len(p.ToolCalls) > 0},
	}
}
