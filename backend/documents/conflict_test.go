package documents_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
)

// conflicting opens a notebook whose prompt is "mine" in memory and different on disk, with the
// question about it pending.
func conflicting(t *testing.T) *fixture {
	d := open(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	d.held("a.mtm", func() {
		d.retype("a.mtm", "mine")
		d.write("a.mtm", otherPrompt(filestest.Notebook("a", "Theirs")))
	}).ResumeSaves()
	d.until(is("diskConflict"))
	return d
}

// otherPrompt is a notebook with another prompt.
func otherPrompt(text string) string { return strings.Replace(text, `"hi"`, `"their prompt"`, 1) }

// retype changes the first prompt.
func (d *fixture) retype(path, text string) {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: v.Cells[0].ID, Text: text}}, "test"); err != nil {
		d.t.Fatal(err)
	}
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
		t.Errorf("the view does not show the conflict: %v", err)
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

// The version that is kept next to a notebook is another agent, which does not have the notebook's
// grants.
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
			beside, err := notebook.ReadSummary(files[0])
			if err != nil || beside.UUID == "a" || len(beside.UUID) != 36 {
				t.Errorf("beside it is %q, %v", beside.UUID, err)
			}
			if own, err := notebook.ReadSummary(filepath.Join(d.folder, "a.mtm")); err != nil || own.UUID != "a" {
				t.Errorf("the notebook is %q, %v", own.UUID, err)
			}
		})
	}
}

// A version that is no notebook is kept byte for byte.
func TestADamagedVersionIsKeptAsItIs(t *testing.T) {
	const damaged = `{"metadata":{"uuid":"a"},"context":[ `
	d := open(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	d.held("a.mtm", func() {
		d.prompt("a.mtm", "mine")
		d.write("a.mtm", damaged)
	}).ResumeSaves()
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

// A change after the person's choice is a new conflict.
func TestAVersionThatComesAfterTheChoice(t *testing.T) {
	d := conflicting(t)
	live, err := d.reg.KeepMineHeld("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	d.write("a.mtm", strings.Replace(otherPrompt(filestest.Notebook("a", "Newer")), "their", "newer", 1)) // before the next save
	live.ResumeSaves()
	d.until(is("diskConflict"))
	if err := d.ResolveConflict("a.mtm", documents.KeepMine); err != nil {
		t.Fatal(err)
	}
	d.untilOnDisk("a.mtm", "mine")
	if all := strings.Join(d.beside("from disk"), ""); !strings.Contains(all, "Theirs") || !strings.Contains(all, "Newer") {
		t.Errorf("beside it is %s", all)
	}
}

func TestAConflictOfALongNameIsDecided(t *testing.T) {
	for _, choice := range []documents.Choice{documents.KeepMine, documents.TakeDisk, documents.KeepBoth} {
		d := open(t, "")
		path := strings.Repeat("x", 251) + ".mtm"
		d.write(path, filestest.Notebook("a", "A"))
		d.untilTree("A")
		d.held(path, func() {
			d.retype(path, "mine")
			d.write(path, otherPrompt(filestest.Notebook("a", "Theirs")))
		}).ResumeSaves()
		d.until(is("diskConflict"))
		if err := d.ResolveConflict(path, choice); err != nil {
			t.Errorf("%s: %v", choice, err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("%s: %v", choice, err)
		}
	}
}

func TestAFolderInPlaceOfANotebookIsReported(t *testing.T) {
	d := open(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	file := filepath.Join(d.folder, "a.mtm")
	d.held("a.mtm", func() {
		d.prompt("a.mtm", "mine")
		if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o755)); err != nil {
			t.Fatal(err)
		}
	}).ResumeSaves()
	d.until(func(e item) bool { return e.Type == "diskConflict" || e.Type == "notebookSaved" })
	for _, choice := range []documents.Choice{documents.KeepMine, documents.TakeDisk, documents.KeepBoth} {
		err := d.ResolveConflict("a.mtm", choice)
		if err == nil || fault.Is(err, fault.Internal) || !strings.HasPrefix(err.Error(), "Could not") || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%s: %v", choice, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := d.ResolveConflict("a.mtm", documents.KeepMine); err != nil {
		t.Fatal(err)
	}
	d.until(is("notebookSaved"))
	if got := d.onDisk("a.mtm"); !strings.Contains(got, "mine") {
		t.Errorf("the file has %s", got)
	}
}
