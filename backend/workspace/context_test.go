package workspace_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/complete"
	"mutsumi/backend/fault"
	"mutsumi/backend/inspect"
	"mutsumi/backend/pdf/pdftest"
	"mutsumi/backend/preview"
	"mutsumi/backend/runner"
)

func part(parts []preview.Part, source string) preview.Part {
	for _, p := range parts {
		if p.Source == source {
			return p
		}
	}
	return preview.Part{}
}

func (d *desk) context(path, cell, draft string) preview.Context {
	d.t.Helper()
	v, err := d.Context(path, cell, draft)
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

func (d *desk) preview(path, cell, draft string) preview.Preview {
	d.t.Helper()
	v, err := d.Preview(d.t.Context(), path, cell, draft)
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

// Seed 001: macros of a prompt reach the rules, are kept, and apply to the next turn.
func TestMacrosLiveAcrossTurnsAndRestarts(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	path := d.create("Macros")
	first := d.prompt(path, "#define API_VERSION v2\n#define TIMEOUT 30\n\nCheck.")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	if sent := d.server.Requests()[0].Text(); !strings.Contains(sent, "version v2") || !strings.Contains(sent, "timeout 30") || strings.Contains(sent, "#define") {
		t.Errorf("sent %s", sent)
	}
	second := d.prompt(path, "#define TIMEOUT 60\nAgain.")
	d.run(path, second, runner.RunCell)
	d.untilFinished(1)
	if sent := d.server.Requests()[1].Text(); !strings.Contains(sent, "version v2") || !strings.Contains(sent, "timeout 60") {
		t.Errorf("sent %s", sent)
	}
	v := d.context(path, "", "x")
	if len(v.Macros) != 2 || v.Macros[0] != (preview.Macro{Name: "API_VERSION", Value: "v2", From: "notebook"}) || v.Macros[1].Value != "60" {
		t.Errorf("macros %+v", v.Macros)
	}
	if err := d.SetMacro(path, "2x", "y"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if err := d.RemoveMacro(path, "TIMEOUT"); err != nil {
		t.Fatal(err)
	}
	if err := d.SetMacro(path, "API_VERSION", "v3"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Metadata struct{ MacroContext map[string]string }
	}
	if err := json.Unmarshal([]byte(d.onDisk(path)), &file); err != nil || len(file.Metadata.MacroContext) != 1 || file.Metadata.MacroContext["API_VERSION"] != "v3" {
		t.Errorf("on disk %v, %v", file, err)
	}
}

func TestPartsCanBeSwitchedOffAndBroughtBack(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	path := d.create("Switch")
	cell := d.prompt(path, "See @[a.txt]")
	v := d.context(path, cell, "See @[a.txt:1:2]")
	file, rule := part(v.Files, "a.txt:1:2"), part(v.Rules, "api-rules.md")
	if file.State != "new" || file.Tokens == 0 || rule.Tokens == 0 || v.Tokens < file.Tokens+rule.Tokens {
		t.Fatalf("got %+v", v)
	}
	if err := d.SwitchContext(path, rule.ID, false); err != nil {
		t.Fatal(err)
	}
	d.until(is("contextChanged"))
	if r := part(d.context(path, cell, "See @[a.txt]").Rules, "api-rules.md"); r.State != "off" {
		t.Errorf("got %+v", r)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if sent := d.server.Requests()[0].Text(); strings.Contains(sent, "timeout") || !strings.Contains(sent, "three") {
		t.Errorf("sent %s", sent)
	}
	if f := part(d.context(path, "", "go on").Files, "a.txt"); f.State != "same" {
		t.Errorf("got %+v", f)
	}
	d.write("a.txt", "one\nother\nthree\n")
	if f := part(d.context(path, "", "go on").Files, "a.txt"); f.State != "changed" {
		t.Errorf("got %+v", f)
	}
	if err := d.SwitchContext(path, rule.ID, true); err != nil {
		t.Fatal(err)
	}
	if r := part(d.context(path, cell, "x").Rules, "api-rules.md"); r.State == "off" || r.Tokens == 0 {
		t.Errorf("got %+v", r)
	}
}

func TestAPreviewShowsWhatIsDifferentAndWhatIsCacheable(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	path := d.create("Preview")
	first := d.prompt(path, "First @[a.txt]")
	p := d.preview(path, first, "First @[a.txt]")
	if p.Request != 1 || p.Cache.Tokens != 0 || p.Cache.BrokenBy != "" || len(p.Messages) != 3 {
		t.Errorf("got %+v", p)
	}
	whole := ""
	for _, s := range p.Messages[2].Segments { // after the tools and the system message
		whole += s.Text
	}
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	if sent := d.server.Requests()[0]; sent.Messages[1].Content.String() != whole {
		t.Errorf("shown %q\nsent  %q", whole, sent.Messages[1].Content)
	}

	d.write("a.txt", "one\nother\nthree\n")
	p = d.preview(path, "", "Second")
	if p.Request != 2 || len(p.Messages) != 5 || p.Cache.Tokens == 0 || p.Cache.BrokenBy == "" {
		t.Fatalf("got %+v", p.Cache)
	}
	var changed preview.Segment
	for _, m := range p.Messages {
		for _, s := range m.Segments {
			if s.Kind == "file" {
				changed = s
			}
		}
	}
	if changed.State != "changed" || changed.Added != 1 || changed.Deleted != 1 || !slices.ContainsFunc(changed.Diff, func(l inspect.DiffLine) bool {
		return l.Op == "+" && l.Text == "other" && l.New == 2
	}) {
		t.Errorf("got %+v", changed)
	}
}

func TestAPreviewChangesNothing(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	path := d.create("Nothing")
	cell := d.prompt(path, "@[write_file{\"uri\":\"made.txt\",\"content\":\"x\"}] #define X 1")
	d.until(is("notebookSaved"))
	before := d.onDisk(path)
	d.context(path, cell, "#define NEW 1\n@[ls{\"uri\":\".\"}] @[write_file{\"uri\":\"made.txt\",\"content\":\"x\"}]")
	d.preview(path, cell, "#define NEW 1\n@[a.txt]")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d.onDisk(path) != before {
		t.Error("the notebook changed")
	}
	if _, err := os.Stat(filepath.Join(d.folder, "made.txt")); err == nil {
		t.Error("a tool that changes something ran")
	}
}

func TestVersionedBlocksCanBePrunedAndUndone(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	path := d.create("Versions")
	if err := d.SetPlacement(path, "nowhere"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if err := d.SetPlacement(path, "versioned"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		d.write("a.txt", text+"\n")
		d.run(path, d.prompt(path, "See @[a.txt]"), runner.RunCell)
		d.untilFinished(1)
	}
	sent := d.server.Requests()
	first, again := sent[0].Messages[1].Content.String(), sent[1].Messages[1].Content.String()
	if first != again {
		t.Errorf("the first prompt was not replayed byte for byte:\n%s\n%s", first, again)
	}
	if f := part(d.context(path, "", "See @[a.txt]").Files, "a.txt"); f.Version == 0 {
		t.Errorf("no version: %+v", f)
	}
	if err := d.PruneContext(path); err != nil {
		t.Fatal(err)
	}
	pruned := d.preview(path, "", "x")
	text := ""
	for _, m := range pruned.Messages {
		for _, s := range m.Segments {
			text += s.Text
		}
	}
	if strings.Contains(text, `one\n`) || !strings.Contains(text, `two\n`) {
		t.Errorf("after pruning: %s", text)
	}
	if _, err := d.Undo(path); err != nil {
		t.Fatal(err)
	}
	whole := d.preview(path, "", "x")
	if whole.Tokens <= pruned.Tokens {
		t.Error("undo did not bring the outdated version back")
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	d.write("src/handler.go", "package src\n\nfunc H() {}\n")
	d.write("the (old) plan.pdf", string(pdftest.Plain(1)))
	d.write("說明.PDF", string(pdftest.Plain(1)))
	path, other := d.create("Complete me"), d.create("Other")
	if err := d.SetMacro(path, "REGION", "eu"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, query, insert string }{
		{"file", "hndl", "@[src/handler.go]"},
		{"at", "src", "@[src]"},
		{"at", "oth", "@[" + other + "]"},
		{"tool", "read", `@[read_file{"uri":"${1:uri}"}]`},
		{"notebook", "er", "@[" + other + "]"},
		{"macro", "reg", "{{REGION}}"},
		{"at", "plan", "![the (old) plan.pdf](<the (old) plan.pdf>)"},
		{"at", "說明", "![說明.PDF](說明.PDF)"},
		{"range", "src/handler.go", "@[src/handler.go:${1:1}:${2:3}]"},
	} {
		found, err := d.Complete(path, c.kind, c.query)
		if err != nil || !slices.ContainsFunc(found, func(x complete.Item) bool { return x.Insert == c.insert }) {
			t.Errorf("%s %q: got %+v, %v", c.kind, c.query, found, err)
		}
	}
	if _, err := d.Complete(path, "other", ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if found, err := d.Complete(path, "notebook", "complete"); err != nil || len(found) != 0 {
		t.Errorf("an agent is offered to itself: %v, %v", found, err)
	}
	f, err := d.File(path, "src/handler.go:2:3")
	if err != nil || f.First != 2 || f.Last != 3 || !strings.HasPrefix(f.Text, "package") {
		t.Errorf("got %+v, %v", f, err)
	}
	if f, err := d.File(path, "說明.PDF"); err != nil || f.Text != "" || !strings.HasPrefix(f.Note, "A PDF document: 1 page, ") || filepath.Base(f.File) != "說明.PDF" {
		t.Errorf("got %+v, %v", f, err)
	}
	if _, err := d.File(path, "/etc/passwd"); !fault.Is(err, fault.Denied) {
		t.Errorf("got %v", err)
	}
}

func TestCompletionOffersFilesFirstAndNothingThatToolsMade(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	for _, p := range []string{"src/season.py", "src/__pycache__/season.cpython-311.pyc", "node_modules/seaside/index.js", "notes.md"} {
		d.write(p, "x\n")
	}
	path := d.create("Season")
	d.create("Seaside")
	labels := func(kind, query string) (all []string) {
		found, err := d.Complete(path, kind, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			all = append(all, c.Kind+" "+c.Label)
		}
		return all
	}
	if got, want := labels("at", "sea"), []string{"file src/season.py", "notebook Seaside"}; !slices.Equal(got[:min(2, len(got))], want) || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "pycache") || strings.Contains(s, "node_modules") }) {
		t.Errorf("got %v, want %v first", got, want)
	}
	if got := labels("at", ""); len(got) == 0 || !strings.HasPrefix(got[0], "file") && !strings.HasPrefix(got[0], "folder") || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, ".mutsumi") && !strings.HasPrefix(s, "notebook") }) {
		t.Errorf("an empty query gives %v", got)
	}
	for query, want := range map[string]string{
		"node_mod":         "folder node_modules/",
		"node_modules/sea": "folder node_modules/seaside/",
		"src/__pycache__/": "file src/__pycache__/season.cpython-311.pyc",
		"SRC/SEA":          "file src/season.py",
		".mutsumi/":        "file " + path,
	} {
		if got := labels("file", query); !slices.Contains(got, want) {
			t.Errorf("%q: got %v, want %q among them", query, got, want)
		}
	}
	for _, c := range labels("tool", "") {
		if strings.Contains(c, "`") {
			t.Errorf("raw Markdown in %q", c)
		}
	}
}

func TestAnImageCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 20, 10))); err != nil {
		t.Fatal(err)
	}
	d.write("p.png", picture.String())
	path := d.create("Images")
	cell := d.prompt(path, "Look ![chart](p.png)")
	v := d.context(path, cell, "Look ![chart](p.png)")
	if len(v.Images) != 1 || v.Images[0].Tokens == 0 {
		t.Fatalf("images %+v", v.Images)
	}
	if err := d.SwitchContext(path, v.Images[0].ID, false); err != nil {
		t.Fatal(err)
	}
	if v = d.context(path, cell, "Look ![chart](p.png)"); len(v.Images) != 1 || v.Images[0].State != "off" {
		t.Errorf("images %+v", v.Images)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if sent := d.server.Requests()[0].Messages[1].Content; sent.Parts != nil || !strings.Contains(sent.String(), "![chart](p.png)") {
		t.Errorf("sent %+v", sent)
	}
}
