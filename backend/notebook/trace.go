package notebook

import (
	"slices"

	"mutsumi/backend/chat"
)

// Trace is a notebook's record of when its agent did what: the cells that have run, in order. Cut
// reports that earlier messages were omitted.
type Trace struct {
	Cells []CellTrace
	Cut   bool
}

// CellTrace is the run of one cell. First is the place of Messages[0] in the answer.
type CellTrace struct {
	Cell     string
	Run      RunInfo // zero if the file has no record; Outcome is Interrupted while it runs
	First    int
	Messages []MessageTrace
}

// MessageTrace is a message of an answer without its text.
type MessageTrace struct {
	Role       chat.Role
	ToolCallID string          // of a result
	Calls      []chat.ToolCall // of an assistant's message
	IsError    bool
	Said       bool  // it has text
	Reasoned   bool  // it has reasoning
	AtMs       int64 // see Message
	TookMs     int64
	WaitedMs   int64
}

// Trace returns at most `most` trailing messages of the answers, extended back to
// the assistant message they belong to. It reads each message once, which may
// take a while for large ones; like all of a Snapshot it needs no lock.
func (s *Snapshot) Trace(most int) Trace {
	var t Trace
	for i := len(s.cells) - 1; i >= 0; i-- {
		c := s.cells[i]
		if most <= 0 {
			t.Cut = t.Cut || slices.ContainsFunc(s.cells[:i+1], func(c *cell) bool { return len(c.answer) > 0 })
			break
		}
		ct := CellTrace{Cell: c.id}
		if c.prompt != nil {
			if run := readRun(c.prompt); run != nil {
				ct.Run = *run
			}
		}
		if ct.Run.Outcome == outcomeRunning {
			ct.Run.Outcome = unended(ct.Run.process)
		}
		if ct.Run.StartedAtMs == 0 && len(c.answer) == 0 {
			continue
		}
		ct.First = max(0, len(c.answer)-most)
		for ct.First > 0 && c.answer[ct.First].role == chat.Tool { // results follow their calls
			ct.First--
		}
		t.Cut = t.Cut || ct.First > 0
		for _, m := range c.answer[ct.First:] {
			ct.Messages = append(ct.Messages, m.trace())
		}
		most -= len(ct.Messages)
		t.Cells = append(t.Cells, ct)
	}
	slices.Reverse(t.Cells)
	return t
}

func (m *message) trace() MessageTrace {
	t := MessageTrace{Role: m.role, Said: m.chars() > 0}
	var meta messageMeta
	members(m.raw(), func(key, val []byte, _ int) bool {
		switch {
		case keyIs(key, "tool_calls"):
			t.Calls = decodeCalls(val)
		case keyIs(key, "tool_call_id"):
			t.ToolCallID = unquote(val)
		case keyIs(key, "reasoning_content"):
			t.Reasoned = len(val) > len(`""`)
		case keyIs(key, "metadata"):
			decodeInto(val, &meta)
		}
		return true
	})
	t.IsError = meta.IsError
	t.AtMs, t.TookMs, t.WaitedMs = meta.times()
	return t
}

// HasRun reports whether a cell of the notebook has run, or has an answer.
func (d *Document) HasRun() bool {
	return slices.ContainsFunc(d.cells.list, func(c *cell) bool {
		return len(c.answer) > 0 || c.prompt != nil && get(c.prompt.meta(), "run") != nil
	})
}
