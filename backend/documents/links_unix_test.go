//go:build unix

package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
)

// A notebook and a link to it are one document: text typed under either name reaches the one file,
// and the tree has one agent.
func TestANotebookAndALinkToItAreOne(t *testing.T) {
	folder := t.TempDir()
	if err := os.Symlink("real.mtm", filepath.Join(folder, "a link.mtm")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(folder, "round")); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder)
	d.write("real.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	d.prompt("real.mtm", "by its name")
	d.prompt("a link.mtm", "by the link")
	v, err := d.Notebook("a link.mtm")
	if err != nil || len(v.Cells) != 3 || v.Path != "real.mtm" {
		t.Errorf("%d cells of %s, %v", len(v.Cells), v.Path, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("real.mtm"); !strings.Contains(got, "by its name") || !strings.Contains(got, "by the link") {
		t.Errorf("the file has %s", got)
	}
	if info, err := os.Lstat(filepath.Join(folder, "a link.mtm")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no longer a link: %v, %v", info, err)
	}
	if n := d.Nodes(); len(n) != 1 || n[0].File != "real.mtm" {
		t.Errorf("the tree has %+v", n)
	}
}

// A link whose target the tree does not scan is shown under the link's name.
func TestALinkToWhereTheTreeDoesNotLook(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, ".store"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".store/x.mtm", filepath.Join(folder, "a.mtm")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".store", "x.mtm"), []byte(filestest.Notebook("a", "A")), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder)
	if n := d.Nodes(); len(n) != 1 || n[0].File != "a.mtm" {
		t.Errorf("the tree has %+v", n)
	}
	d.prompt("a.mtm", "typed")
	d.untilOnDisk(".store/x.mtm", "typed")
}

func TestANameThatIsNotTextIsReported(t *testing.T) {
	d := open(t, "")
	d.write("odd\xff.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	if n := d.Nodes()[0]; !strings.Contains(n.Problem, "UTF-8") {
		t.Errorf("the tree says %+v", n)
	}
	if _, err := d.Notebook("odd\uFFFD.mtm"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("opening it says %v", err)
	}
}
