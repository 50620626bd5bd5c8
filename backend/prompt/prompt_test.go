package prompt_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/prompt"
	"mutsumi/backend/tokens"
)

func build(t *testing.T, in prompt.Input) prompt.Result {
	t.Helper()
	if in.Workspace == "" {
		in.Workspace = t.TempDir()
	}
	out, err := prompt.Build(t.Context(), in)
	must(t, err)
	return out
}

// SPEC 5.1: identity, workspace, allowed URIs, date and system; for a child
// also that it is one and must end with task_finish; no rules, no files.
func TestSystemMessage(t *testing.T) {
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	in := prompt.Input{
		Workspace: ws, Prompt: chat.Text("x"), OS: "darwin", Now: time.Date(2026, 2, 8, 9, 0, 0, 0, time.FixedZone("", 3600)),
		Meta: prompt.Meta{Name: "Code\nreader", AllowedURIs: []string{ws, ws + "/none"}},
	}
	out := build(t, in)
	text := out.Messages[0].Content.String()
	for _, want := range []string{`"Code reader"`, "Workspace: " + ws + "\n", "- " + ws + "\n", "- " + ws + "/none\n", "Sunday, 8 February 2026 (+01:00)", "System: macOS"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if out.IsSubAgent || strings.Contains(text, "task_finish") {
		t.Errorf("an agent without a parent is a child:\n%s", text)
	}
	if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0].Text, "none does not exist") {
		t.Errorf("warnings %v", out.Warnings)
	}
	in.Meta.ParentID = "p"
	out = build(t, in)
	if text := out.Messages[0].Content.String(); !out.IsSubAgent || !strings.Contains(text, "child agent") || !strings.Contains(text, "You must end by calling task_finish") {
		t.Errorf("the child's text does not mention it:\n%s", text)
	}
}

// SPEC 4.1: without allowed_uris the workspace is allowed, with an empty list nothing; an entry
// that is not a path allows nothing and is reported.
func TestAllowedURIs(t *testing.T) {
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(ws, "a.md"), []byte("A"), 0o644))
	in := prompt.Input{Workspace: ws, Prompt: chat.Text("@[a.md]")}
	if got := blockOf(t, build(t, in)).Files["a.md"]; got != "A" {
		t.Errorf("without a list: %q", got)
	}
	in.Meta.AllowedURIs = []string{}
	if got := blockOf(t, build(t, in)).Files["a.md"]; !strings.Contains(got, "this notebook allows no folder") {
		t.Errorf("with an empty list: %q", got)
	}
	in.Meta.AllowedURIs = []string{"file://elsewhere/x", ws}
	out := build(t, in)
	if got := blockOf(t, out).Files["a.md"]; got != "A" || len(out.Warnings) != 1 {
		t.Errorf("with an entry of another machine: %q, %v", got, out.Warnings)
	}
}

func TestBuildFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := prompt.Build(ctx, prompt.Input{Workspace: t.TempDir(), Prompt: chat.Text("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := prompt.Build(t.Context(), prompt.Input{Workspace: filepath.Join(t.TempDir(), "none"), Prompt: chat.Text("x")}); err == nil {
		t.Error("a workspace that is not there is no error")
	}
}

// A second build with no changes reads no file again, whatever refers to it.
func TestSecondBuildReadsNothing(t *testing.T) {
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"a.md", "b.go", "c.txt"} {
		must(t, os.WriteFile(filepath.Join(ws, name), []byte(name), 0o644))
		must(t, os.Chtimes(filepath.Join(ws, name), old, old))
	}
	in := prompt.Input{
		Workspace: ws, Cache: assemble.NewCache(), Prompt: chat.Text("@[a.md] @[b.go:1:2]"),
		Meta:    prompt.Meta{ContextItems: []prompt.ContextItem{{Type: "file", Key: "c.txt"}}},
		History: []prompt.HistoryMessage{{Message: chat.Message{Role: chat.User, Content: chat.Text("@[b.go]")}}},
	}
	first := build(t, in)
	if n := in.Cache.Reads(); n != 3 {
		t.Fatalf("%d reads for 3 files", n)
	}
	second := build(t, in)
	if n := in.Cache.Reads(); n != 3 {
		t.Errorf("the second build read %d files", n-3)
	}
	a, err := json.Marshal(first)
	must(t, err)
	b, err := json.Marshal(second)
	must(t, err)
	if string(a) != string(b) {
		t.Errorf("the builds differ:\n%s\n%s", a, b)
	}
}

// The hand-edited metadata of a notebook still runs.
func TestReadMeta(t *testing.T) {
	var m prompt.Meta
	warnings := m.ReadMeta(json.RawMessage(`{"A":"1","B":2,"C":null}`), json.RawMessage(`[{"type":"file","key":"a","x":[1, 2]},7]`), json.RawMessage(`"x"`))
	if len(m.MacroContext) != 1 || m.MacroContext["A"] != "1" || len(m.ContextItems) != 2 || len(warnings) != 4 {
		t.Errorf("%v %v %v", m.MacroContext, m.ContextItems, warnings)
	}
	raw, err := json.Marshal(m.ContextItems)
	must(t, err)
	if string(raw) != `[{"type":"file","key":"a","x":[1,2]},7]` {
		t.Errorf("items became %s", raw)
	}
	if w := m.ReadMeta(nil, nil, nil); len(w) != 0 || len(m.MacroContext) != 0 {
		t.Errorf("nothing gives %v", w)
	}
	if w := m.ReadMeta(json.RawMessage(`[]`), json.RawMessage(`{}`), nil); len(w) != 2 {
		t.Errorf("wrong forms give %v", w)
	}
}

