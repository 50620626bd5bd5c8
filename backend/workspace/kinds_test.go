package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// put writes a file; if the file steers agents, the person trusts it.
func (d *desk) put(path, text string) {
	d.t.Helper()
	defer func() {
		if strings.HasPrefix(path, ".mutsumi/") {
			if err := d.TrustFolder(true); err != nil {
				d.t.Fatal(err)
			}
		}
	}()
	d.write(path, text)
}

// of makes a notebook of a kind.
func (d *desk) of(kind, name string) string {
	d.t.Helper()
	path, err := d.Create(catalog.NewNotebook{Name: name, Kind: kind})
	if err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) meta(path string) (m struct{ UUID, Kind string }) {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil {
		d.t.Fatal(err)
	}
	m.UUID, m.Kind = v.Meta.UUID, v.Meta.AgentType
	return m
}

// A reviewer is not offered tools that change something; no invented call, call in its prompt or
// permanent grant alters that.
func TestAReviewerCannotChangeAnything(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("evil.txt", "x")+"tool shell {\"command\":\"touch evil.txt\"}\nanswer\ntext I see.")
	for _, tool := range []string{"write_file", "shell"} {
		if err := d.AddApprovalRule("", approval.Rule{Tool: tool, Pattern: "**", Scope: approval.Always}); err != nil && tool == "write_file" {
			t.Fatal(err)
		}
	}
	path := d.of("reviewer", "R")
	cell := d.prompt(path, `look @[write_file{"uri":"evil.txt","content":"x"}] @[mkdir{"uri":"evil.txt"}]`)
	p, err := d.Preview(t.Context(), path, cell, "")
	if err != nil {
		t.Fatal(err)
	}
	system := p.Messages[1].Segments
	if len(system) != 2 || system[1].Kind != "role" || system[1].Source != "reviewer" || system[1].Tokens == 0 || !strings.Contains(system[1].Text, "you change nothing") {
		t.Errorf("the role is not shown: %+v", system)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if _, err := os.Stat(filepath.Join(d.folder, "evil.txt")); err == nil {
		t.Fatal("the reviewer changed something")
	}
	if waiting, _ := d.Approvals(); len(waiting) != 0 {
		t.Errorf("the person is asked: %+v", waiting)
	}
	first := d.server.Requests()[0]
	for _, tool := range []string{"write_file", "edit_file", "mkdir", "shell", "shell_kill", "self_fork", "call_agent"} {
		if slices.Contains(first.Tools, tool) {
			t.Errorf("it is offered %s", tool)
		}
	}
	if !slices.Contains(first.Tools, "read_file") || !slices.Contains(first.Tools, "ask_user") {
		t.Errorf("it is offered %q", first.Tools)
	}
	if text := first.Messages[0].Content.String(); !strings.HasSuffix(text, system[1].Text) {
		t.Errorf("the role was not sent: %q", text)
	}
	if body := string(d.server.Requests()[1].Body); strings.Count(body, "an agent of the kind reviewer is not offered it") < 2 {
		t.Errorf("it does not learn why: %s", body)
	}
	if last := first.Messages[len(first.Messages)-1].Content.String(); !strings.Contains(last, "Error executing write_file") || !strings.Contains(last, "Error executing mkdir") {
		t.Errorf("the prompt: %s", last)
	}
}

// Kinds of an untrusted folder are listed but have no effect until it is trusted; the person is
// asked about what it brings.
func TestKindsOfAFolderThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, ".mutsumi", "agents", "tester.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("---\ntools: [read]\n---\nTests."), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder, "answer\ntext done")
	if v := d.Trust(); v.Trusted || !slices.Equal(v.Kinds, []string{"tester"}) {
		t.Fatalf("a folder that brings a kind of agents: %+v", v)
	}
	s, err := d.Snapshot()
	if err != nil || len(s.Kinds) != 5 || !s.Kinds[4].Inert || s.Kinds[4].Name != "tester" {
		t.Fatalf("%+v, %v", s.Kinds, err)
	}
	if _, err := d.Create(catalog.NewNotebook{Kind: "tester"}); !fault.Is(err, fault.Denied) {
		t.Errorf("%v", err)
	}
	path := d.create("A")
	if err := d.SetKind(path, "tester"); !fault.Is(err, fault.Denied) {
		t.Errorf("%v", err)
	}
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		return e.Type == "kindsChanged" && e.Data["kinds"].([]any)[4].(map[string]any)["inert"] == false
	})
	if err := d.SetKind(path, "tester"); err != nil {
		t.Fatal(err)
	}
	if err := d.TrustFolder(false); err != nil {
		t.Fatal(err)
	}
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "failed" || !strings.Contains(end.Data["fault"].(map[string]any)["message"].(string), "not trusted") {
		t.Errorf("the agent ran all the same: %v", end)
	}
	if len(d.server.Requests()) != 0 {
		t.Error("a request was sent")
	}
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
}

