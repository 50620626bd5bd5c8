package timeline

import (
	"cmp"
	"slices"
	"strconv"

	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
)

// SpansOfLane is the maximum number of spans in a lane: the last ones.
const SpansOfLane = 2000

// Agent is the input for the lane of one agent.
type Agent struct {
	ID      string // uuid
	Path    string
	Parent  string // uuid; "" for the root
	Depth   int
	Trace   notebook.Trace
	Running string // the cell that runs now, or ""
	Unkept  []Span // spans that the notebook does not contain yet, from Live
}

// The parts of ids: a message has several spans.
const (
	partModel  = "model"
	partTool   = "tool"
	partWait   = "wait"
	partQueued = "queued"
)

func spanID(agent, cell string, index int, part string) string {
	return agent + "/" + cell + "/" + strconv.Itoa(index) + "/" + part
}

// past computes spans from a notebook.
type past struct {
	agent *Agent
	spans []Span
	atMs  int64 // the place of messages without a start time
}

func (p *past) add(cell string, index int, part string, kind SpanKind, says said, from, to int64, failed bool) {
	if from <= 0 || to <= from {
		return
	}
	p.spans = append(p.spans, Span{
		ID: spanID(p.agent.ID, cell, index, part), Agent: p.agent.ID, Path: p.agent.Path, Cell: cell, Index: index,
		Kind: kind, Word: says.word, Text: says.text, StartMs: from, EndMs: to, Failed: failed,
	})
}

// lane returns the lane of an agent, with at most `most` spans. Spans of a run in progress replace
// the notebook's partial ones.
func (a *Agent) lane(most int) Lane {
	p := &past{agent: a}
	for _, c := range a.Trace.Cells {
		p.cell(c, c.Cell == a.Running)
	}
	if len(a.Unkept) > 0 {
		live := map[string]bool{}
		for _, s := range a.Unkept {
			live[s.ID] = true
		}
		p.spans = slices.DeleteFunc(p.spans, func(s Span) bool { return live[s.ID] })
		p.spans = append(p.spans, a.Unkept...)
	}
	slices.SortStableFunc(p.spans, func(x, y Span) int { return cmp.Compare(x.StartMs, y.StartMs) })
	l := Lane{Agent: a.ID, Path: a.Path, Depth: a.Depth, Spans: p.spans, Cut: a.Trace.Cut, Ran: len(a.Trace.Cells) > 0}
	if n := len(l.Spans) - most; n > 0 {
		l.Spans, l.Cut = l.Spans[n:], true
	}
	if l.Spans == nil {
		l.Spans = []Span{}
	}
	return l
}

func (p *past) cell(c notebook.CellTrace, running bool) {
	run := c.Run
	p.atMs = max(p.atMs, run.StartedAtMs)
	if run.StartedAtMs == 0 {
		p.atMs = 0 // of another program: only messages with a time can be shown
	}
	p.add(c.Cell, 0, partQueued, Queued, said{}, run.StartedAtMs-run.QueuedMs, run.StartedAtMs, false)
	model := -1 // in spans: the last one, while nothing follows it
	var calls []chat.ToolCall
	for i, m := range c.Messages {
		index, before := c.First+i, len(p.spans)
		at := m.AtMs
		if at == 0 && m.TookMs > 0 {
			at = p.atMs
		}
		if at == 0 {
			if m.Role == chat.Assistant {
				calls = m.Calls
			}
			continue
		}
		if m.Role == chat.Assistant {
			calls = m.Calls
			p.add(c.Cell, index, partWait, Waiting, said{}, at-m.WaitedMs, at, false)
			kind, done := Model, finishes(calls)
			if done {
				kind = Report
			}
			p.add(c.Cell, index, partModel, kind, saidByModel(m.Said, m.Reasoned, done), at, at+m.TookMs, false)
			model = len(p.spans) - 1
		} else {
			call := callOf(calls, m.ToolCallID)
			says := saidOf(call)
			p.add(c.Cell, index, partWait, Waiting, says, at-m.WaitedMs, at, false)
			if kind := kindOf(call.Function.Name); kind != Report {
				p.add(c.Cell, index, partTool, kind, says, at, at+m.TookMs, m.IsError)
			}
		}
		if m.Role != chat.Assistant && len(p.spans) > before {
			model = -1
		}
		p.atMs = max(p.atMs, at+m.TookMs)
	}
	if running {
		return
	}
	failed := Fails(run.Outcome)
	if end := run.StartedAtMs + run.TookMs; run.StartedAtMs > 0 && run.LostMs+run.HeldMs > 0 {
		next := c.First + len(c.Messages)
		p.add(c.Cell, next, partWait, Waiting, said{}, end-run.LostMs-run.HeldMs, end-run.LostMs, false)
		p.add(c.Cell, next, partModel, Model, said{}, end-run.LostMs, end, failed)
	} else if failed && model >= 0 {
		p.spans[model].Failed = true
	}
}

// Fails reports whether a run that ended like this left its last request undone.
func Fails(outcome notebook.Outcome) bool {
	return outcome == notebook.Failed || outcome == notebook.Broken || outcome == notebook.Interrupted
}

func callOf(calls []chat.ToolCall, id string) chat.ToolCall {
	for _, c := range calls {
		if c.ID == id {
			return c
		}
	}
	return chat.ToolCall{}
}
