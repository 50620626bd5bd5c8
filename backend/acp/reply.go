package acp

import (
	"encoding/json"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/provider"
)

// limits bound an answer.
type limits struct {
	answer int // bytes
	calls  int
	held   int           // bytes of text that wait for results
	wait   time.Duration // of text, for results of which nothing is heard
}

var defaultLimits = limits{answer: 32 << 20, calls: 2000, held: 64 << 10, wait: 20 * time.Second}

// reply turns the updates of a turn into the messages of an answer: text, thoughts and calls form
// an assistant message, and the results of its calls follow in their order. Text that arrives
// before the results waits for them. It is safe for concurrent use.
type reply struct {
	turn     Turn
	name     string // of the agent
	limits   limits
	terminal func(id string) *terminal
	over     chan struct{} // closed when the agent must end

	mu     lock.Mutex
	closed bool         // nothing is emitted any more
	ended  bool         // what the agent still says is left out
	fault  *fault.Error // why the agent must end; nil: nothing is wrong
	index  int          // of the current message
	cur    message
	isPut  bool    // the current message: results are outstanding
	open   []*call // of the current message, without a result so far, in order
	held   []piece // what came since
	replay bool    // held is being taken in
	waits  int     // bytes of held
	since  time.Time
	calls  map[string]*call // by the agent's id
	ids    map[string]bool  // of calls, as in the notebook
	plan   string           // the last one
	size   int
	steps  int
	put    int
	spent  *chat.Usage // reported since the last message
	total  *chat.Usage // reported
	paid   int         // what the session cost so far, in millionths of a dollar
}

// message is an assistant message while it is made.
type message struct {
	text, thoughts strings.Builder
	id             string // as the agent names it; "": it does not
	thinks         bool   // the last chunk was a thought
	calls          []*call
	began, last    time.Time
}

// piece is a chunk of text or a call that waits for results.
type piece struct {
	text    string
	id      string
	thought bool
	call    *call // nil: a text
}

func newReply(t Turn, name string, within limits, terminal func(string) *terminal) *reply {
	r := &reply{turn: t, name: name, limits: within, terminal: terminal, over: make(chan struct{}), index: t.Index, calls: map[string]*call{}, ids: map[string]bool{}, paid: t.Session.Micros}
	r.begin()
	return r
}

// begin begins a message: the agent's model is being asked.
func (r *reply) begin() {
	now := time.Now()
	r.cur = message{began: now, last: now}
	r.turn.Emit(agent.Asked{Index: r.index})
	r.act("thinking")
}

func (r *reply) act(text string) { r.turn.Emit(agent.Action{Text: text}) }

// take takes an update.
func (r *reply) take(u sessionUpdate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.calls[u.ID]; r.closed || r.ended && (c == nil || c.finished || u.Kind != "tool_call_update") {
		return // what ends after the turn was ended still has its result
	}
	if used := usageOf(u.Meta.Usage); used != nil {
		r.use(*used)
	}
	switch u.Kind {
	case "agent_message_chunk", "agent_thought_chunk":
		var b contentBlock
		if decode(u.Content, &b) == nil {
			r.say(piece{text: textOf(b), id: u.MessageID, thought: u.Kind == "agent_thought_chunk"})
		}
	case "tool_call", "tool_call_update":
		if u.Kind == "tool_call" {
			r.renew(u.ID)
		}
		r.update(u.toolCallFields, u.Content)
	case "plan":
		r.note(u.Entries)
	}
}

// grow counts what an answer holds. It returns false if that is too much.
func (r *reply) grow(bytes int) bool {
	if r.size += bytes; r.size <= r.limits.answer {
		return true
	}
	r.breakOff(fault.New(fault.Provider, "Could not continue the answer: %s wrote more than %d MB.", r.name, r.limits.answer>>20))
	return false
}

// breakOff ends the turn.
func (r *reply) breakOff(why *fault.Error) {
	if !r.ended {
		r.ended, r.fault = true, why
		close(r.over)
	}
}

