package timeline

import (
	"slices"

	"mutsumi/backend/chat"
)

// Live follows an agent's work as it happens, in the same spans that the notebook will give later.
// Its methods return the spans to publish: new ones, and those that changed or ended. Times are
// Unix milliseconds. It is not safe for concurrent use. The zero value is ready.
type Live struct {
	agent, path, cell string
	open              []Span // that have not ended
	waits             []Span // that ended, but whose message has not arrived
	last              Span   // the model's, while nothing follows it
}

// Times are the times stored with a message.
type Times struct {
	AtMs     int64
	TookMs   int64
	WaitedMs int64 // until AtMs
}

// Message is a message of the answer that has come to its end.
type Message struct {
	Index          int
	Tool           bool // the result of one
	Calls          []chat.ToolCall
	IsError        bool
	Said, Reasoned bool
	AtMs, TookMs   int64 // see agent.Put; AtMs 0: nothing ran
}

// Name sets the agent, by uuid and path. Call it before the others.
func (l *Live) Name(agent, path string) { l.agent, l.path = agent, path }

// Unkept returns the spans that the notebook does not contain yet: current ones, and ended waits
// whose message has not arrived.
func (l *Live) Unkept() []Span { return slices.Concat(l.waits, l.open) }

// Queue reports that a cell waits for its turn.
func (l *Live) Queue(cell string, nowMs int64) []Span {
	id := spanID(l.agent, cell, 0, partQueued)
	if l.find(id) >= 0 {
		return nil
	}
	s := Span{ID: id, Agent: l.agent, Path: l.path, Cell: cell, Kind: Queued, StartMs: nowMs}
	l.open = append(l.open, s)
	return []Span{s}
}

// Unqueue ends the wait of a cell and returns its length: its turn came or, with dropped, never
// will.
func (l *Live) Unqueue(cell string, nowMs int64, dropped bool) (waitedMs int64, changed []Span) {
	at := l.find(spanID(l.agent, cell, 0, partQueued))
	if at < 0 {
		return 0, nil
	}
	s := l.take(at)
	if s.EndMs = max(nowMs, s.StartMs); dropped {
		s.EndMs = s.StartMs
	}
	return s.EndMs - s.StartMs, []Span{s}
}

// Begin sets the cell of everything that follows.
func (l *Live) Begin(cell string) { l.cell, l.waits, l.last = cell, nil, Span{} }

// Ask reports that a request for message index is being sent.
func (l *Live) Ask(index int, nowMs int64) []Span {
	return append(l.resume(index, nowMs), l.start(index, partModel, Model, said{}, nowMs)...)
}

// Wait reports that the person is asked about message index: about a call, or with none about the
// request.
func (l *Live) Wait(index int, call *chat.ToolCall, nowMs int64) (changed []Span) {
	if at := l.find(spanID(l.agent, l.cell, index, partModel)); at >= 0 {
		s := l.take(at) // it has not begun in truth
		s.EndMs = s.StartMs
		changed = append(changed, s)
	}
	var says said
	if call != nil {
		says = saidOf(*call)
	}
	for i, s := range l.waits { // again for the same: it is one wait
		if s.Index == index {
			l.waits = slices.Delete(l.waits, i, i+1)
			s.EndMs = 0
			l.open = append(l.open, s)
			return append(changed, s)
		}
	}
	return append(changed, l.start(index, partWait, Waiting, says, nowMs)...)
}

// Hold reports that the current request waits for the person, and Resume that it is sent now.
func (l *Live) Hold(nowMs int64) []Span {
	for _, s := range l.open {
		if s.ID == spanID(l.agent, l.cell, s.Index, partModel) {
			return l.Wait(s.Index, nil, nowMs)
		}
	}
	return nil
}

// Resume ends a Hold.
func (l *Live) Resume(nowMs int64) []Span {
	for _, s := range l.open {
		if s.ID == spanID(l.agent, l.cell, s.Index, partWait) {
			return l.Ask(s.Index, nowMs)
		}
	}
	return nil
}

// Call reports that a tool starts on a call whose result will be message index.
func (l *Live) Call(index int, call chat.ToolCall, nowMs int64) []Span {
	changed := l.resume(index, nowMs)
	if kind := kindOf(call.Function.Name); kind != Report {
		changed = append(changed, l.start(index, partTool, kind, saidOf(call), nowMs)...)
	}
	return changed
}

