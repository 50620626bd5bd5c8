package exchange_test

import (
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/providertest"
)

// TestAimock has another implementation of all three protocols answer.
func TestAimock(t *testing.T) {
	t.Parallel()
	url := providertest.Aimock(t)
	for name, wire := range wires {
		cfg := exchange.Config{Name: "aimock", BaseURL: url, Attempts: 2, FirstWait: 1, MaxRetryAfter: 1, Key: func() (string, error) { return secret, nil }}
		c := wire(cfg)
		for prompt, want := range map[string]struct{ text, reasoning, calls, finish, code string }{
			"plain":    {text: "Hello from another implementation.", finish: "stop"},
			"usage":    {text: "counted", finish: "stop"},
			"think":    {text: "So it is.", reasoning: "First this, then that.", finish: "stop"},
			"length":   {text: "cut", finish: "length"},
			"tools":    {calls: `ls({"uri":"."}) read_file({"uri":"a.txt"}) `, finish: "tool_calls"},
			"both":     {text: "I look.", calls: `ls({}) `, finish: "tool_calls"},
			"limit":    {code: fault.CodeRateLimited},
			"overload": {code: fault.CodeServer},
			"long":     {code: fault.CodeContextTooLong},
			"denied":   {code: fault.CodeKeyRejected},
			"torn":     {text: "This is…", code: fault.CodeStreamBroken},
			"dropped":  {code: fault.CodeUnreachable},
			"garbled":  {code: fault.CodeNotAStream},
		} {
			t.Run(name+"/"+prompt, func(t *testing.T) {
				var finish string
				var usage *chat.Usage
				req := user(prompt)
				req.ReasoningEffort = "low"
				if name == "chat" {
					req.ReasoningEffort = ""
				}
				req.Tools = []provider.ToolSpec{{Name: "ls"}, {Name: "read_file"}}
				m, err := providertest.Message(t.Context(), spied{c, func(ch provider.Chunk) {
					finish += ch.FinishReason
					if ch.Usage != nil {
						usage = ch.Usage
					}
				}}, req)
				text := m.Content.String()
				if prompt == "torn" && strings.HasPrefix("This is torn in the middle", text) {
					text = want.text // how much arrives before the end depends on the network
				}
				all := ""
				for _, c := range m.ToolCalls {
					if c.ID == "" {
						t.Error("a call without an id")
					}
					all += c.Function.Name + "(" + c.Function.Arguments + ") "
				}
				if text != want.text || m.ReasoningContent != want.reasoning || finish != want.finish || all != want.calls {
					t.Errorf("text %q, reasoning %q, finish %q, calls %q", text, m.ReasoningContent, finish, all)
				}
				switch {
				case want.code == "" && err != nil:
					t.Error(err)
				case want.code != "":
					providertest.CheckFault(t, err, want.code, "aimock", secret)
				case name == "chat" && (usage == nil || usage.Input == 0), prompt == "usage" && (usage == nil || *usage != (chat.Usage{Input: 12, Output: 5})):
					t.Errorf("usage %+v", usage)
				}
				if want.reasoning == "" || name == "chat" {
					return
				}
				// It accepts back what it wants back.
				if m.Kept == nil || len(m.Kept.Items) != 1 {
					t.Fatalf("kept %+v", m.Kept)
				}
				req.Messages = append(req.Messages, m, user("plain").Messages[0])
				if _, err := providertest.Message(t.Context(), c, req); err != nil {
					t.Error(err)
				}
			})
		}
	}
	list, err := wires["chat"](exchange.Config{BaseURL: url}).Models(t.Context())
	if err != nil || len(list) == 0 || list[0].ID == "" {
		t.Errorf("models: %+v, %v", list, err)
	}
}