// say adds a chunk to the current message, or keeps it until the results of that are there.
func (r *reply) say(p piece) {
	if p.text == "" || !r.replay && !r.grow(len(p.text)) {
		return
	}
	if len(r.open) > 0 {
		r.hold(p)
		return
	}
	m := &r.cur
	to := &m.text
	d := agent.Delta{Index: r.index}
	if p.thought {
		to = &m.thoughts
	}
	if next := p.id != m.id && p.id != "" && m.id != ""; to.Len() > 0 && (next || p.thought != m.thinks) && !strings.HasSuffix(to.String(), "\n") {
		p.text = "\n\n" + p.text // another message of the agent
	}
	m.id, m.thinks, m.last = p.id, p.thought, time.Now()
	to.WriteString(p.text)
	if p.thought {
		d.Reasoning = p.text
	} else {
		d.Text = p.text
	}
	r.delta(d)
}

func (r *reply) delta(d agent.Delta) {
	d.Whole = r.cur.whole()
	r.turn.Emit(d)
}

// whole returns the message so far.
func (m *message) whole() chat.Message {
	out := chat.Message{Role: chat.Assistant, Content: chat.Text(m.text.String()), ReasoningContent: m.thoughts.String()}
	out.Content.Null = m.text.Len() == 0
	if len(m.calls) > 0 {
		out.ToolCalls = make([]chat.ToolCall, 0, len(m.calls))
	}
	for _, c := range m.calls {
		out.ToolCalls = append(out.ToolCalls, c.chat())
	}
	return out
}

func (m *message) isEmpty() bool {
	return m.text.Len() == 0 && m.thoughts.Len() == 0 && len(m.calls) == 0
}

// hold keeps a piece until the open calls have their results: they get one if the agent seems to
// have forgotten them.
func (r *reply) hold(p piece) {
	now := time.Now()
	if len(r.held) == 0 {
		r.since = now
	}
	r.held = append(r.held, p)
	r.waits += len(p.text)
	quiet := now.Sub(r.since) > r.limits.wait
	for _, c := range r.open {
		quiet = quiet && now.Sub(c.heard) > r.limits.wait
	}
	if !r.replay && (r.waits > r.limits.held || quiet) {
		r.giveUp(func(c *call) { c.leave(noResult, "") })
	}
}

// giveUp gives the open calls a result.
func (r *reply) giveUp(with func(*call)) {
	for _, c := range r.open {
		if !c.finished {
			with(c)
		}
	}
	r.settle()
}

// renew lets an id name another call than before: some models number the calls of each of their
// answers.
func (r *reply) renew(id string) {
	if c := r.calls[id]; c != nil && c.finished {
		delete(r.calls, id)
	}
}

// update takes what the agent says about a call.
func (r *reply) update(f toolCallFields, content json.RawMessage) *call {
	if f.ID == "" || len(f.ID) > 4*maxID {
		return nil
	}
	c := r.calls[f.ID]
	if c == nil {
		if len(r.ids) >= r.limits.calls {
			r.breakOff(fault.New(fault.Provider, "Could not continue the answer: %s made more than %d calls of tools in one turn.", r.name, r.limits.calls))
			return nil
		}
		c = &call{id: r.freeID(f.ID), kind: "other", status: "pending", reply: r, ready: time.Now()}
		r.calls[f.ID] = c
	}
	if c.finished { // it has its result
		return c
	}
	if !r.grow(len(f.RawInput) + len(content) + len(f.RawOutput) - c.size) {
		return nil
	}
	c.set(f, content)
	r.turn.Host.Begins(c.host())
	if c.finished {
		r.turn.Host.Ends(c.id)
	}
	if c.joined {
		r.refresh(c)
	} else if r.isPut && !c.waits {
		c.waits = true
		r.hold(piece{call: c})
	} else if !c.waits {
		r.join(c)
	}
	return c
}