// A file that breaks while its agents exist stops their next run with the reason, and is watched on
// disk; existing answers stay.
func TestAKindThatBreaks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext one\nanswer\ntext two")
	d.put(".mutsumi/agents/tester.md", "---\ntools: [read]\n---\nTests.")
	d.until(func(e item) bool { return e.Type == "kindsChanged" && len(e.Data["kinds"].([]any)) == 5 })
	path := d.of("tester", "T")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	d.put(".mutsumi/agents/tester.md", "---\ntools: [read, everything]\n---\nTests.")
	d.until(func(e item) bool {
		return e.Type == "kindsChanged" && e.Data["kinds"].([]any)[4].(map[string]any)["problem"] != ""
	})
	c, err := d.Context(path, cell, "")
	if err != nil || len(c.Warnings) == 0 || !strings.Contains(c.Warnings[0].Text, "line 2: there is no tool") || !strings.Contains(c.Warnings[0].Text, ".mutsumi/agents/tester.md") {
		t.Errorf("%+v, %v", c.Warnings, err)
	}
	d.run(path, cell, runner.RunCell)
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "failed" || d.answer(path, cell) != "assistant: one" {
		t.Errorf("%v, %q", end, d.answer(path, cell))
	}
	d.put(".mutsumi/agents/tester.md", "---\ntools: [read]\nrules: [gone]\nmodel: nobody/has-it\n---\nTests.")
	d.until(is("kindsChanged"))
	if c, err = d.Context(path, cell, ""); err != nil || len(c.Warnings) != 2 || !strings.Contains(c.Warnings[0].Text+c.Warnings[1].Text, "gone.md") || !strings.Contains(c.Warnings[0].Text+c.Warnings[1].Text, "nobody/has-it") {
		t.Errorf("%+v, %v", c.Warnings, err)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
}

// A notebook of an unknown kind works like chat, and says so.
func TestAnUnknownKind(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext done")
	path := d.create("A")
	text := strings.Replace(d.onDisk(path), `"metadata": {`, `"metadata": {`+"\n    \"agentType\": \"from-elsewhere\",", 1)
	d.put(path, text)
	d.until(func(e item) bool {
		v, err := d.Notebook(path)
		return err == nil && v.Meta.AgentType == "from-elsewhere"
	})
	cell := d.prompt(path, "go")
	c, err := d.Context(path, cell, "")
	if err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Text, `"from-elsewhere"`) {
		t.Errorf("%+v, %v", c.Warnings, err)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if !slices.Contains(d.server.Requests()[0].Tools, "shell") {
		t.Errorf("%q", d.server.Requests()[0].Tools)
	}
}

// The kind's rules and model apply if the notebook chose none.
func TestRulesAndModelOfAKind(t *testing.T) {
	t.Parallel()
	other := ""
	d := openModel(t, "", "answer\ntext one\nanswer\ntext two\nanswer\ntext three", settings.ModelView{ID: "scripted", Tools: true}, func(s *settings.Store, url string) {
		id, err := s.SaveProvider(settings.ProviderInput{Name: "Other", BaseURL: url, Models: []settings.ModelView{{ID: "maker/small", Tools: true}}})
		if err != nil {
			t.Fatal(err)
		}
		other = id
	})
	d.put(".mutsumi/rules/a.md", "RULE-A")
	d.put(".mutsumi/rules/b.md", "RULE-B")
	d.put(".mutsumi/agents/k.md", "---\nrules: [b]\nmodel: maker/small\n---\n")
	d.put(".mutsumi/agents/named.md", "---\nmodel: "+other+"/maker/small\n---\n")
	path, named := d.of("k", "K"), d.of("named", "N")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilFinished(1)
	d.run(named, d.prompt(named, "go"), runner.RunCell)
	d.untilFinished(1)
	all := d.server.Requests()
	if body := string(all[0].Body); all[0].Model != "maker/small" || strings.Contains(body, "RULE-A") || !strings.Contains(body, "RULE-B") {
		t.Errorf("model %s: %s", all[0].Model, body)
	}
	if body := string(all[1].Body); all[1].Model != "maker/small" || !strings.Contains(body, "RULE-A") {
		t.Errorf("model %s: %s", all[1].Model, body)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditModel, Rest: "scripted"}}, ""); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "again"), runner.RunCell)
	d.untilFinished(1)
	if got := d.server.Requests()[2].Model; got != "scripted" {
		t.Errorf("the notebook's own choice is %s", got)
	}
}

