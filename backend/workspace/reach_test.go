package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preview"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

const cameUUID = "00000000-0000-4000-8000-00000000abcd"

// came writes a notebook as it would come from elsewhere.
func (d *desk) came(path, uuid, parent string, allowed, prompt string) {
	d.t.Helper()
	above := "null"
	if parent != "" {
		above = quoted(parent)
	}
	if allowed != "" {
		allowed = `,"allowed_uris":` + allowed
	}
	d.write(path, `{"metadata":{"uuid":`+quoted(uuid)+`,"name":`+quoted(path)+`,"created_at":"2026-01-01T00:00:00Z","parent_agent_id":`+above+allowed+`},"context":[{"role":"user","content":`+quoted(prompt)+`}]}`)
	d.until(func(item) bool {
		return slices.ContainsFunc(d.Nodes(), func(n agenttree.Node) bool { return n.File == path && n.UUID == uuid })
	})
}

// elsewhere returns a folder outside with a secret in it.
func elsewhere(t *testing.T) (folder, secret string) {
	t.Helper()
	folder = t.TempDir()
	secret = filepath.Join(folder, "secret.txt")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, secret
}

// reads reports whether a notebook's agent can read a file, in each possible way. All ways must
// agree.
func (d *desk) reads(path, file string) bool {
	d.t.Helper()
	v := d.context(path, "", "@["+file+"]")
	byReference := slices.ContainsFunc(v.Files, func(p preview.Part) bool { return strings.Contains(p.Source, file) && p.Note == "" })
	_, fileErr := d.File(path, file)
	lines, err := d.Complete(path, "range", file)
	if err != nil {
		d.t.Fatal(err)
	}
	answers := map[string]bool{
		"preview": d.shows(path, "@["+file+"]"), "tool": d.shows(path, `@[read_file{"uri":`+quoted(file)+`}]`),
		"opening": fileErr == nil, "completion": len(lines) > 0,
	}
	for way, answer := range answers {
		if answer != byReference {
			d.t.Errorf("%s of %s: %v, while a reference: %v", way, file, answer, byReference)
		}
	}
	return byReference
}

// shows reports whether the request of a prompt would hold the secret.
func (d *desk) shows(path, prompt string) bool {
	d.t.Helper()
	next, err := d.Preview(d.t.Context(), path, "", prompt)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, m := range next.Messages {
		if slices.ContainsFunc(m.Segments, func(s preview.Segment) bool { return strings.Contains(s.Text, "SECRET") }) {
			return true
		}
	}
	return false
}

func TestAFolderOutsideIsThePersonsToGive(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	folder, secret := elsewhere(t)
	d.came("came.mtm", cameUUID, "", `[".",`+quoted(folder)+`,"/"]`, "@["+secret+"]")
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if d.reads("came.mtm", secret) {
		t.Fatal("a file gave itself a folder outside")
	}
	v := d.context("came.mtm", "", "x")
	if !slices.Equal(v.Allowed, []string{"."}) || !slices.Equal(v.Asked, []string{folder, "/"}) {
		t.Errorf("allowed %v, asked for %v", v.Allowed, v.Asked)
	}
	if err := d.AllowFolder("came.mtm", folder); err != nil {
		t.Fatal(err)
	}
	if !d.reads("came.mtm", secret) {
		t.Error("the folder was allowed but cannot be read")
	}
	if v := d.context("came.mtm", "", "x"); !slices.Equal(v.Asked, []string{"/"}) {
		t.Errorf("asked for %v", v.Asked)
	}
	if err := d.TrustFolder(false); err != nil {
		t.Fatal(err)
	}
	if d.reads("came.mtm", secret) {
		t.Error("the grant counts in an untrusted folder")
	}
	if err := d.AllowFolder("came.mtm", folder); !fault.Is(err, fault.Denied) {
		t.Errorf("allowed in a folder that is not trusted: %v", err)
	}
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if err := d.DisallowFolder("came.mtm", folder); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo("came.mtm"); err != nil { // the entry is back, but only asks
		t.Fatal(err)
	}
	if d.reads("came.mtm", secret) || !slices.Contains(d.context("came.mtm", "", "x").Asked, folder) {
		t.Error("a withdrawn grant counts")
	}
}