// A prompt with only definitions is reported as empty.
func TestEmptyPrompt(t *testing.T) {
	out := build(t, prompt.Input{Prompt: chat.Text("#define A 1\n")})
	if out.Messages[1].Content.String() != "" || len(out.Warnings) != 1 || out.Metadata.MacroContext["A"] != "1" {
		t.Errorf("%+v", out)
	}
	if out := build(t, prompt.Input{}); len(out.Warnings) != 0 {
		t.Errorf("nothing typed yet is warned about: %v", out.Warnings)
	}
}

// Tokens of a known model are counted, those of others estimated and marked.
func TestTokens(t *testing.T) {
	in := prompt.Input{Prompt: chat.Text("hello world, 你好"), Tokens: tokens.NewCounter("openai/gpt-4o-mini")}
	if !in.Tokens.Exact() {
		t.Fatal("the model is not known")
	}
	last := func(in prompt.Input) prompt.Part {
		out := build(t, in)
		return out.Parts[len(out.Parts)-1]
	}
	if p := last(in); p.Tokens != 5 || p.Estimated {
		t.Errorf("counted %d, estimated %v", p.Tokens, p.Estimated)
	}
	in.Meta.ContextItems = []prompt.ContextItem{{Type: "file", Key: "gone.md"}}
	for _, p := range build(t, in).Parts {
		if p.Estimated || p.Tokens == 0 {
			t.Errorf("%s %s: %d tokens, estimated %v", p.Kind, p.Source, p.Tokens, p.Estimated)
		}
	}
	in.Meta.ContextItems = nil
	in.Tokens = tokens.NewCounter("some-model")
	if p := last(in); p.Tokens < 2 || p.Tokens > 8 || !p.Estimated {
		t.Errorf("estimated %d, marked %v", p.Tokens, p.Estimated)
	}
	in.Tokens = nil
	if p := last(in); !p.Estimated {
		t.Error("without a counter nothing is marked")
	}
}

// A message that a person did not type is sent unchanged: its references are not followed, its
// macros and directives are text.
func TestPlainTurn(t *testing.T) {
	summary := "#define A 1\n@[a.md] {{A}} @{ifdef A}x@{endif}"
	out := build(t, prompt.Input{
		Prompt: chat.Text("x"), Meta: prompt.Meta{MacroContext: map[string]string{"A": "2"}},
		History: []prompt.HistoryMessage{{Message: chat.Message{Role: chat.User, Content: chat.Text(summary)}, Plain: true}},
	})
	if got := out.Messages[1].Content.String(); got != summary || len(blockOf(t, out).Files) != 0 {
		t.Errorf("sent %q with files %v", got, blockOf(t, out).Files)
	}
}

// SPEC 2.6 across turns, a restart and a branch: a prompt's definitions are stored in the notebook,
// a later turn uses or overrides them, a failed branch of a condition defines nothing, and going
// back to an earlier cell keeps the notebook's definitions.
func TestMacrosOverTurns(t *testing.T) {
	c := newConversation(t, prompt.Ghost, map[string]string{".mutsumi/rules/r.md": "use {{VERSION}}{{STYLE}}", "v1.md": "one", "v2.md": "two"})
	said := func(text, wantText, wantRule string) {
		t.Helper()
		out := c.say(t, text)
		got, _, _ := strings.Cut(out.Messages[len(out.Messages)-1].Content.String(), "\n\n<content_reference>")
		if rule := blockOf(t, out).Rules[0].Content; got != wantText || rule != wantRule {
			t.Errorf("%q: sent %q with rule %q", text, got, rule)
		}
	}
	said("#define VERSION v1\nread @[{{VERSION}}.md]", "read @[v1.md]", "use v1{{STYLE}}")
	said("@{if VERSION IS \"v1\"}@{define STYLE, \" tersely\"}@{else}@{define STYLE, \" at length\"}@{endif}and {{VERSION}}?", "and v1?", "use v1 tersely")

	raw, err := json.Marshal(c.last.Metadata) // the program ends and starts again
	must(t, err)
	var kept struct {
		Macros json.RawMessage `json:"macroContext"`
		Items  json.RawMessage `json:"contextItems"`
	}
	must(t, json.Unmarshal(raw, &kept))
	c.in.Meta = prompt.Meta{}
	if w := c.in.Meta.ReadMeta(kept.Macros, kept.Items, nil); len(w) > 0 {
		t.Fatal(w)
	}
	said("still {{VERSION}}{{STYLE}}", "still v1 tersely", "use v1 tersely")
	said("@{define VERSION, \"v2\"}\nnow @[{{VERSION}}.md]", "now @[v2.md]", "use v2 tersely")
	if got := c.last.Messages[1].Content.String(); got != "read @[v1.md]" {
		t.Errorf("the first prompt became %q", got)
	}
	if got := blockOf(t, c.last).Files; got["v1.md"] != "one" || got["v2.md"] != "two" {
		t.Errorf("files %q", got)
	}
	c.in.History = c.in.History[:2] // back to the second prompt
	said("again {{VERSION}}", "again v2", "use v2 tersely")
}
