package documents_test

import (
	"testing"

	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
)

// Two windows show a notebook whose cells have no ids in the file; one closes its tab. Text typed
// in the other one arrives, and undo reverts it.
func TestATabIsClosedInOneOfTwoWindows(t *testing.T) {
	d := open(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	defer d.Follow("one")()
	defer d.Follow("two")()
	v, err := d.Show("a.mtm", "one")
	if err != nil {
		t.Fatal(err)
	}
	typeInto := func(cell, text string) {
		t.Helper()
		if _, err := d.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: text}}, "one"); err != nil {
			t.Fatal(err)
		}
		if err := d.Saved("a.mtm"); err != nil {
			t.Fatal(err)
		}
	}
	typeInto(v.Cells[0].ID, "typed")
	if _, err := d.Show("a.mtm", "two"); err != nil {
		t.Fatal(err)
	}
	if err := d.Leave("a.mtm", "two"); err != nil {
		t.Fatal(err)
	}
	typeInto(v.Cells[0].ID, "typed on")
	if _, err := d.Undo("a.mtm"); err != nil { // consecutive typing is one step
		t.Fatal(err)
	}
	if _, cells, err := d.Cells("a.mtm", []string{v.Cells[0].ID}); err != nil || len(cells) != 1 || cells[0].Body.Text != "hi" {
		t.Errorf("after undo: %+v, %v", cells, err)
	}
}

// A window that lost its connection does not keep a notebook open, and learns that it was unloaded.
func TestAWindowThatIsAwayLoadsAgain(t *testing.T) {
	d := open(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	away := d.Follow("away")
	defer d.Follow("here")()
	for _, window := range []string{"away", "here"} {
		if _, err := d.Show("a.mtm", window); err != nil {
			t.Fatal(err)
		}
	}
	away()
	if err := d.Leave("a.mtm", "here"); err != nil {
		t.Fatal(err)
	}
	d.until(is("notebookReloaded"))
}
