package documents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
)

func TestTheTreeFollowsTheDisk(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.mtm"), []byte(filestest.Notebook("a", "A")), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder)
	d.untilTree("A")

	d.write("sub/deep/b.mtm", filestest.Notebook("b", "B")) // in a folder that was not there
	d.untilTree("A", "B")

	d.write(".mutsumi/c.mtm", filestest.Notebook("c", "C"))
	d.write("node_modules/x/skipped.mtm", filestest.Notebook("s", "Skipped"))
	d.write(".git/skipped.mtm", filestest.Notebook("s", "Skipped"))
	d.untilTree("A", "B", "C")

	// An editor that saves by renaming.
	d.write("sub/deep/b.mtm~", filestest.Notebook("b", "B2"))
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
	d := open(t, "")
	for i := range 300 {
		d.write(fmt.Sprintf(".mutsumi/n%03d.mtm", i), filestest.Notebook(fmt.Sprint(i), fmt.Sprint(i)))
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

// The folder is taken away and made again, or another one takes its place: it
// is followed as before.
func TestAFolderThatIsReplacedIsFollowedAgain(t *testing.T) {
	for what, replace := range map[string]func(folder string) error{
		"deleted and made again": func(folder string) error {
			if err := os.RemoveAll(folder); err != nil {
				return err
			}
			return os.Mkdir(folder, 0o755)
		},
		"moved away": func(folder string) error {
			if err := os.Rename(folder, folder+"-old"); err != nil {
				return err
			}
			return os.Mkdir(folder, 0o755)
		},
	} {
		t.Run(what, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "ws")
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			d := open(t, folder)
			d.write("a.mtm", filestest.Notebook("a", "A"))
			d.untilTree("A")
			if err := replace(folder); err != nil {
				t.Fatal(err)
			}
			d.write("b.mtm", filestest.Notebook("b", "B"))
			d.untilTree("B")
			d.write("sub/c.mtm", filestest.Notebook("c", "C"))
			d.untilTree("B", "C")
		})
	}
}

func TestAFileThatChangesIsLoadedAgain(t *testing.T) {
	for how, write := range map[string]func(d *fixture, path, text string){
		"replaced": (*fixture).write,
		"in place": (*fixture).writeInPlace, // it may be found empty first
	} {
		t.Run(how, func(t *testing.T) {
			d := open(t, "")
			d.write("a.mtm", filestest.Notebook("a", "A"))
			d.untilTree("A")
			if _, err := d.Notebook("a.mtm"); err != nil {
				t.Fatal(err)
			}
			write(d, "a.mtm", filestest.Notebook("a", "Changed"))
			d.until(func(e item) bool {
				v, err := d.Notebook("a.mtm")
				return e.Type == "notebookReloaded" && err == nil && v.Meta.Name == "Changed"
			})
		})
	}
}

func TestADeletedFileIsLetGoUnlessItHasChanges(t *testing.T) {
	d := open(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.write("b.mtm", filestest.Notebook("b", "B"))
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
	d.held("b.mtm", func() {
		d.prompt("b.mtm", "mine")
		os.Remove(filepath.Join(d.folder, "b.mtm"))
	}).ResumeSaves()
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
	d := open(t, "")
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
