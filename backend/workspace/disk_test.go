package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/workspace"
)

func notebookText(uuid, name string) string {
	return fmt.Sprintf(`{"metadata":{"uuid":%q,"name":%q,"created_at":"2026-01-01T00:00:00Z","parent_agent_id":null,"allowed_uris":["/x"]},"context":[{"role":"user","content":"hi"}]}`, uuid, name)
}

func (d *desk) write(path, text string) {
	d.t.Helper()
	file := filepath.Join(d.folder, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// untilTree waits until the tree has exactly these names.
func (d *desk) untilTree(want ...string) {
	d.t.Helper()
	names := func() []string {
		var got []string
		for _, n := range d.Nodes() {
			got = append(got, n.Name)
		}
		slices.Sort(got)
		return got
	}
	for !slices.Equal(names(), want) {
		d.until(is("treeChanged"))
	}
}

func TestTheTreeFollowsTheDisk(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.mtm"), []byte(notebookText("a", "A")), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder, "")
	d.untilTree("A")

	d.write("sub/deep/b.mtm", notebookText("b", "B")) // in a folder that was not there
	d.untilTree("A", "B")

	d.write(".mutsumi/c.mtm", notebookText("c", "C"))
	d.write("node_modules/x/skipped.mtm", notebookText("s", "Skipped"))
	d.write(".git/skipped.mtm", notebookText("s", "Skipped"))
	d.untilTree("A", "B", "C")

	// An editor that saves by renaming.
	d.write("sub/deep/b.mtm~", notebookText("b", "B2"))
	if err := os.Rename(filepath.Join(folder, "sub/deep/b.mtm~"), filepath.Join(folder, "sub/deep/b.mtm")); err != nil {
		t.Fatal(err)
	}
	d.untilTree("A", "B2", "C")

	if err := os.Rename(filepath.Join(folder, "sub"), filepath.Join(folder, "moved")); err != nil {
		t.Fatal(err)
	}
	d.until(func(item) bool {
		return slices.ContainsFunc(d.Nodes(), func(n agenttree.Node) bool { return n.File == "moved/deep/b.mtm" })
	})
	d.untilTree("A", "B2", "C")

	if err := os.RemoveAll(filepath.Join(folder, "moved")); err != nil {
		t.Fatal(err)
	}
	d.untilTree("A", "C")

	d.write("a.mtm", "{ damaged")
	d.until(func(item) bool {
		return slices.ContainsFunc(d.Nodes(), func(n agenttree.Node) bool {
			return n.File == "a.mtm" && n.Problem != "" && slices.Contains(n.Marks, agenttree.Failed)
		})
	})
}

func TestABurstIsOneChange(t *testing.T) {
	d := open(t, "", "")
	for i := range 300 {
		d.write(fmt.Sprintf(".mutsumi/n%03d.mtm", i), notebookText(fmt.Sprint(i), fmt.Sprint(i)))
	}
	changes := 0
	for len(d.Nodes()) < 300 {
		d.until(is("treeChanged"))
		changes++
	}
	if changes > 20 {
		t.Errorf("300 files came as %d changes", changes)
	}
}

func TestAFileThatChangesIsLoadedAgain(t *testing.T) {
	d := open(t, "", "")
	d.write("a.mtm", notebookText("a", "A"))
	d.untilTree("A")
	if _, err := d.Notebook("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.write("a.mtm", notebookText("a", "Changed"))
	d.until(is("notebookReloaded"))
	if v, err := d.Notebook("a.mtm"); err != nil || v.Meta.Name != "Changed" {
		t.Errorf("got %+v, %v", v.Meta, err)
	}
}

// conflicting opens a notebook that has the prompt "mine" in memory and
// another text on disk, and the question about it asked.
func conflicting(t *testing.T) *desk {
	d := open(t, "", "")
	d.write("a.mtm", notebookText("a", "A"))
	d.untilTree("A")
	d.prompt("a.mtm", "mine") // not saved yet: the change below comes first
	d.write("a.mtm", notebookText("a", "Theirs"))
	d.until(is("diskConflict"))
	return d
}

func TestAChangeOnBothSidesAsks(t *testing.T) {
	d := conflicting(t)
	if got := d.onDisk("a.mtm"); !strings.Contains(got, "Theirs") {
		t.Errorf("the disk's version was overwritten: %s", got)
	}
	c, err := d.Conflict("a.mtm")
	if err != nil || !strings.Contains(c.Mine, "mine") || !strings.Contains(c.Disk, "Theirs") || c.Gone {
		t.Errorf("got %+v, %v", c, err)
	}
	if v, err := d.Notebook("a.mtm"); err != nil || !v.Conflict {
		t.Errorf("the view does not say so: %v", err)
	}
	if err := d.ResolveConflict("a.mtm", "neither"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
}

func TestWhicheverVersionIsChosenTheOtherIsKept(t *testing.T) {
	for choice, kept := range map[documents.Choice][2]string{
		documents.KeepMine: {"mine", "Theirs"},
		documents.TakeDisk: {"Theirs", "mine"},
		documents.KeepBoth: {"Theirs", "mine"},
	} {
		t.Run(string(choice), func(t *testing.T) {
			d := conflicting(t)
			if err := d.ResolveConflict("a.mtm", choice); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if got := d.onDisk("a.mtm"); !strings.Contains(got, kept[0]) {
				t.Errorf("the file has %s", got)
			}
			entries, err := os.ReadDir(d.folder)
			if err != nil {
				t.Fatal(err)
			}
			beside := ""
			for _, e := range entries {
				if e.Name() != "a.mtm" && !e.IsDir() {
					b, err := os.ReadFile(filepath.Join(d.folder, e.Name()))
					if err != nil {
						t.Fatal(err)
					}
					beside += string(b)
				}
			}
			if !strings.Contains(beside, kept[1]) {
				t.Errorf("the other version is gone: %v", entries)
			}
		})
	}
}

func TestADeletedFileIsLetGoUnlessItHasChanges(t *testing.T) {
	d := open(t, "", "")
	d.write("a.mtm", notebookText("a", "A"))
	d.write("b.mtm", notebookText("b", "B"))
	d.untilTree("A", "B")
	for _, p := range []string{"a.mtm", "b.mtm"} {
		if _, err := d.Notebook(p); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(filepath.Join(d.folder, "a.mtm"))
	d.until(is("notebookReloaded"))
	if _, err := d.Notebook("a.mtm"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	d.prompt("b.mtm", "mine")
	os.Remove(filepath.Join(d.folder, "b.mtm"))
	d.until(is("diskConflict"))
	if err := d.ResolveConflict("b.mtm", documents.KeepMine); err != nil {
		t.Fatal(err)
	}
	d.until(is("notebookSaved"))
	if got := d.onDisk("b.mtm"); !strings.Contains(got, "mine") {
		t.Errorf("got %s", got)
	}
}

func TestADamagedFileIsShownAndNeverWritten(t *testing.T) {
	const text = "{\"metadata\":{},\n\"context\":[{\"role\":\"user\",\"content\":\"kept\"},\n{\"role\": }"
	d := open(t, "", "")
	d.write("a.mtm", text)
	v, err := d.Notebook("a.mtm")
	if err != nil || v.Problem == nil || v.Problem.Line != 3 || v.Problem.Message == "" {
		t.Fatalf("got %+v, %v", v.Problem, err)
	}
	if _, err := d.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditInsert, Text: "x"}}, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("it was edited: %v", err)
	}
	if raw, err := d.RawText("a.mtm"); err != nil || string(raw) != text {
		t.Errorf("got %q, %v", raw, err)
	}
	path, err := d.SaveRepairedCopy("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.Notebook(path); err != nil || v.Problem != nil || len(v.Cells) != 1 || v.Cells[0].Body.Text != "kept" {
		t.Errorf("the copy: %+v, %v", v, err)
	}
	d.Close()
	if got := d.onDisk("a.mtm"); got != text {
		t.Errorf("it was written: %q", got)
	}
}

func TestDuplicateRenameAndTrash(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	d := open(t, "", "")
	path := d.create("One")
	d.prompt(path, "text")
	copied, err := d.Duplicate(path)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.Notebook(copied); err != nil || v.Meta.Name != "One copy" || len(v.Cells) != 1 {
		t.Errorf("got %+v, %v", v, err)
	}
	if err := d.Rename(copied, " Two "); err != nil {
		t.Fatal(err)
	}
	if err := d.Rename(copied, "  "); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	d.untilTree("One", "Two")
	if err := d.Trash(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.folder, path)); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	d.untilTree("Two")
	inTrash, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "Trash/files/*.mtm"))
	if len(inTrash) != 1 {
		t.Errorf("the trash has %v", inTrash)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.folder, path)); !os.IsNotExist(err) {
		t.Errorf("closing wrote it again: %v", err)
	}
}

