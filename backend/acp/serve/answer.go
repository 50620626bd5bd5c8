package serve

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
)

// answer tells the editor the messages of a cell's answer as they come. It is for one goroutine.
type answer struct {
	*session
	cell     string
	messages map[int]*messageSent
	calls    map[callKey]*callSent // by cell and id; the latest of those with the same id
	texted   int                   // index of the message whose text was sent last, if nothing came since; -1: none
}

// messageSent is what the editor has of a message.
type messageSent struct {
	text, thought int // bytes
	calls         map[int]string
}

// callKey finds a call by what its result names. The cell is that of the agent that calls: children
// have requests as well.
type callKey struct{ cell, id string }

// callSent is a tool call that the editor knows.
type callSent struct {
	id      acp.ToolCallId
	kind    acp.ToolKind
	changes []acp.ToolCallContent // what it does to files; nil: that is not known
}

func newAnswer(one *session, cell string) *answer {
	return &answer{session: one, cell: cell, messages: map[int]*messageSent{}, calls: map[callKey]*callSent{}, texted: -1}
}

func (a *answer) send(u acp.SessionUpdate) { a.update(a.id, u) }

func (a *answer) message(index int) *messageSent {
	m := a.messages[index]
	if m == nil {
		m = &messageSent{calls: map[int]string{}}
		a.messages[index] = m
	}
	return m
}

// callID names a call in the session: the ids of models repeat.
func (a *answer) callID(index, call int) acp.ToolCallId {
	return acp.ToolCallId(fmt.Sprintf("%s.%d.%d", a.cell, index, call))
}

// delta sends what was added to a message.
func (a *answer) delta(e event.Delta) {
	m := a.message(e.Index)
	a.think(m, e.Reasoning)
	a.say(m, e.Index, e.Text)
	for _, c := range e.ToolCalls {
		if c.Name == "" || m.calls[c.Index] != "" {
			continue
		}
		m.calls[c.Index] = c.Name
		a.texted = -1
		a.send(acp.StartToolCall(a.callID(e.Index, c.Index), callTitle(c.Name, ""), acp.WithStartKind(kindOf(c.Name)), acp.WithStartStatus(acp.ToolCallStatusPending)))
	}
}

func (a *answer) think(m *messageSent, text string) {
	if text != "" {
		m.thought += len(text)
		a.send(acp.UpdateAgentThoughtText(text))
	}
}

// say sends text of a message. Texts of two messages without a call between them are paragraphs.
func (a *answer) say(m *messageSent, index int, text string) {
	if text == "" {
		return
	}
	m.text += len(text)
	if a.texted >= 0 && a.texted != index {
		text = "\n\n" + text
	}
	a.texted = index
	a.send(acp.UpdateAgentMessageText(text))
}

// put sends what the editor lacks of a finished message.
func (a *answer) put(index int, view notebook.MessageView) {
	if view.Internal {
		return
	}
	if view.Role == chat.Tool {
		a.result(a.cell, view)
		return
	}
	m := a.message(index)
	if m.thought < len(view.Reasoning) {
		a.think(m, view.Reasoning[m.thought:])
	}
	if m.text < len(view.Text) {
		a.say(m, index, view.Text[m.text:])
	}
	for i, c := range view.ToolCalls {
		a.call(m, index, i, c)
	}
}

// call sends a whole call, which is about to run.
func (a *answer) call(m *messageSent, index, i int, c notebook.ToolCallView) {
	if entries, ok := planOf(c); ok {
		a.send(acp.UpdatePlan(entries...))
		return
	}
	a.texted = -1
	d := a.describe(c.Name, c.Arguments)
	sent := &callSent{id: a.callID(index, i), kind: d.kind, changes: d.changes}
	a.calls[callKey{a.cell, c.ID}] = sent
	if m.calls[i] == "" {
		m.calls[i] = c.Name
		a.send(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
			ToolCallId: sent.id, Title: d.title, Kind: d.kind, Status: acp.ToolCallStatusInProgress, Locations: d.locations, RawInput: d.input, Content: d.changes,
		}})
		return
	}
	a.send(acp.SessionUpdate{ToolCallUpdate: &acp.SessionToolCallUpdate{
		ToolCallId: sent.id, Title: &d.title, Kind: &d.kind, Status: acp.Ptr(acp.ToolCallStatusInProgress), Locations: d.locations, RawInput: d.input, Content: d.changes,
	}})
}

// result sends the result of a call; cell is that of the agent that called.
func (a *answer) result(cell string, view notebook.MessageView) {
	sent := a.calls[callKey{cell, view.ToolCallID}]
	if sent == nil {
		return
	}
	delete(a.calls, callKey{cell, view.ToolCallID})
	status := acp.ToolCallStatusCompleted
	if view.IsError || view.Facts != nil && view.Facts.End != "" {
		status = acp.ToolCallStatusFailed
	}
	content := sent.changes
	if text := strings.TrimSpace(view.Text); text != "" && (len(content) == 0 || status == acp.ToolCallStatusFailed) {
		if sent.kind == acp.ToolKindExecute || sent.kind == acp.ToolKindRead || sent.kind == acp.ToolKindSearch {
			fence := fenceFor(text)
			text = fence + "\n" + text + "\n" + fence
		}
		if view.Truncated {
			text += "\n\n(The notebook has the rest.)"
		}
		content = append(content[:len(content):len(content)], acp.ToolContent(acp.TextBlock(text)))
	}
	a.send(acp.UpdateToolCall(sent.id, acp.WithUpdateStatus(status), acp.WithUpdateContent(content)))
}

// end marks the calls that got no result.
func (a *answer) end() {
	for key, sent := range a.calls {
		delete(a.calls, key)
		a.send(acp.UpdateToolCall(sent.id, acp.WithUpdateStatus(acp.ToolCallStatusFailed)))
	}
}

// asked returns the call that a request to the person is about, as the editor knows it. A call of a
// child is new to it.
func (a *answer) asked(r approval.Request) acp.ToolCallUpdate {
	key := callKey{r.Cell, r.CallID}
	d := a.describe(r.Tool, r.Arguments)
	sent := a.calls[key]
	if sent == nil || r.CallID == "" {
		sent = &callSent{id: acp.ToolCallId(fmt.Sprintf("%s.%s", r.Cell, r.ID)), kind: d.kind}
		if r.CallID != "" {
			a.calls[key] = sent
		}
		a.texted = -1
		name := titled(r.Action)
		if r.Cell != a.cell {
			name = title(r.Agent) + ": " + name
		}
		a.send(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
			ToolCallId: sent.id, Title: name, Kind: d.kind, Status: acp.ToolCallStatusPending, Locations: d.locations, RawInput: d.input,
		}})
		d.title = name
	}
	if changes := a.changesOf(r); len(changes) > 0 {
		sent.changes = changes
	}
	return acp.ToolCallUpdate{
		ToolCallId: sent.id, Title: &d.title, Kind: &d.kind, Status: acp.Ptr(acp.ToolCallStatusPending), Locations: d.locations, RawInput: d.input,
		Content: append(about(r), sent.changes...),
	}
}

// planOf reads the plan of an agent that answers over ACP.
func planOf(c notebook.ToolCallView) (entries []acp.PlanEntry, ok bool) {
	if c.Name != "acp_plan" {
		return nil, false
	}
	var plan struct {
		Entries []acp.PlanEntry `json:"entries"`
	}
	if json.Unmarshal([]byte(c.Arguments), &plan) != nil {
		return nil, false
	}
	return plan.Entries, true
}
