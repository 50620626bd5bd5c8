package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/tool"
)

// maxAnswer bounds what one answer may hold: a server that never stops must
// not use up the memory.
const maxAnswer = 32 << 20

// answer is one streamed answer, as received so far.
type answer struct {
	text, reasoning strings.Builder
	calls           []*callParts
	slots           map[int]*callParts // by the server's index
	size            int
	finish          string
	usage           *chat.Usage
	kept            *chat.Kept
	started         time.Time
	took            time.Duration
	sent            []chat.Message // the finished message, to be followed by results
	tools           *tool.Registry
}

// callParts is a tool call, as received so far.
type callParts struct {
	index    int // in the message
	id, name string
	args     strings.Builder
	extra    map[string]json.RawMessage
}

// add takes a chunk and returns what it adds, tool calls numbered from 0.
func (a *answer) add(c provider.Chunk) (Delta, error) {
	a.size += len(c.Text) + len(c.Reasoning)
	a.text.WriteString(c.Text)
	a.reasoning.WriteString(c.Reasoning)
	d := Delta{Text: c.Text, Reasoning: c.Reasoning}
	for _, f := range c.ToolCalls {
		a.size += len(f.Arguments) + len(f.Name) + len(f.ID) + 100
		for _, val := range f.Extra {
			a.size += len(val)
		}
		d.ToolCalls = append(d.ToolCalls, a.fragment(f))
	}
	if c.Kept != nil {
		for _, item := range c.Kept.Items {
			a.size += len(item.Item)
		}
		a.kept = a.kept.Join(c.Kept, 0)
	}
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if a.size > maxAnswer {
		return d, fault.New(fault.Provider, "The answer is larger than %d MB and was cut off.", maxAnswer>>20).WithCode(fault.CodeStreamBroken)
	}
	return d, nil
}

// fragment adds a fragment to its call and returns it as the loop emits it: with the call's number
// in the message, and the registered name of the tool.
func (a *answer) fragment(f provider.ToolCallDelta) provider.ToolCallDelta {
	c := a.slots[f.Index]
	if c == nil {
		c = &callParts{index: len(a.calls), id: f.ID, name: a.tools.Name(f.Name)}
		if a.slots == nil {
			a.slots = map[int]*callParts{}
		}
		a.slots[f.Index] = c
		a.calls = append(a.calls, c)
		f.Name = c.name
	}
	c.args.WriteString(f.Arguments)
	c.extra = provider.WithExtra(c.extra, f.Extra)
	f.Index = c.index
	return f
}

// isEmpty reports whether there is nothing to keep.
func (a *answer) isEmpty() bool {
	return a.text.Len() == 0 && a.reasoning.Len() == 0 && len(a.calls) == 0
}

// cutShort is the fault of an answer that ended before its end.
func (a *answer) cutShort() *fault.Error {
	switch a.finish {
	case "length":
		return fault.New(fault.Provider, "The answer was cut off: it reached the limit of tokens for one answer. Continue to let the model go on, or raise the limit.")
	case "content_filter":
		return fault.New(fault.Provider, "The server's content filter ended the answer. Word the prompt in another way, or use another model.")
	}
	return nil
}

// said returns the content of an answer with a text.
func said(text string) chat.Content {
	c := chat.Text(text)
	c.Null = text == ""
	return c
}

// message returns the answer as received so far. Later chunks do not change it: its texts come from
// builders, which only append. Arguments stay as the model wrote them. Every call gets an id that
// is unique within the message.
func (a *answer) message(step int) chat.Message {
	m := chat.Message{
		Role:             chat.Assistant,
		Content:          said(a.text.String()),
		ReasoningContent: a.reasoning.String(),
		Kept:             a.kept,
	}
	seen := map[string]bool{}
	for i, c := range a.calls {
		id := c.id
		if id == "" || seen[id] {
			id = fmt.Sprintf("call_%d_%d", step, i)
		}
		seen[id] = true
		m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: c.name, Arguments: c.args.String()}, Extra: c.extra})
	}
	return m
}

// why is the last sentence of the text, for whoever has to approve a call.
func (a *answer) why() string { return LastSentence(a.text.String()) }

// LastSentence returns the last sentence of a text, shortened at its start.
func LastSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	for i := len(s) - 2; i > 0; i-- {
		if s[i] == ' ' && strings.IndexByte(".!?", s[i-1]) >= 0 {
			s = s[i+1:]
			break
		}
	}
	if r := []rune(s); len(r) > 300 {
		s = "..." + string(r[len(r)-300:])
	}
	return s
}
