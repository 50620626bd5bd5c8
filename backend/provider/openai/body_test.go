package openai

import (
	"encoding/json"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
)

func TestBodyIsValid(t *testing.T) {
	c := New(Config{BaseURL: "http://127.0.0.1/v1"})
	for _, list := range [][]chat.Message{nil, {{Role: chat.User}}, {{Role: chat.User, Content: chat.Text("<b>\n")}, {Role: chat.Tool, ToolCallID: "a"}}} {
		text, err := c.Body(provider.Request{Model: "m", Messages: list})
		var got struct {
			Model    string
			Messages []chat.Message
		}
		if err != nil || json.Unmarshal(text, &got) != nil || got.Model != "m" || len(got.Messages) != len(list) {
			t.Errorf("%v: %s", err, text)
		}
	}
	bad := chat.ToolCall{ID: "a", Extra: map[string]json.RawMessage{"x": json.RawMessage("{")}}
	if _, err := c.Body(provider.Request{Messages: []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{bad}}}}); err == nil {
		t.Error("invalid JSON was accepted")
	}
}
