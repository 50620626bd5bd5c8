package workspace_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/folderrules"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preview"
	"mutsumi/backend/runner"
)

// ruleFolder is a folder with a rule, trusted or not.
func ruleFolder(t *testing.T, trusted bool) *desk {
	d := open(t, "", "answer always\ntext ok")
	d.write(".mutsumi/rules/api-rules.md", "- version {{API_VERSION}}\n- timeout {{TIMEOUT}}\n")
	d.write("a.txt", "one\ntwo\nthree\n")
	if err := d.TrustFolder(trusted); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnUntrustedFolderIsShownAndInert(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	rule := filepath.Join(folder, ".mutsumi/rules/evil.md")
	if err := os.MkdirAll(filepath.Dir(rule), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rule, []byte("EVIL RULE"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder, "answer always\ntext ok")
	s, err := d.Snapshot()
	if err != nil || s.Trust.Trusted || !slices.Equal(s.Trust.Rules, []string{"evil.md"}) {
		t.Fatalf("trust %+v, %v", s.Trust, err)
	}
	path := d.create("Inert")
	cell := d.prompt(path, "x")
	if r := part(d.context(path, cell, "x").Rules, "evil.md"); r.State != "inert" {
		t.Errorf("got %+v", r)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	told := d.until(is("trustChanged"))
	if trust, _ := told[len(told)-1].Data["trust"].(map[string]any); trust["trusted"] != true || !reflect.DeepEqual(trust["rules"], []any{"evil.md"}) {
		t.Errorf("reported %v", trust)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	r := d.server.Requests()
	if strings.Contains(r[0].Text(), "EVIL") || !strings.Contains(r[1].Text(), "EVIL") {
		t.Errorf("sent %q, then %q", r[0].Text(), r[1].Text())
	}
}

// The end of the first scan of the folder is reported once, with what the folder brings; later
// additions are reported with the whole list.
func TestTheFirstScanAndLaterFilesAreReported(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := open(t, folder, "answer always\ntext ok")
	rulesOf := func(e item) any {
		trust, _ := e.Data["trust"].(map[string]any)
		return trust["rules"]
	}
	for d.since > 0 { // to the first event of the program
		if _, err := d.Events().Read(t.Context(), d.since-1); err != nil {
			break
		}
		d.since--
	}
	var scanned []any
	d.write(".mutsumi/rules/first.md", "First")
	d.until(func(e item) bool {
		if e.Type == "folderScanned" {
			scanned = append(scanned, rulesOf(e))
		}
		return e.Type == "trustChanged" && reflect.DeepEqual(rulesOf(e), []any{"first.md"}) || len(scanned) > 0 && reflect.DeepEqual(scanned[0], []any{"first.md"})
	})
	if s, err := d.Snapshot(); err != nil || s.Scanning {
		t.Errorf("scanning %v, %v", s.Scanning, err)
	}
	d.write(".mutsumi/rules/second.md", "Second")
	d.until(func(e item) bool {
		if e.Type == "folderScanned" {
			scanned = append(scanned, rulesOf(e))
		}
		return e.Type == "trustChanged" && reflect.DeepEqual(rulesOf(e), []any{"first.md", "second.md"})
	})
	if len(scanned) != 1 {
		t.Errorf("the end of the first scan was reported %d times", len(scanned))
	}
}

// Opening a folder trusts nothing that is unpacked into it later, and a trusted folder is asked
// about again for later additions.
func TestTrustIsForWhatWasThere(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	if v := d.Trust(); v.Asked || !v.Trusted {
		t.Fatalf("an empty folder: %+v", v)
	}
	path := d.create("Own")
	sent := func() string {
		t.Helper()
		d.run(path, d.prompt(path, "x"), runner.RunCell)
		d.untilFinished(1)
		all := d.server.Requests()
		return all[len(all)-1].Text()
	}
	d.write(".mutsumi/rules/evil.md", "EVIL RULE")
	if v := d.Trust(); v.Asked || v.Trusted || strings.Contains(sent(), "EVIL") {
		t.Errorf("unpacked files take effect: %+v", v)
	}
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if v := d.Trust(); !v.Trusted || len(v.Fresh) != 0 || !strings.Contains(sent(), "EVIL RULE") {
		t.Errorf("trusted files have no effect: %+v", v)
	}
	for name, text := range map[string]string{".mutsumi/rules/evil.md": "CHANGED RULE", ".mutsumi/rules/new.md": "NEW RULE", ".mutsumi/agents/kind.md": "---\nname: kind\ndescription: x\n---\nNEW KIND", ".mcp.json": "{}", ".mutsumi/skills/s/SKILL.md": "s", ".claude/skills/c/SKILL.md": "c", ".claude/skills/c/run.py": "r"} {
		d.write(name, text)
	}
	v := d.Trust()
	if want := []string{".claude/skills/c/SKILL.md", ".claude/skills/c/run.py", ".mcp.json", ".mutsumi/agents/kind.md", ".mutsumi/rules/evil.md", ".mutsumi/rules/new.md", ".mutsumi/skills/s/SKILL.md"}; !v.Trusted || !slices.Equal(v.Fresh, want) || !slices.Equal(v.Skills, []string{"c", "s"}) {
		t.Errorf("fresh is %v, skills are %v", v.Fresh, v.Skills)
	}
	if text := sent(); strings.Contains(text, "CHANGED") || strings.Contains(text, "NEW RULE") {
		t.Errorf("later additions take effect: %s", text)
	}
	if r := part(d.context(path, "", "x").Rules, "new.md"); r.State != "inert" {
		t.Errorf("got %+v", r)
	}
	kinds, err := d.Kinds()
	if err != nil || !slices.ContainsFunc(kinds, func(k kind.Kind) bool { return k.Name == "kind" && k.Inert }) {
		t.Errorf("got %+v, %v", kinds, err)
	}
	d.write(".mutsumi/rules/evil.md", "EVIL RULE") // with the trusted text
	if !strings.Contains(sent(), "EVIL RULE") {
		t.Error("a rule with the trusted text has no effect")
	}
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if v := d.Trust(); len(v.Fresh) != 0 || !strings.Contains(sent(), "NEW RULE") {
		t.Errorf("asked again for %v", v.Fresh)
	}
}

// A notebook from elsewhere makes the person's own folder ask.
func TestANotebookFromElsewhereIsAskedAbout(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.create("Own")
	if v := d.Trust(); v.Asked || !v.Trusted {
		t.Fatalf("a folder with nothing but what was made here: %+v", v)
	}
	d.came("came.mtm", cameUUID, "", `["."]`, "x")
	if v := d.Trust(); v.Asked || v.Trusted {
		t.Errorf("got %+v", v)
	}
}

func TestRulesFollowTheDisk(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	d.until(func(e item) bool { return e.Type == "contextChanged" })
	d.write(".mutsumi/rules/deep/new.md", "New")
	d.until(func(e item) bool {
		if e.Type != "contextChanged" || e.Data["rules"] != true {
			return false
		}
		found, err := d.Rules()
		return err == nil && slices.ContainsFunc(found, func(r folderrules.View) bool { return r.Name == "deep/new.md" })
	})
}

func TestAllowedFoldersBoundAndCanBeAdded(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "o.txt"), []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := d.create("Allowed")
	draft := "@[" + filepath.Join(outside, "o.txt") + "]"
	v := d.context(path, "", draft)
	if !slices.ContainsFunc(v.Warnings, func(x preview.Warning) bool { return x.Folder == outside }) {
		t.Errorf("no folder is offered: %+v", v.Warnings)
	}
	for _, x := range v.Warnings { // the failure and the folder to allow belong to the file
		if x.Part != v.Files[0].ID || !x.Outside {
			t.Errorf("%+v does not belong to %s", x, v.Files[0].ID)
		}
	}
	if len(v.Warnings) != 2 {
		t.Errorf("warnings %+v", v.Warnings)
	}
	if err := d.DisallowFolder(path, "."); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if err := d.AllowFolder(path, outside); err != nil {
		t.Fatal(err)
	}
	v = d.context(path, "", draft)
	if len(v.Warnings) != 0 || v.Files[0].Note != "" {
		t.Errorf("still refused: %+v", v)
	}
	var parent notebook.View
	var err error
	if parent, err = d.Notebook(path); err != nil {
		t.Fatal(err)
	}
	child, err := d.Create(catalog.NewNotebook{Name: "Child", ParentID: parent.Meta.UUID})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.AllowFolder(child, "/"); !fault.Is(err, fault.Denied) {
		t.Errorf("a child got more than its parent: %v", err)
	}
	if err := d.AllowFolder(child, filepath.Join(d.folder, ".mutsumi")); err != nil {
		t.Errorf("less than the parent has: %v", err)
	}
}

// Files that wait for trust can be read beforehand, and nothing else can be read that way.
func TestWhatAFolderBringsCanBeReadBefore(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, false)
	d.write(".mutsumi/agents/sly.md", "---\nname: sly\n---\nSLY")
	d.write("notes.md", "NOTES")
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(d.folder, ".mutsumi", "rules", "link.md")); err != nil {
		t.Fatal(err)
	}
	if text, err := d.Brought(".mutsumi/agents/sly.md"); err != nil || !strings.Contains(text, "SLY") {
		t.Errorf("got %q, %v", text, err)
	}
	for _, path := range []string{"notes.md", ".mutsumi/rules/link.md", "../secret.md", secret, ".mutsumi/rules/../../notes.md", ""} {
		if text, err := d.Brought(path); err == nil {
			t.Errorf("%s: %q", path, text)
		}
	}
	if d.Trust().Trusted {
		t.Error("reading trusted the folder")
	}
}