// join makes a call one of the current message.
func (r *reply) join(c *call) {
	c.joined, c.at = true, len(r.cur.calls)
	r.cur.calls, r.open = append(r.cur.calls, c), append(r.open, c)
	r.cur.last = time.Now()
	d := provider.ToolCallDelta{Index: c.at, ID: c.id, Name: c.name()}
	if c.told = c.isTold(); c.told {
		d.Arguments = c.arguments()
	}
	r.delta(agent.Delta{Index: r.index, ToolCalls: []provider.ToolCallDelta{d}})
	r.act(c.action())
	r.refresh(c)
}

// refresh shows how far a call is.
func (r *reply) refresh(c *call) {
	if !c.told && c.isTold() && !r.isPut {
		r.tell(c)
	}
	if c.status != "pending" && !c.called {
		r.start(c)
	}
	if c.finished {
		r.settle()
	}
}

// tell shows the arguments of a call, which may still change.
func (r *reply) tell(c *call) {
	c.told = true
	r.delta(agent.Delta{Index: r.index, ToolCalls: []provider.ToolCallDelta{{Index: c.at, ID: c.id, Name: c.name(), Arguments: c.arguments()}}})
	r.act(c.action())
}

// start reports that the agent carries out a call, or did so unsaid.
func (r *reply) start(c *call) {
	if c.called, c.began = true, time.Now(); c.finished {
		c.began = c.ready
	}
	r.turn.Emit(agent.Called{Index: r.index + 1 + c.at, Call: c.chat()})
	r.act(c.action())
}

// settle puts the results that are next, and takes in what waited for the last one of them.
func (r *reply) settle() {
	for len(r.open) > 0 && r.open[0].finished {
		if !r.isPut {
			r.putMessage()
		}
		c := r.open[0]
		r.open = r.open[1:]
		p := c.result()
		r.grow(p.Message.Content.Size())
		p.Index = r.index + 1 + c.at
		r.put++
		r.turn.Emit(p)
	}
	if len(r.open) > 0 || !r.isPut {
		return
	}
	r.index += 1 + len(r.cur.calls)
	r.isPut = false
	if r.ended { // the last ones
		r.cur = message{began: time.Now(), last: time.Now()}
	} else {
		r.begin()
	}
	if !r.replay {
		r.takeHeld()
		if len(r.open) == 0 && !r.ended && r.turn.NextStep != nil && !r.turn.NextStep() {
			r.breakOff(nil)
		}
	}
}

// takeHeld takes in what waited for results. What comes after a call without one waits again.
func (r *reply) takeHeld() {
	for len(r.held) > 0 && len(r.open) == 0 {
		all := r.held
		r.held, r.waits = nil, 0
		r.replay = true
		for _, p := range all {
			if p.call == nil {
				r.say(p)
			} else {
				r.join(p.call)
			}
		}
		r.replay = false
	}
}

// putMessage puts the current message.
func (r *reply) putMessage() {
	m := r.cur.whole()
	m.Content, m.ReasoningContent = chat.Text(strings.Clone(m.Content.String())), strings.Clone(m.ReasoningContent) // a Builder has room to spare
	m.Content.Null = m.Content.IsEmpty()
	r.isPut = true
	r.put++
	r.steps++
	r.turn.Emit(agent.Put{Index: r.index, Message: m, At: r.cur.began, Took: r.cur.last.Sub(r.cur.began), Usage: r.spent})
	r.spent = nil
}

// finish ends the answer: calls without a result get one, and the last message is put. used is what
// the agent reports of the whole turn; it returns what was used.
func (r *reply) finish(used *chat.Usage, with func(*call)) (total chat.Usage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if used != nil && (r.total == nil || *r.total == chat.Usage{Micros: r.total.Micros}) {
		r.use(*used)
	}
	r.ended = true
	for len(r.open) > 0 || len(r.held) > 0 {
		r.giveUp(with)
		r.takeHeld()
	}
	if !r.cur.isEmpty() {
		r.putMessage()
	}
	r.closed = true
	if r.total != nil {
		total = *r.total
	}
	return total
}
