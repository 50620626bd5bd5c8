package openai

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
)

func TestStreamPlain(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}

data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}

data: [DONE]

`)
	}))
	defer s.Close()
	c := New(Config{Name: "Test", BaseURL: s.URL + "/v1"})
	var text strings.Builder
	var last provider.Chunk
	err := c.Stream(context.Background(), provider.Request{Model: "m", Messages: []chat.Message{{Role: chat.User, Content: chat.Text("hi")}}}, func(ch provider.Chunk) error {
		text.WriteString(ch.Text)
		last = ch
		return nil
	})
	if err != nil || text.String() != "Hello" || last.FinishReason != "stop" || last.Usage == nil || last.Usage.Input != 3 {
		t.Fatalf("%v %q %+v", err, text.String(), last)
	}
}
