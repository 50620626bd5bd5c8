package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
)

// wire gives messages the form that servers take, where it is stricter than
// what a notebook keeps: arguments of calls are valid JSON (some servers fail
// to parse their own model's), an assistant message says or asks something and
// is one with the answer that it goes on with, and images of tools follow as a
// user message, since tool messages may hold text only. The messages given are
// not changed.
func wire(messages []chat.Message, images bool) []chat.Message {
	out := make([]chat.Message, 0, len(messages))
	var shown []chat.Part
	flush := func() {
		if shown != nil {
			out = append(out, chat.Message{Role: chat.User, Content: chat.Content{Parts: shown}})
			shown = nil
		}
	}
	for _, m := range messages {
		if m.Role != chat.Tool {
			flush()
		}
		switch {
		case m.Role == chat.Assistant && len(m.ToolCalls) > 0:
			m.ToolCalls = validCalls(m.ToolCalls)
			m.Content.Null = m.Content.IsEmpty()
		case m.Role == chat.Assistant && m.Content.IsEmpty():
			continue
		}
		if n := len(out); n > 0 && goesOn(out[n-1], m) {
			m.Content = chat.Text(out[n-1].Content.Text + m.Content.Text)
			out[n-1] = m
			continue
		}
		switch {
		case m.Role == chat.Tool && m.Content.Parts != nil:
			var text string
			text, shown = splitImages(m, shown, images)
			m.Content = chat.Text(text)
		}
		out = append(out, m)
	}
	flush()
	return out
}

// goesOn reports whether m continues an answer that broke off in its text.
func goesOn(before, m chat.Message) bool {
	return before.Role == chat.Assistant && m.Role == chat.Assistant && len(before.ToolCalls) == 0 &&
		before.Content.Parts == nil && m.Content.Parts == nil
}

func validCalls(calls []chat.ToolCall) []chat.ToolCall {
	out := make([]chat.ToolCall, len(calls))
	for i, c := range calls {
		if c.Type == "" {
			c.Type = "function"
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(c.Function.Arguments), &object) != nil || object == nil {
			mended, ok := tool.Repair(c.Function.Arguments)
			if !ok {
				mended = json.RawMessage("{}")
			}
			c.Function.Arguments = string(mended)
		}
		out[i] = c
	}
	return out
}

// splitImages takes the images out of a tool's message; shown collects them,
// each group under a line that says where they come from.
func splitImages(m chat.Message, shown []chat.Part, images bool) (string, []chat.Part) {
	var b strings.Builder
	n := 0
	for _, p := range m.Content.Parts {
		if p.Type != chat.PartImage {
			b.WriteString(p.Text)
			continue
		}
		if n++; !images {
			continue
		}
		if n == 1 {
			shown = append(shown, chat.Part{Type: chat.PartText, Text: fmt.Sprintf("[Shown by %s, call %s:]", m.Name, m.ToolCallID)})
		}
		shown = append(shown, p)
	}
	if n > 0 && !images {
		b.WriteString("\n[The image is left out: this model takes no images.]")
	}
	return b.String(), shown
}
