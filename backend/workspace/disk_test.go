package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/runner"
)

// write writes a file. A notebook is replaced as a whole, so that the workspace never finds it empty
// or half written; a link is followed.
func (d *desk) write(path, text string) {
	d.t.Helper()
	file := filepath.Join(d.folder, path)
	info, err := os.Lstat(file)
	if !documents.IsNotebook(path) || err == nil && !info.Mode().IsRegular() {
		filestest.Write(d.t, file, text)
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	d.saveElsewhere(path, text)
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
		t.Errorf("the file still exists: %v", err)
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
		t.Errorf("closing the notebook wrote the file again: %v", err)
	}
}

func TestAnUnwritableFolderIsReportedAndLosesNothing(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Full")
	if err := d.TypeThen(path, "typed", func() { becomeFile(t, filepath.Join(d.folder, ".mutsumi")) }); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		return e.Type == "notebookSaved" && e.Data["fault"] != nil || e.Type == "diskConflict"
	})
	if v, err := d.Notebook(path); err != nil || len(v.Cells) != 1 {
		t.Errorf("the prompt is lost: %+v, %v", v, err)
	}
}

// A file is read whenever it changes, and a run may end at that moment: the tree shows how the run
// ended.
func TestARunThatEndsWhileItsFileIsLookedAt(t *testing.T) {
	t.Parallel()
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
			d.run(path, cell, runner.RunCell)
			d.untilFinished(1)
			if n := d.Nodes()[0]; slices.Contains(n.Marks, agenttree.Failed) != failed {
				t.Fatalf("round %d, failed %t: %+v", i, failed, n)
			}
		}
	}
}
