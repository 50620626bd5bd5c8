package inspect_test

import (
	"strings"
	"testing"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/inspect"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
)

// record is a request of a model with tools and a prompt.
func record(number int, model string, tools []string, text string) inspect.Record {
	var r inspect.Request
	r.Sent = provider.Request{Model: model, Messages: []chat.Message{{Role: chat.User, Content: chat.Text(text)}}}
	for i, name := range tools {
		r.Sent.Tools = append(r.Sent.Tools, provider.ToolSpec{Name: name})
		r.Parts = append(r.Parts, prompt.Part{ID: "definition:" + name, Kind: prompt.KindDefinition, Source: name, Place: prompt.PlaceTools, Piece: i, Tokens: 10})
	}
	r.Parts = append(r.Parts, prompt.Part{ID: "prompt:prompt", Kind: prompt.KindPrompt, Source: "prompt", Cell: "c", End: len(text), Tokens: 5})
	all := r.Record(nil)
	all.Number = number
	return all
}

// A server caches the beginning of a request: the tools come before all messages, and another model
// shares nothing.
func TestWhatBreaksTheCache(t *testing.T) {
	last := record(1, "m", []string{"ls", "grep"}, "hello")
	for name, c := range map[string]struct {
		this   inspect.Record
		tokens int
		broken string
	}{
		"the same":      {record(2, "m", []string{"ls", "grep"}, "hello"), 25, ""},
		"a prompt":      {record(2, "m", []string{"ls", "grep"}, "other"), 20, "the prompt message changed"},
		"a tool more":   {record(2, "m", []string{"ls", "grep", "glob"}, "hello"), 20, "the tool glob is new"},
		"another tool":  {record(2, "m", []string{"glob", "grep"}, "hello"), 0, "the tool glob stands where the tool ls stood"},
		"no tools":      {record(2, "m", nil, "hello"), 0, "no tools are offered any more"},
		"another model": {record(2, "n", []string{"ls", "grep"}, "hello"), 0, "the model is another one: it was m"},
	} {
		if got := inspect.Compare(last, c.this).Cache; got.Tokens != c.tokens || got.BrokenBy != c.broken {
			t.Errorf("%s: %d tokens, broken by %q", name, got.Tokens, got.BrokenBy)
		}
	}
}

// The program's additions to a conversation are listed under its own name, and every byte of a
// message belongs to something.
func TestTheProgramsAdditionsAreNamed(t *testing.T) {
	answer := []chat.Message{{Role: chat.Assistant, Content: chat.Text("Half an")}, {Role: chat.Assistant, Content: chat.Text(" answer")}}
	built := prompt.Result{
		Messages: []chat.Message{{Role: chat.User, Content: chat.Text("ask")}},
		Parts:    []prompt.Part{{ID: "prompt:prompt", Kind: prompt.KindPrompt, Source: "prompt", Cell: "c", End: 3, Tokens: 1}},
	}
	r := inspect.Of(built, agent.Config{Messages: append(built.Messages, answer...), Index: 2}, "c", nil)
	var said []string
	for _, m := range r.Record(nil).Messages {
		for _, s := range m.Segments {
			said = append(said, m.Role+" "+s.Source+": "+s.Text)
		}
	}
	got := strings.Join(said, "\n")
	want := "user prompt: ask\nassistant assistant: Half an\nassistant assistant:  answer\nuser Mutsumi: Your last answer broke off."
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s", got)
	}
}
