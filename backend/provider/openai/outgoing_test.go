package openai

import (
	"encoding/json"
	"testing"

	"mutsumi/backend/chat"
)

// Messages that are sent unchanged are not copied: a conversation can be as large as a notebook. If
// one differs, the input stays as it is.
func TestOutgoingCopiesOnlyWhatDiffers(t *testing.T) {
	call := chat.ToolCall{ID: "c", Type: "function", Function: chat.Function{Name: "ls", Arguments: "{}"}}
	with := func(change func(m *chat.Message)) []chat.Message {
		m := chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}
		change(&m)
		return []chat.Message{{Role: chat.User, Content: chat.Text("a")}, m, {Role: chat.User, Content: chat.Text("b")}}
	}
	same := with(func(*chat.Message) {})
	if out := outgoing(same, 0, "h"); &out[0] != &same[0] {
		t.Error("messages that are as they go were copied")
	}
	for name, change := range map[string]func(*chat.Message){
		"reasoning": func(m *chat.Message) { m.ReasoningContent = "r" },
		"kept":      func(m *chat.Message) { m.Kept = &chat.Kept{Maker: "m"} },
		"type":      func(m *chat.Message) { m.ToolCalls[0].Type = "" },
		"arguments": func(m *chat.Message) { m.ToolCalls[0].Function.Arguments = " " },
		"extra":     func(m *chat.Message) { m.ToolCalls[0].Extra = map[string]json.RawMessage{"x": json.RawMessage("1")} },
	} {
		in := with(change)
		before, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out := outgoing(in, callExtras, "h")
		if m := out[1]; m.ReasoningContent != "" || m.Kept != nil || m.ToolCalls[0].Type != "function" || m.ToolCalls[0].Function.Arguments != "{}" || m.ToolCalls[0].Extra != nil {
			t.Errorf("%s: %+v goes to a server", name, m)
		}
		if after, err := json.Marshal(in); err != nil || string(after) != string(before) {
			t.Errorf("%s: the input changed to %s, %v", name, after, err)
		}
	}
}
