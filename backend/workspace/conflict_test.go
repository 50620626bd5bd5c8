package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
)

// The version that is kept beside a notebook is another agent: what is granted
// to the notebook is not granted to it.
func TestTheVersionBesideHasAUUIDOfItsOwn(t *testing.T) {
	for _, choice := range []documents.Choice{documents.KeepMine, documents.TakeDisk, documents.KeepBoth} {
		t.Run(string(choice), func(t *testing.T) {
			d := conflicting(t)
			if err := d.ResolveConflict("a.mtm", choice); err != nil {
				t.Fatal(err)
			}
			if err := d.Saved("a.mtm"); err != nil {
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(d.folder, "a (*.mtm"))
			if len(files) != 1 {
				t.Fatalf("beside it: %v", files)
			}
			beside, err := notebook.ReadHead(files[0])
			if err != nil || beside.UUID == "a" || len(beside.UUID) != 36 {
				t.Errorf("beside it is %q, %v", beside.UUID, err)
			}
			if own, err := notebook.ReadHead(filepath.Join(d.folder, "a.mtm")); err != nil || own.UUID != "a" {
				t.Errorf("the notebook is %q, %v", own.UUID, err)
			}
		})
	}
}

// A version that is no notebook is kept byte for byte.
func TestADamagedVersionIsKeptAsItIs(t *testing.T) {
	const damaged = `{"metadata":{"uuid":"a"},"context":[ `
	d := open(t, "", "")
	d.write("a.mtm", notebookText("a", "A"))
	d.untilTree("A")
	d.prompt("a.mtm", "mine")
	d.write("a.mtm", damaged)
	d.until(is("diskConflict"))
	if err := d.ResolveConflict("a.mtm", documents.KeepMine); err != nil {
		t.Fatal(err)
	}
	if all := d.beside("from disk"); len(all) != 1 || all[0] != damaged {
		t.Errorf("beside it is %q", all)
	}
	d.untilOnDisk("a.mtm", "mine")
	if b, err := os.ReadFile(filepath.Join(d.folder, "a.mtm")); err != nil || strings.Contains(string(b), damaged) {
		t.Errorf("%s, %v", b, err)
	}
}
