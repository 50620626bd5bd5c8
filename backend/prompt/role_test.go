package prompt_test

import (
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/prompt"
)

// The role is at the end of the system message, as a part of its own with
// its file as the source; together the parts are the whole message.
func TestRole(t *testing.T) {
	in := prompt.Input{Workspace: t.TempDir(), Prompt: chat.Text("hello"), Now: time.Unix(0, 0), Meta: prompt.Meta{Name: "A"}}
	plain, err := prompt.Build(t.Context(), in)
	must(t, err)
	in.Role = prompt.Role{Name: "tester\nof things", Text: "\nYou test.\n", Source: ".mutsumi/agents/tester.md"}
	built, err := prompt.Build(t.Context(), in)
	must(t, err)
	system := built.Messages[0].Content.String()
	if !strings.HasPrefix(system, plain.Messages[0].Content.String()) || !strings.HasSuffix(system, "\n\n# Your role: tester of things\n\nYou test.") {
		t.Errorf("%q", system)
	}
	s, r := built.Parts[0], built.Parts[1]
	if r.ID != "role:.mutsumi/agents/tester.md" || r.Kind != prompt.KindRole || r.Source != ".mutsumi/agents/tester.md" || r.Tokens == 0 || r.Message != 0 {
		t.Errorf("%+v", r)
	}
	if s.Start != 0 || s.End != r.Start || !strings.HasPrefix(system[r.Start:], "# Your role") || r.End != len(system) || s.Bytes+r.Bytes != len(system) || len(built.Parts) != len(plain.Parts)+1 {
		t.Errorf("%+v, %+v of %d bytes", s, r, len(system))
	}
	in.Role = prompt.Role{Name: "chat"}
	if built, err = prompt.Build(t.Context(), in); err != nil || built.Messages[0].Content.String() != plain.Messages[0].Content.String() {
		t.Errorf("a kind without a role adds %q, %v", built.Messages[0].Content.String(), err)
	}
}

// A child knows that it can ask if somebody can answer.
func TestChildAsks(t *testing.T) {
	in := prompt.Input{Workspace: t.TempDir(), Prompt: chat.Text("hello"), Now: time.Unix(0, 0), Meta: prompt.Meta{ParentID: "p"}}
	for asks, want := range map[bool]string{true: "ask the person with ask_user only if you cannot go on", false: "do not ask"} {
		in.Asks = asks
		built, err := prompt.Build(t.Context(), in)
		must(t, err)
		if !strings.Contains(built.Messages[0].Content.String(), want) {
			t.Errorf("asks %v: %q", asks, built.Messages[0].Content.String())
		}
	}
}
