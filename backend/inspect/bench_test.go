package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/inspect"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/tokens"
)

// BenchmarkOf measures the inspector's work per keystroke in addition to the build: 1,000 cells,
// each with a call that wrote 4 KB.
func BenchmarkOf(b *testing.B) {
	var turns []prompt.HistoryMessage
	for i := range 1000 {
		id := fmt.Sprintf("call_%d", i)
		for _, m := range []chat.Message{
			{Role: chat.User, Content: chat.Text(strings.Repeat("ask ", 100))},
			{Role: chat.Assistant, Content: chat.Content{Null: true}, ToolCalls: []chat.ToolCall{{ID: id, Type: "function",
				Function: chat.Function{Name: "write_file", Arguments: `{"uri":"a.go","content":"` + strings.Repeat("text ", 800) + `"}`}}}},
			{Role: chat.Tool, ToolCallID: id, Name: "write_file", Content: chat.Text("written")},
			{Role: chat.Assistant, Content: chat.Text(strings.Repeat("done ", 100))},
		} {
			turns = append(turns, prompt.HistoryMessage{Message: m, Cell: fmt.Sprint("c", i)})
		}
	}
	built, err := prompt.Build(b.Context(), prompt.Input{Workspace: b.TempDir(), History: turns, Prompt: chat.Text("now"), Tokens: tokens.NewCounter("m")})
	if err != nil {
		b.Fatal(err)
	}
	client := openai.New(openai.Config{BaseURL: "http://127.0.0.1/v1"})
	cfg := agent.Config{Messages: built.Messages, Tokens: tokens.NewCounter("m")}
	b.ReportAllocs()
	for b.Loop() {
		if n, _ := inspect.Of(built, cfg, "", client).Tokens(); n < 1_000_000 {
			b.Fatal(n)
		}
	}
}
