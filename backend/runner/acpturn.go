package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"mutsumi/backend/acp"
	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/coalesce"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
)

// keyACPSession is the metadata key of the session that an agent has for a notebook.
const keyACPSession = "mutsumi_acp_session"

// acpSession is a session of an agent that answers a notebook, and the conversation that it knows.
type acpSession struct {
	Agent    string `json:"agent"`
	Session  string `json:"session"`
	Notebook string `json:"notebook"`               // uuid: a copy of the notebook has no session
	Digest   string `json:"digest"`                 // see digestOf
	Micros   int    `json:"microdollars,omitempty"` // what it cost so far, as the agent reports it
}

// digestOf identifies a conversation. A session that knows another one cannot continue it.
func digestOf(messages []chat.Message) string {
	sum := sha256.New()
	to := json.NewEncoder(sum)
	for _, m := range messages {
		m.Kept, m.ReasoningContent, m.Name = nil, "", ""
		to.Encode(m) // of a hash it does not fail
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// continueText is the prompt with which an agent continues an answer that broke off.
const continueText = "Continue where you stopped."

// answerByAgent has a run answered by the agent that its notebook names (SPEC 14). preempted
// reports that it ended for a prompt with "send now".
func (d *doc) answerByAgent(r *run, s request.Spec, batch *coalesce.Batcher) (result agent.Result, preempted bool) {
	turn, err := d.acpTurn(r, s)
	if err == nil && !d.withinBudget(r.ctx, r) {
		d.stopOverBudget(r)
	}
	if err == nil {
		err = d.runner.pause.wait(r.ctx, d.setPausedAction)
	}
	if r.ctx.Err() != nil {
		result.Outcome, _ = agent.Cut(r.ctx)
		return result, false
	}
	if err != nil {
		return agent.Result{Outcome: agent.Failed, Fault: fault.Of(err)}, false
	}
	s.Turn().BeforeCommand(r.ctx, turn.Dir) // the agent changes files by itself, too; the turn's End looks again
	d.reacquireSlot(r.ctx, r)
	d.detectLoops(r, nil)
	turn.Emit = func(u agent.Update) { d.update(r, batch, u) }
	turn.NextStep = func() bool {
		if d.isOverBudget() {
			d.stopOverBudget(r)
			return false
		}
		d.look() // a prompt that another process appended may be next
		preempted = r.ctx.Err() == nil && d.hasSendNow()
		return !preempted
	}
	result, session := d.runner.with.Agents.Answer(r.ctx, turn)
	batch.Flush()
	d.keepSession(r, acpSession{Agent: turn.Agent, Session: session.ID, Notebook: turn.Notebook, Micros: session.Micros})
	return result, preempted
}

// acpTurn builds the prompt of a run for an agent, and its host. It reads files and may take a
// while.
func (d *doc) acpTurn(r *run, s request.Spec) (t acp.Turn, err error) {
	rn := d.runner
	name := rn.with.Agents.Name(s.Endpoint.Model.ID)
	allowed := func(ctx context.Context) error {
		if !rn.with.Trusted(ctx) {
			return fault.New(fault.Denied, "Could not start %s: this folder is not trusted, and an agent follows the instructions and settings that it finds in a folder. Trust the folder first", name)
		}
		return nil
	}
	if err := allowed(r.ctx); err != nil { // before anything is done for it; what counts is asked when it starts
		return t, err
	}
	scratch, err := rn.with.Kept.Scratch(s.Agent.UUID)
	if err != nil {
		return t, err
	}
	roots, places, err := rn.with.Access.Roots(documents.Holder(s.Path(), s.Agent), scratch)
	if err != nil {
		return t, err
	}
	s.Agent.Allowed = places
	tools := rn.requests.Tools(roots, s)
	if r.continues {
		if err := rn.resolvePendingCalls(r, &s, tools, scratch); err != nil {
			return t, err
		}
	}
	built, err := rn.requests.Build(r.ctx, s, roots, tools, scratch)
	if err != nil {
		return t, err
	}
	if err := d.saveBuilt(r, built); err != nil {
		return t, err
	}
	before := conversationBefore(s)
	t = acp.Turn{
		Agent: s.Endpoint.Model.ID, Notebook: s.Agent.UUID, Dir: roots.Workspace(),
		Session: d.sessionFor(s, before), Before: func() string { return conversationText(before) },
		Prompt: ownPart(built.Messages), Index: len(s.Answer), Allowed: allowed,
	}
	if r.continues {
		t.Prompt = chat.Text(continueText)
	} else if role := s.Role.Role; role != "" && len(before) == 0 {
		t.Prompt.Parts = append([]chat.Part{{Type: chat.PartText, Text: role}}, partsOf(t.Prompt)...)
	}
	h := &acpHost{
		doc: d, run: r, spec: s, roots: roots, scratch: scratch, tools: tools, name: name,
		approver: agents{rn}.Approver(s, roots, scratch, nil), changes: acpChanges{turn: s.Turn()},
	}
	if ours, ok := h.approver.(approver); ok {
		ours.fixed = name + " makes this call itself, so that it cannot be changed here: reject it, and say what it should do instead"
		h.approver = ours
	}
	t.Host = h
	return t, nil
}

// conversationBefore returns the messages before what a run sends.
func conversationBefore(s request.Spec) (all []chat.Message) {
	for _, t := range s.Turns {
		all = append(all, t.Message)
	}
	if s.Continues {
		all = append(append(all, chat.Message{Role: chat.User, Content: s.Prompt}), s.Answer...)
	}
	return all
}

// sessionFor returns the agent's session that knows exactly the conversation before a run; its ID is
// "" if none does.
func (d *doc) sessionFor(s request.Spec, before []chat.Message) (known acp.Session) {
	var kept acpSession
	raw := locked(d, func(tx *Tx) json.RawMessage { return slices.Clone(tx.Notebook().Raw(keyACPSession)) })
	if raw == nil || json.Unmarshal(raw, &kept) != nil {
		return known
	}
	if kept.Agent != s.Endpoint.Model.ID || kept.Notebook != s.Agent.UUID || kept.Digest != digestOf(before) {
		return known
	}
	return acp.Session{ID: kept.Session, Micros: max(kept.Micros, 0)}
}

// keepSession records in the notebook which conversation a session knows after a run.
func (d *doc) keepSession(r *run, session acpSession) {
	d.do(func(tx *Tx) {
		var raw json.RawMessage
		if session.Session != "" {
			turns, err := tx.Notebook().HistoryMessages(r.cell, prompt.KeySent)
			if err != nil {
				return
			}
			answer, err := tx.Notebook().Answer(r.cell)
			if err != nil {
				return
			}
			known := make([]chat.Message, 0, len(turns)+len(answer))
			for _, t := range turns {
				known = append(known, t.Message)
			}
			session.Digest = digestOf(append(known, answer...))
			if raw, err = json.Marshal(session); err != nil {
				return
			}
		}
		if tx.Notebook().Keep(keyACPSession, raw) == nil { // otherwise the next prompt begins a session
			tx.SaveSoon()
		}
	})
}

// ownPart returns what the person's prompt became: the messages after the last answer, joined. The
// rest of a request, such as the system message, is for models.
func ownPart(messages []chat.Message) chat.Content {
	first := len(messages)
	for first > 0 && messages[first-1].Role == chat.User {
		first--
	}
	var parts []chat.Part
	for _, m := range messages[first:] {
		parts = append(parts, partsOf(m.Content)...)
	}
	return chat.Content{Parts: parts}
}

// partsOf returns a content as a list of parts.
func partsOf(c chat.Content) []chat.Part {
	if c.Parts != nil {
		return c.Parts
	}
	return []chat.Part{{Type: chat.PartText, Text: c.String()}}
}

// Limits of conversationText, in bytes.
const (
	conversationBytes = 400 << 10
	resultBytes       = 4 << 10
)

// conversationText returns a conversation as text, for an agent that was not part of it. Of a long
// one it is the end.
func conversationText(messages []chat.Message) string {
	var pieces []string
	size := 0
	for _, m := range slices.Backward(messages) {
		piece := messageText(m)
		if piece == "" {
			continue
		}
		if size += len(piece); size > conversationBytes {
			pieces = append(pieces, "[What came earlier is left out.]")
			break
		}
		pieces = append(pieces, piece)
	}
	slices.Reverse(pieces)
	return strings.Join(pieces, "\n\n")
}

// messageText returns a message as text; "" if it says nothing.
func messageText(m chat.Message) string {
	text := strings.TrimSpace(m.Content.String())
	switch m.Role {
	case chat.User:
		return "# User\n\n" + text
	case chat.Assistant:
		var b strings.Builder
		b.WriteString(text)
		for _, c := range m.ToolCalls {
			b.WriteString("\n\n[Called " + c.Function.Name + " with " + clip.Bytes(cmp.Or(c.Function.Arguments, "nothing"), resultBytes) + "]")
		}
		return strings.TrimSpace("# Assistant\n\n" + strings.TrimSpace(b.String()))
	case chat.Tool:
		return "# Result\n\n" + clip.Bytes(text, resultBytes)
	}
	return ""
}

// finishChild marks a child whose agent has done its task: such an agent has no tool that says so.
func (tx queueTx) finishChild(s request.Spec, result agent.Result) {
	if s.ByAgent && s.Agent.ParentID != "" && result.Outcome == agent.Done {
		tx.Notebook().SetFinished(true)
	}
}