// Since returns the times to store for the model's message index while it streams.
func (l *Live) Since(index int, nowMs int64) Times {
	at := l.find(spanID(l.agent, l.cell, index, partModel))
	if at < 0 {
		return Times{}
	}
	start := l.open[at].StartMs
	t := Times{AtMs: start, TookMs: max(0, nowMs-start)}
	for _, s := range l.waits {
		if s.Index == index {
			t.WaitedMs = start - s.StartMs
		}
	}
	return t
}

// Put reports that a message is complete, and returns the times to store with it.
func (l *Live) Put(m Message, nowMs int64) (t Times, changed []Span) {
	part := partModel
	if m.Tool {
		part = partTool
	}
	t = Times{AtMs: m.AtMs, TookMs: m.TookMs}
	changed = l.resume(m.Index, nowMs)
	for i, s := range l.waits {
		if s.Index != m.Index {
			continue
		}
		l.waits = slices.Delete(l.waits, i, i+1)
		end := m.AtMs + m.TookMs
		if m.Tool && m.AtMs > 0 {
			s.EndMs = max(m.AtMs, s.StartMs)
		}
		t = Times{AtMs: s.EndMs, TookMs: max(0, end-s.EndMs), WaitedMs: s.EndMs - s.StartMs}
		if m.AtMs == 0 {
			t.TookMs = 0
		}
		changed = slices.DeleteFunc(changed, func(o Span) bool { return o.ID == s.ID })
		changed = append(changed, s)
		break
	}
	at := l.find(spanID(l.agent, l.cell, m.Index, part))
	if at < 0 {
		return t, changed
	}
	s := l.take(at)
	s.StartMs, s.EndMs = t.AtMs, t.AtMs+t.TookMs
	if m.Tool {
		s.Failed, l.last = m.IsError, Span{}
	} else {
		done := finishes(m.Calls)
		if done {
			s.Kind = Report
		}
		says := saidByModel(m.Said, m.Reasoned, done)
		s.Word, s.Text = says.word, says.text
		l.last = s
	}
	return t, append(changed, s)
}

// End reports that the run is over. lostMs is the time of a request without a result, and heldMs
// its wait for the person before.
func (l *Live) End(nowMs int64, failed bool) (lostMs, heldMs int64, changed []Span) {
	for at := 0; at < len(l.open); {
		if l.open[at].Kind == Queued {
			at++
			continue
		}
		s := l.take(at)
		s.EndMs = max(nowMs, s.StartMs)
		if s.ID == spanID(l.agent, l.cell, s.Index, partModel) {
			s.Failed, l.last = failed, Span{}
			lostMs = s.EndMs - s.StartMs
		} else if s.ID == spanID(l.agent, l.cell, s.Index, partWait) {
			heldMs = s.EndMs - s.StartMs
		}
		changed = append(changed, s)
	}
	for _, s := range l.waits {
		heldMs = s.EndMs - s.StartMs
	}
	if failed && l.last.ID != "" {
		l.last.Failed = true
		changed = append(changed, l.last)
	}
	l.Begin("")
	return lostMs, heldMs, changed
}

func (l *Live) start(index int, part string, kind SpanKind, says said, nowMs int64) []Span {
	s := Span{
		ID: spanID(l.agent, l.cell, index, part), Agent: l.agent, Path: l.path, Cell: l.cell, Index: index,
		Kind: kind, Word: says.word, Text: says.text, StartMs: nowMs,
	}
	if at := l.find(s.ID); at >= 0 {
		l.take(at)
	}
	l.open = append(l.open, s)
	return []Span{s}
}

// resume ends the wait before message index.
func (l *Live) resume(index int, nowMs int64) []Span {
	at := l.find(spanID(l.agent, l.cell, index, partWait))
	if at < 0 {
		return nil
	}
	s := l.take(at)
	s.EndMs = max(nowMs, s.StartMs)
	l.waits = append(l.waits, s)
	return []Span{s}
}

func (l *Live) find(id string) int {
	return slices.IndexFunc(l.open, func(s Span) bool { return s.ID == id })
}

func (l *Live) take(at int) Span {
	s := l.open[at]
	l.open = slices.Delete(l.open, at, at+1)
	return s
}
