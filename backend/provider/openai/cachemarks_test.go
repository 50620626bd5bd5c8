package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
)

func bodyFor(t *testing.T, req provider.Request, host string) string {
	t.Helper()
	text, err := New(Config{BaseURL: "https://" + host + "/v1"}).Body(req)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The request marks what may be cached after the instructions, before the last prompt and at the
// end; a router refuses the marks once, and they are left out.
func TestMarksForTheCache(t *testing.T) {
	call := chat.ToolCall{ID: "c", Type: "function"}
	call.Function.Name, call.Function.Arguments = "ls", "{}"
	req := provider.Request{Model: "anthropic/claude-sonnet-4.5", MarkCache: true, Messages: []chat.Message{
		{Role: chat.System, Content: chat.Text("instructions")},
		{Role: chat.User, Content: chat.Text("first")},
		{Role: chat.Assistant, Content: chat.Text("answer")},
		{Role: chat.User, Content: chat.Text("second")},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}},
	}}
	var sent struct {
		Messages []struct {
			Content json.RawMessage
		}
	}
	text := bodyFor(t, req, "openrouter.ai")
	if err := json.Unmarshal([]byte(text), &sent); err != nil {
		t.Fatal(err)
	}
	const mark = `"cache_control":{"type":"ephemeral"}`
	for i, want := range []bool{true, false, true, true, false} {
		if got := strings.Contains(string(sent.Messages[i].Content), mark); got != want {
			t.Errorf("message %d: %s", i, sent.Messages[i].Content)
		}
	}
	if got := string(sent.Messages[0].Content); got != `[{"type":"text","text":"instructions",`+mark+`}]` {
		t.Error(got)
	}
	if plain := bodyFor(t, provider.Request{Model: "gpt-5", Messages: req.Messages}, openAI); strings.Contains(plain, mark) {
		t.Error(plain)
	}
	if got := (wire{}).Refused("unknown field: cache_control", 0); got != cacheMarks {
		t.Error(got)
	}
}

// OpenAI alone gets the key by which requests that begin alike meet one cache.
func TestTheKeyOfTheCache(t *testing.T) {
	req := provider.Request{Model: "gpt-5", CacheKey: "abc", Messages: []chat.Message{{Role: chat.User, Content: chat.Text("x")}}}
	const key = `"prompt_cache_key":"abc"`
	if text := bodyFor(t, req, openAI); !strings.Contains(text, key) {
		t.Error(text)
	}
	if text := bodyFor(t, req, "openrouter.ai"); strings.Contains(text, "prompt_cache_key") {
		t.Error(text)
	}
	if got := (wire{}).Refused("Unknown parameter: 'prompt_cache_key'", 0); got != cacheKey {
		t.Error(got)
	}
}
