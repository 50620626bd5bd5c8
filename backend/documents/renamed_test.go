package documents_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
)

// rename has another program rename a file, which nobody reports.
func (d *fixture) rename(from, to string) {
	d.t.Helper()
	if err := os.Rename(filepath.Join(d.folder, from), filepath.Join(d.folder, to)); err != nil {
		d.t.Fatal(err)
	}
}

// untilMoved waits until a notebook follows its file. Nobody is asked about it before.
func (d *fixture) untilMoved() {
	d.t.Helper()
	d.until(func(e item) bool {
		if e.Type == "diskConflict" {
			d.t.Error("it asks about the file")
		}
		return e.Type == "notebookMoved"
	})
}

// A save or a look at the disk may find that the file is gone before its new name is reported: the
// text is kept, nobody is asked, and the notebook follows its file.
func TestARenameThatASaveNoticesFirst(t *testing.T) {
	t.Parallel()
	d := openUnwatched(t, "", nobody{})
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.FileChanged("a.mtm")
	live := d.held("a.mtm", func() { d.prompt("a.mtm", "typed") })
	d.rename("a.mtm", "b.mtm")
	live.LeaveUnsaved()
	if live.LookAtDisk() {
		t.Error("it says that it has all of a file that is gone")
	}
	if err := live.Save(); err != nil && !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	d.FileChanged("b.mtm")
	d.untilMoved()
	d.untilOnDisk("b.mtm", "typed")
	if v, err := d.Notebook("b.mtm"); err != nil || v.Conflict {
		t.Errorf("%+v, %v", v, err)
	}
}

// A window that showed a notebook shows it under its new name too: another one that closes it does
// not unload it.
func TestWindowsKeepARenamedNotebook(t *testing.T) {
	t.Parallel()
	d := openUnwatched(t, "", nobody{})
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.FileChanged("a.mtm")
	for _, window := range []string{"one", "two"} {
		defer d.Follow(window)()
		if _, err := d.Show("a.mtm", window); err != nil {
			t.Fatal(err)
		}
	}
	d.rename("a.mtm", "b.mtm")
	d.FileChanged("b.mtm")
	d.untilMoved()
	open := func(window string) int {
		t.Helper()
		if err := d.Leave("b.mtm", window); err != nil {
			t.Fatal(err)
		}
		return d.OpenDocs()
	}
	if one, two := open("two"), open("one"); one != 1 || two != 0 {
		t.Errorf("open when the second window closes it: %d; when both have: %d", one, two)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "a.mtm")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old name: %v", err)
	}
}