func TestAFolderThatCannotBeWrittenSaysSoAndLosesNothing(t *testing.T) {
	d := open(t, "", "")
	path := d.create("Full")
	dir := filepath.Join(d.folder, ".mutsumi")
	blocked := filepath.Join(d.folder, "elsewhere")
	d.prompt(path, "typed") // saved in a moment, to a folder that is a file by then
	if err := os.Rename(dir, blocked); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		return e.Type == "notebookSaved" && e.Data["fault"] != nil || e.Type == "diskConflict"
	})
	if v, err := d.Notebook(path); err == nil && len(v.Cells) != 1 {
		t.Errorf("memory lost it: %+v", v)
	}
}

// A file is looked at whenever it changes, and a run may end at that very
// moment: what the tree says of the run is how it ended.
func TestARunThatEndsWhileItsFileIsLookedAt(t *testing.T) {
	const rounds = 25
	d := open(t, "", strings.Repeat("answer\nfail 401 Wrong key\nanswer\ntext fine\n", rounds))
	path := d.create("Looked at")
	cell := d.prompt(path, "x")
	stop := make(chan struct{})
	var touching sync.WaitGroup
	touching.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				d.FileChanged(path)
			}
		}
	})
	defer touching.Wait()
	defer close(stop)
	for i := range rounds {
		for _, failed := range []bool{true, false} {
			d.run(path, cell, workspace.RunCell)
			d.untilFinished(1)
			if n := d.Nodes()[0]; slices.Contains(n.Marks, agenttree.Failed) != failed {
				t.Fatalf("round %d, failed %t: %+v", i, failed, n)
			}
		}
	}
}