// SetKind can be undone; a child's kind must be one that its parent may start.
func TestSetKind(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("A")
	if d.meta(path).Kind != "" {
		t.Errorf("a new notebook says %q", d.meta(path).Kind)
	}
	if err := d.SetKind(path, "Orchestrator"); err != nil || d.meta(path).Kind != "orchestrator" {
		t.Fatalf("%v, %q", err, d.meta(path).Kind)
	}
	if err := d.SetKind(path, "nonsense"); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	uuid := d.meta(path).UUID
	child, err := d.Create(catalog.NewNotebook{Name: "C", ParentID: uuid})
	if err != nil || d.meta(child).Kind != "implementer" {
		t.Fatalf("%v, a child is %q", err, d.meta(child).Kind)
	}
	for kind, allowed := range map[string]bool{"reviewer": true, "chat": false, "orchestrator": true} {
		if err := d.SetKind(child, kind); (err == nil) != allowed {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := d.Create(catalog.NewNotebook{ParentID: uuid, Kind: "chat"}); !fault.Is(err, fault.Denied) {
		t.Errorf("%v", err)
	}
	if err := d.SetKind(child, "reviewer"); err != nil {
		t.Fatal(err)
	}
	grand, err := d.Create(catalog.NewNotebook{ParentID: d.meta(child).UUID})
	if err != nil || d.meta(grand).Kind != "reviewer" {
		t.Errorf("a child that a person makes for a reviewer: %v, %q", err, d.meta(grand).Kind)
	}
	if _, err := d.Undo(path); err != nil || d.meta(path).Kind != "" {
		t.Errorf("%v, after undo %q", err, d.meta(path).Kind)
	}
	if _, err := d.Redo(path); err != nil || d.meta(path).Kind != "orchestrator" {
		t.Errorf("%v, after redo %q", err, d.meta(path).Kind)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "")
	if again.meta(path).Kind != "orchestrator" || again.meta(child).Kind != "reviewer" {
		t.Errorf("on disk: %q, %q", again.meta(path).Kind, again.meta(child).Kind)
	}
}

// Every tool that can be offered belongs to a group: chat, which can do everything, offers each of
// them.
func TestChatOffersEveryTool(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext one\nanswer\ntext two")
	path := d.create("A")
	child, err := d.Create(catalog.NewNotebook{ParentID: d.meta(path).UUID, Kind: "chat"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := new(kind.Cache).Load(os.DirFS("../../assets/agents"), t.TempDir(), func(string, string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	chat := all.List()[0]
	for _, p := range []string{path, child} {
		d.run(p, d.prompt(p, "go"), runner.RunCell)
		d.untilFinished(1)
	}
	for _, r := range d.server.Requests() {
		if len(r.Tools) < 12 {
			t.Errorf("offered %q", r.Tools)
		}
		for _, tool := range r.Tools {
			if !chat.Offers(tool) {
				t.Errorf("%s belongs to no group of package kind", tool)
			}
		}
	}
	if body := string(d.server.Requests()[0].Body); !strings.Contains(body, `first if you name none:\n\n- implementer: Makes one change`) {
		t.Error("the definition does not list the kinds it may start")
	}
	entries, err := filepath.Glob("../tool/builtin/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(filepath.Base(e), ".md"); !chat.Offers(name) {
			t.Errorf("%s has a description and belongs to no group of package kind", name)
		}
	}
}

// A folder with ten megabytes of roles, links and nonsense neither hangs the program nor adds
// kinds.
func TestHostileKinds(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext done")
	d.put(".mutsumi/agents/big.md", "---\n---\n"+strings.Repeat("x", 10<<20))
	d.put(".mutsumi/agents/tricky.md", "---\nname: \"chat\\u200b\"\ntools: [shell]\n---\n")
	d.put(".mutsumi/agents/yaml.md", "---\nname: [\n---\n")
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("---\nname: secret\n---\nSECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(d.folder, ".mutsumi", "agents", "secret.md")); err != nil {
		t.Skip(err)
	}
	kinds, err := d.Kinds()
	if err != nil || len(kinds) != 8 {
		t.Fatalf("%d kinds, %v", len(kinds), err)
	}
	for _, k := range kinds[4:] {
		if k.Problem == "" || strings.Contains(k.Role, "SECRET") {
			t.Errorf("%+v", k)
		}
		if _, err := d.Create(catalog.NewNotebook{Kind: k.Name}); err == nil {
			t.Errorf("%s can be chosen", k.Name)
		}
	}
	path := d.create("A") // chat is chat, whatever the folder holds
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilFinished(1)
}