// Two folders that are withdrawn in quick succession are both gone.
func TestFoldersAreTakenBackOneByOne(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Many")
	one, two := t.TempDir(), t.TempDir()
	for _, f := range []string{one, two} {
		if err := d.AllowFolder(path, f); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 2)
	for _, f := range []string{one, two} {
		go func() { done <- d.DisallowFolder(path, f) }()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if v := d.context(path, "", "x"); !slices.Equal(v.Allowed, []string{"."}) || len(v.Asked) > 0 {
		t.Errorf("allowed %v, asked for %v", v.Allowed, v.Asked)
	}
}

func TestNothingOfTheProgramsOwnIsTouched(t *testing.T) {
	t.Setenv("MUTSUMI_STATE", t.TempDir()) // apart from the program's other folders
	d := open(t, "", "")
	path, state := d.create("Curious"), d.state
	if err := os.WriteFile(filepath.Join(state, "approvals.json"), []byte(`{"rules":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.AllowFolder(path, state); !fault.Is(err, fault.Denied) {
		t.Errorf("allowed: %v", err)
	}
	if err := d.AllowFolder(path, filepath.Dir(state)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(state, filepath.Join(d.folder, "link")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(state, "approvals.json"), "link/approvals.json"} {
		if d.reads(path, file) {
			t.Errorf("%s is read", file)
		}
	}
}

// A notebook without a list may read the folder in every way.
func TestANotebookWithoutAListHasTheFolder(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.write("a.txt", "SECRET\n")
	d.came("came.mtm", cameUUID, "", "", "x")
	if !d.reads("came.mtm", "a.txt") {
		t.Error("it may not read the folder")
	}
	child, err := d.Create(catalog.NewNotebook{Name: "Child", ParentID: cameUUID})
	if err != nil {
		t.Fatal(err)
	}
	if !d.reads(child, "a.txt") {
		t.Error("its child may not")
	}
}

// A moved folder takes its agents along; in an older notebook, the entry for the old place has no
// meaning any more.
func TestAFolderCanBeMoved(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.write("a.txt", "SECRET\n")
	path := d.create("Moves")
	if text := d.onDisk(path); strings.Contains(text, d.folder) {
		t.Errorf("the notebook names the folder: %s", text)
	}
	d.came("old.mtm", cameUUID, "", `[`+quoted(d.folder)+`]`, "x")
	if !d.reads("old.mtm", "a.txt") {
		t.Error("the entry of an older notebook has no effect")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	moved := d.folder + "-moved"
	if err := os.Rename(d.folder, moved); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(moved) })
	again := open(t, moved, "")
	for _, p := range []string{path, "old.mtm"} {
		if !again.reads(p, "a.txt") {
			t.Errorf("%s may not read the folder any more", p)
		}
	}
	if v := again.context("old.mtm", "", "x"); !slices.Equal(v.Missing, []string{d.folder}) || !slices.Equal(v.Allowed, []string{"."}) {
		t.Errorf("allowed %v, missing %v", v.Allowed, v.Missing)
	}
}

// A child is limited by every agent above it, whatever its file says.
func TestAChildIsBoundedByAllAboveIt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.write("a.txt", "SECRET\n")
	d.write("src/b.txt", "SECRET\n")
	d.write("src/deep/c.txt", "SECRET\n")
	const top, mid, leaf = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000a2", "00000000-0000-4000-8000-0000000000a3"
	d.came("top.mtm", top, "", `["src/deep"]`, "x")
	d.came("mid.mtm", mid, top, `["."]`, "x")
	d.came("leaf.mtm", leaf, mid, `["."]`, "x")
	for file, want := range map[string]bool{"a.txt": false, "src/b.txt": false, "src/deep/c.txt": true} {
		if got := d.reads("leaf.mtm", file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
	found, err := d.Complete("leaf.mtm", "file", "txt")
	if err != nil || len(found) != 1 || found[0].Label != "src/deep/c.txt" {
		t.Errorf("offered %+v, %v", found, err)
	}
	if err := d.AllowFolder("leaf.mtm", "src"); !fault.Is(err, fault.Denied) {
		t.Errorf("a child was allowed more: %v", err)
	}
}

// Grants of the person are bound to the file and its uuid: a copy has none of them.
func TestACopyHasNothingOfTheOther(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	folder, secret := elsewhere(t)
	path := d.create("First")
	if err := d.AllowFolder(path, folder); err != nil {
		t.Fatal(err)
	}
	d.until(is("notebookSaved"))
	v, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	text := d.onDisk(path)
	d.write("twin.mtm", text)
	d.until(func(item) bool { return len(d.Nodes()) == 2 })
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if d.reads("twin.mtm", secret) || !d.reads(path, secret) {
		t.Error("the copy can read the original's folder, or the original cannot")
	}
	if got := d.onDisk("twin.mtm"); got != text && !isTextOfCopy(t, got, text) {
		t.Errorf("a file that was only opened changed in more than its uuid: %s", got)
	}
	d.prompt("twin.mtm", "hello")
	d.until(func(e item) bool { return e.Type == "notebookSaved" && e.Data["path"] == "twin.mtm" })
	twin, err := d.Notebook("twin.mtm")
	if err != nil || twin.Meta.UUID == v.Meta.UUID || twin.Meta.UUID == "" {
		t.Errorf("the copy is %q, %v", twin.Meta.UUID, err)
	}
	if again, err := d.Notebook(path); err != nil || again.Meta.UUID != v.Meta.UUID {
		t.Errorf("the first is %q now, %v", again.Meta.UUID, err)
	}
}

// A notebook without a uuid of its own gets one when it runs: nothing is stored under a name that
// another one could have.
func TestAnOddUUIDIsReplacedAtTheFirstRun(t *testing.T) {
	t.Parallel()
	for _, uuid := range []string{"", "..", "/", ".", "a/b", "../../x", `a\b`} {
		d := open(t, "", "answer always\ncall 0 r read_file {\"uri\":\"secret-of-others.txt\"}\nanswer always\ntext ok")
		output := filepath.Join(cacheOf(d.folder), "output")
		if err := os.MkdirAll(output, 0o700); err != nil {
			t.Fatal(err)
		}
		secret := filepath.Join(output, "other-agent.txt")
		if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.came("odd.mtm", uuid, "", `["."]`, "x")
		if d.reads("odd.mtm", secret) {
			t.Errorf("%q can read the output of other agents", uuid)
		}
		cell := d.promptOf("odd.mtm")
		if _, err := d.Edit("odd.mtm", []notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: "y"}}, "test"); err != nil {
			t.Fatal(err)
		}
		v, err := d.Notebook("odd.mtm")
		if err != nil || len(v.Meta.UUID) != 36 {
			t.Errorf("%q became %q, %v", uuid, v.Meta.UUID, err)
		}
		if d.reads("odd.mtm", secret) {
			t.Errorf("%q, now %s, can read the output of other agents", uuid, v.Meta.UUID)
		}
		d.Close()
	}
}

// If the folder of notebooks is a link out of the folder, no notebook is made or opened there.
func TestNothingIsMadeThroughALinkOut(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.Workspace = withRules(t, d.folder, d.config)
	out := t.TempDir()
	if err := os.Symlink(out, filepath.Join(d.folder, ".mutsumi")); err != nil {
		t.Fatal(err)
	}
	if path, err := d.Create(catalog.NewNotebook{Name: "Out"}); !fault.Is(err, fault.Denied) {
		t.Errorf("made %s, %v", path, err)
	}
	if err := os.Symlink("gone", filepath.Join(d.folder, "dangling.mtm")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".mutsumi/new/x.mtm", "dangling.mtm"} {
		if _, err := d.Notebook(path); err == nil {
			t.Errorf("%s is opened", path)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}

// withRules opens a folder with default rules of the program.
func withRules(t *testing.T, folder, config string) *workspace.Workspace {
	t.Helper()
	store, err := settings.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Folder: folder, CacheDir: cacheOf(folder), Settings: store, Rules: fstest.MapFS{"default.md": {Data: []byte("Be good.")}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	w.Nodes()
	return w
}

// isTextOfCopy reports whether text is the original with another uuid and otherwise unchanged.
func isTextOfCopy(t *testing.T, text, original string) bool {
	t.Helper()
	copied, err := notebook.Parse([]byte(text))
	first, fail := notebook.Parse([]byte(original))
	if err != nil || fail != nil {
		t.Fatal(err, fail)
	}
	if copied.UUID() == first.UUID() || copied.Lineage().Origin().UUID != first.UUID() {
		return false
	}
	copied.SetUUID(first.UUID())
	return copied.Keep("mutsumi_copied_from", nil) == nil && string(copied.Encoded().Bytes()) == original
}
