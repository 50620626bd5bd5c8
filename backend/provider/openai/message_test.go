package openai

import (
	"encoding/json"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
)

// encoded is a message as encoding/json writes it.
type encoded struct {
	Role             chat.Role       `json:"role"`
	Content          any             `json:"content"`
	Name             string          `json:"name,omitempty"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ToolCalls        []chat.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
}

// A message has the bytes that encoding/json writes.
func TestAMessageHasTheBytesOfTheEncoder(t *testing.T) {
	const hostile = "<b>&\"\\\n\x01 請看 😀"
	call := chat.ToolCall{ID: hostile, Type: "function", Function: chat.Function{Name: hostile, Arguments: hostile}}
	signed := call
	signed.Extra = map[string]json.RawMessage{"z": json.RawMessage(`{ "a": "<" }`), "b": json.RawMessage("1")}
	for _, m := range []message{
		{},
		{Role: chat.User, Content: hostile, Name: hostile},
		{Role: chat.User, Content: []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: hostile},
			{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: "data:,<", Detail: "auto"}}}},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call, {}, signed}, ReasoningContent: hostile},
		{Role: chat.Tool, Content: "", Name: "ls", ToolCallID: hostile},
	} {
		want, err := jsontext.Append([]byte("x"), encoded(m))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.append([]byte("x")); err != nil || string(got) != string(want) {
			t.Errorf("got %s\nwant %s, %v", got, want, err)
		}
	}
}
