package kind_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
)

var program = os.DirFS(filepath.Join("..", "..", "assets", "agents"))

// folder makes a workspace with files in .mutsumi/agents.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	ws := t.TempDir()
	for name, text := range files {
		file := filepath.Join(kind.Folder(ws).Folder(), name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return ws
}

func load(t *testing.T, ws string, trusted bool) kind.Set {
	t.Helper()
	s, err := new(kind.Cache).Load(program, ws, func(string, string) bool { return trusted })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func find(t *testing.T, s kind.Set, name string) kind.Kind {
	t.Helper()
	k, warning, err := s.Find(name)
	if err != nil || warning != "" {
		t.Fatalf("find %q: %v, warning %q", name, err, warning)
	}
	return k
}

func names(list []kind.Kind) (out []string) {
	for _, k := range list {
		out = append(out, k.Name)
	}
	return out
}

// The program's own kinds are sound, and each has the tools it should have.
func TestProgram(t *testing.T) {
	s := load(t, t.TempDir(), true)
	if got := names(s.List()); !slices.Equal(got, []string{"chat", "implementer", "orchestrator", "reviewer"}) {
		t.Fatalf("kinds: %q", got)
	}
	total := 0
	for _, k := range s.List() {
		if k.Problem != "" || k.Source != "" || k.Inert || k.Description == "" {
			t.Errorf("%+v", k)
		}
		for _, child := range k.Children {
			find(t, s, child)
		}
		if total += len(k.Role); len(k.Role) > 1500 {
			t.Errorf("%s: the role is %d bytes: it goes with every request", k.Name, len(k.Role))
		}
	}
	const read, change, shell, common = "read_file ls glob grep project_outline system_info get_available_models ", "write_file edit_file mkdir ", "shell shell_output shell_kill ", "task_finish ask_user "
	const all = read + change + shell + common + "self_fork call_agent "
	for name, offered := range map[string]string{
		"chat": all, "implementer": read + change + shell + common, "orchestrator": read + common + "self_fork call_agent ", "reviewer": read + common,
	} {
		k := find(t, s, name)
		for _, tool := range append(strings.Fields(all), "tool_of_tomorrow") {
			if want := slices.Contains(strings.Fields(offered), tool); k.Offers(tool) != want {
				t.Errorf("%s offers %s: %v", name, tool, !want)
			}
		}
		if want := name == "chat" || name == "implementer"; k.Changes != want {
			t.Errorf("%s changes: %v", name, k.Changes)
		}
	}
}

func TestFolder(t *testing.T) {
	ws := folder(t, map[string]string{
		"tester.md":      "---\ndescription: Runs\n  tests\ntools: [read, shell]\nmodel: openai/gpt-5\nrules: [answering, deep/b.md]\nchildren: [Reviewer]\ncolor: blue\n---\r\n\r\nYou run tests.\r\n",
		"mine.md":        "---\nname: reviewer\ntools: read_file, ls\n---\nMine.",
		"none.md":        "---\ntools: []\n---\n",
		"plain.md":       "---\n---\nRole.",
		"notes.txt":      "no kind",
		"deep/within.md": "---\n---\n",
	})
	s := load(t, ws, true)
	if got := names(s.List()); !slices.Equal(got, []string{"chat", "implementer", "orchestrator", "reviewer", "none", "plain", "tester"}) {
		t.Fatalf("kinds: %q", got)
	}
	k := find(t, s, " Tester ")
	if k.Description != "Runs tests" || k.Model != "openai/gpt-5" || k.Role != "You run tests." || k.Source != ".mutsumi/agents/tester.md" || !k.Changes ||
		!slices.Equal(k.Rules, []string{"answering.md", "deep/b.md"}) || !slices.Equal(k.Children, []string{"reviewer"}) {
		t.Errorf("%+v", k)
	}
	if !k.Reaches("answering.md") || k.Reaches("other.md") || k.Offers("write_file") || !k.Offers("shell") {
		t.Errorf("%+v", k)
	}
	if k = find(t, s, "reviewer"); k.Role != "Mine." || k.Offers("grep") || !k.Offers("ls") || k.Source != ".mutsumi/agents/mine.md" {
		t.Errorf("the folder's file does not replace: %+v", k)
	}
	if k = find(t, s, "none"); k.Offers("read_file") || !k.Offers("task_finish") || k.Tools == nil || k.Rules == nil || k.Children == nil {
		t.Errorf("%+v", k)
	}
	if k = find(t, s, "plain"); !k.Offers("read_file") || k.Changes || !k.Reaches("any.md") {
		t.Errorf("a kind without a list of tools only reads: %+v", k)
	}
	k, warning, err := s.Find("stranger")
	if err != nil || k.Name != "chat" || !strings.Contains(warning, "stranger") {
		t.Errorf("unknown: %+v, %q, %v", k, warning, err)
	}
	if _, err := s.Choose("stranger"); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "tester") {
		t.Errorf("%v", err)
	}
}

// In a folder that is not trusted its kinds are shown, replace nothing and
// cannot be had.
func TestUntrusted(t *testing.T) {
	ws := folder(t, map[string]string{"reviewer.md": "---\ntools: [change]\n---\nevil", "own.md": "---\ntools: [change]\n---\nevil"})
	s := load(t, ws, false)
	if k := find(t, s, "reviewer"); k.Source != "" || k.Changes {
		t.Errorf("%+v", k)
	}
	k, _, err := s.Find("own")
	if !fault.Is(err, fault.Denied) || k.Offers("write_file") || k.Offers("read_file") || !strings.Contains(err.Error(), ".mutsumi/agents/own.md") {
		t.Errorf("%+v, %v", k, err)
	}
	inert := 0
	for _, k := range s.List() {
		if k.Inert {
			inert++
		}
	}
	if inert != 2 || len(s.List()) != 6 {
		t.Errorf("%d inert of %q", inert, names(s.List()))
	}
}

// Each broken file reports which file and line, what is wrong, and the way out; it is listed, and
// replaces the program's kind without being usable.
func TestBroken(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"yaml":        {"---\nname: x\ntools: [read\n---\n", "line "},
		"bare":        {"You are helpful.", "line 1: it has no front matter"},
		"rule":        {"---\n- a\n---\n", "line 1: it has no front matter"},
		"tool":        {"---\nname: x\n\ntools: [read, raed]\n---\n", `line 4: there is no tool "raed": there are the groups read, change, shell, agents, mcp`},
		"name":        {"---\nname: \"../../etc\"\n---\n", `line 2: "../../etc" cannot name a kind`},
		"cyrillic":    {"---\nname: сhat\n---\n", "cannot name a kind"},
		"long name":   {"---\nname: " + strings.Repeat("a", 41) + "\n---\n", "cannot name a kind"},
		"list name":   {"---\nname: [a]\n---\n", "line 2: name is not a text"},
		"twice":       {"---\ntools: [read]\ntools: [shell]\n---\n", "tools stands here a second time"},
		"map":         {"---\ntools: {read: true}\n---\n", "line 2: tools is not a list"},
		"number":      {"---\ntools: [1]\n---\n", "line 2: tools holds an entry that is not a name"},
		"many":        {"---\nchildren: [" + strings.Repeat("a, ", 101) + "a]\n---\n", "line 2: children has more than 100"},
		"child":       {"---\nchildren: [\"a b\"]\n---\n", `"a b" cannot be a kind that it starts`},
		"description": {"---\ndescription: " + strings.Repeat("a ", 500) + "\n---\n", "line 2: the description is longer than 400"},
		"model":       {"---\nmodel: " + strings.Repeat("a", 201) + "\n---\n", "line 2: the model is longer"},
		"binary":      {"---\n---\n\xff\xfe", "not text in UTF-8"},
		"large":       {"---\n---\n" + strings.Repeat("a", 10<<20), "larger than 64 KB"},
		"bomb":        {"---\na: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ntools: *c\n---\n", "tools holds an entry that is not a name"},
	} {
		ws := folder(t, map[string]string{"reviewer.md": c.text})
		s := load(t, ws, true)
		i := slices.IndexFunc(s.List(), func(k kind.Kind) bool { return k.Problem != "" })
		if i < 0 {
			t.Errorf("%s: nothing is reported", name)
			continue
		}
		k := s.List()[i]
		if !strings.HasPrefix(k.Problem, ".mutsumi/agents/reviewer.md") || !strings.Contains(k.Problem, c.want) || k.Source != ".mutsumi/agents/reviewer.md" {
			t.Errorf("%s: %s", name, k.Problem)
		}
		if _, err := s.Choose(k.Name); !fault.Is(err, fault.Invalid) || k.Offers("read_file") || k.Offers("write_file") {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := s.Find("perhaps-this-one"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: an unknown name, which the file may have, gets everything: %v", name, err)
		}
	}
}

func TestSameNameTwice(t *testing.T) {
	ws := folder(t, map[string]string{"a.md": "---\nname: x\ntools: [change]\n---\n", "b.md": "---\nname: X\n---\n", "x.md": "---\n---\n"})
	s := load(t, ws, true)
	if _, _, err := s.Find("x"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "b.md") && !strings.Contains(err.Error(), "x.md") {
		t.Fatalf("%v", err)
	}
	for _, k := range s.List() {
		if k.Name == "x" && k.Problem == "" {
			t.Errorf("%+v", k)
		}
	}
}

func TestChild(t *testing.T) {
	ws := folder(t, map[string]string{
		"lead.md":   "---\ntools: [agents]\nchildren: [gone, broken, tester]\n---\n",
		"broken.md": "---\nname: broken\ntools: [nonsense]\n---\n", "tester.md": "---\n---\n",
	})
	s := load(t, ws, true)
	for _, c := range []struct {
		parent, wanted, want string
		err                  fault.Kind
	}{
		{"", "", "implementer", ""},
		{"chat", "reviewer", "reviewer", ""},
		{"chat", " Reviewer", "reviewer", ""},
		{"chat", "chat", "", fault.Denied},
		{"orchestrator", "orchestrator", "", fault.Denied},
		{"implementer", "", "", fault.Denied},
		{"reviewer", "reviewer", "", fault.Denied},
		{"lead", "", "tester", ""},
		{"lead", "broken", "", fault.Invalid},
		{"lead", "implementer", "", fault.Denied},
		{"broken", "", "", fault.Invalid},
	} {
		k, err := s.Child(c.parent, c.wanted)
		if k.Name != c.want && err == nil || (err != nil) != (c.err != "") || err != nil && !fault.Is(err, c.err) {
			t.Errorf("a child %q of %q: %q, %v", c.wanted, c.parent, k.Name, err)
		}
	}
	for parent, want := range map[string][]string{
		"": {"implementer", "reviewer", "orchestrator"}, "orchestrator": {"implementer", "reviewer"}, "lead": {"tester"}, "implementer": nil, "broken": nil,
	} {
		if got := names(s.Startable(parent)); !slices.Equal(got, want) {
			t.Errorf("%q may start %q", parent, got)
		}
	}
	if _, err := s.Child("lead", "implementer"); !strings.Contains(err.Error(), "gone, broken, tester") {
		t.Errorf("%v", err)
	}
}

// Without kinds of the program there is still a chat that can do everything.
func TestNothing(t *testing.T) {
	s, err := new(kind.Cache).Load(nil, t.TempDir(), func(string, string) bool { return true })
	if err != nil || len(s.List()) != 1 || !find(t, s, "").Offers("shell") {
		t.Fatalf("%v, %v", s.List(), err)
	}
	if k, err := s.Child("", ""); err != nil || k.Name != kind.Chat {
		t.Fatalf("%v", err)
	}
	if _, err := (kind.Set{}).Choose(""); err != nil {
		t.Fatal(err)
	}
}

// The cache returns a file's present content.
func TestCache(t *testing.T) {
	ws := folder(t, map[string]string{"a.md": "---\n---\none"})
	var cache kind.Cache
	for _, text := range []string{"one", "two", "---", "one"} {
		if err := os.WriteFile(filepath.Join(kind.Folder(ws).Folder(), "a.md"), []byte("---\n---\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s, err := cache.Load(program, ws, func(string, string) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			if k := find(t, s, "a"); k.Role != text || k.Inert {
				t.Errorf("%q: %+v", text, k)
			}
		}
		if s, err := cache.Load(program, ws, func(string, string) bool { return false }); err != nil || !s.List()[4].Inert {
			t.Errorf("%v", err)
		}
	}
}

func BenchmarkLoad20(b *testing.B) {
	ws := b.TempDir()
	dir := kind.Folder(ws).Folder()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		name := filepath.Join(dir, "kind-"+string(rune('a'+i))+".md")
		if err := os.WriteFile(name, []byte("---\ntools: [read]\nchildren: [a, b]\n---\n"+strings.Repeat("role ", 200)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	var cache kind.Cache
	for b.Loop() {
		if _, err := cache.Load(program, ws, func(string, string) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
