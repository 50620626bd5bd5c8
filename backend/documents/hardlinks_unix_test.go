//go:build unix

package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/files/filestest"
)

// A file with two names is one document, and a save does not part them.
func TestTwoNamesOfOneFileAreOneDocument(t *testing.T) {
	for _, first := range []string{"a.mtm", "b.mtm"} {
		t.Run("opened as "+first, func(t *testing.T) {
			d := open(t, "")
			d.write("a.mtm", filestest.Notebook("a", "A"))
			d.untilTree("A")
			a, b := filepath.Join(d.folder, "a.mtm"), filepath.Join(d.folder, "b.mtm")
			if err := os.Link(a, b); err != nil {
				t.Fatal(err)
			}
			d.FileChanged("b.mtm")
			d.prompt(first, "one")
			d.prompt("a.mtm", "by the first name")
			d.prompt("b.mtm", "by the second name")
			for _, text := range []string{"by the first name", "by the second name"} {
				d.untilOnDisk("a.mtm", text)
				d.untilOnDisk("b.mtm", text)
			}
			if n := d.OpenDocs(); n != 1 {
				t.Errorf("%d documents", n)
			}
			d.prompt("b.mtm", "once more")
			if err := d.Saved("b.mtm"); err != nil {
				t.Fatal(err)
			}
			if got := d.onDisk("a.mtm"); got != d.onDisk("b.mtm") || !strings.Contains(got, "once more") {
				t.Errorf("the names have %s and %s", got, d.onDisk("b.mtm"))
			}
			d.untilTree("A")

			// Another program writes through the name that the tree does not show.
			d.writeInPlace("b.mtm", filestest.Notebook("a", "Theirs"))
			d.untilTree("Theirs")
			if v, err := d.Notebook("a.mtm"); err != nil || v.Meta.Name != "Theirs" || len(v.Cells) != 1 {
				t.Errorf("%d cells of %s, %v", len(v.Cells), v.Meta.Name, err)
			}

			// The name shown in the tree is removed: the file is known by the other one.
			if err := os.Remove(a); err != nil {
				t.Fatal(err)
			}
			for {
				if n := d.Nodes(); len(n) == 1 && n[0].File == "b.mtm" {
					break
				}
				d.until(is("treeChanged"))
			}
		})
	}
}

// Both names exist from the start.
func TestAFolderWithTwoNamesOfOneFile(t *testing.T) {
	folder := t.TempDir()
	a := filepath.Join(folder, "a.mtm")
	if err := os.WriteFile(a, []byte(filestest.Notebook("a", "A")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(a, filepath.Join(folder, "b.mtm")); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder)
	if n := d.Nodes(); len(n) != 1 || n[0].File != "a.mtm" {
		t.Fatalf("the tree has %+v", n)
	}
	d.prompt("b.mtm", "typed")
	d.untilOnDisk("a.mtm", "typed")
	d.untilOnDisk("b.mtm", "typed")
}

// The command line does not watch the folder: it looks for the other name when needed.
func TestTwoNamesInAFolderThatIsNotFollowed(t *testing.T) {
	folder := t.TempDir()
	a := filepath.Join(folder, "a.mtm")
	if err := os.WriteFile(a, []byte(filestest.Notebook("a", "A")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(a, filepath.Join(folder, "b.mtm")); err != nil {
		t.Fatal(err)
	}
	d := openQuiet(t, folder)
	d.prompt("b.mtm", "typed")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); !strings.Contains(got, "typed") || got != d.onDisk("b.mtm") {
		t.Errorf("the names have %s and %s", got, d.onDisk("b.mtm"))
	}
}
