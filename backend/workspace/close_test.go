package workspace_test

import (
	"runtime"
	"sync"
	"testing"

	"mutsumi/backend/notebook"
)

// A tab is closed while edits are sent: whichever comes first, acknowledged edits are in the
// notebook.
func TestANotebookIsClosedBesideEdits(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Closed")
	for round := range 10 {
		ids := make([]string, 8)
		var editing sync.WaitGroup
		if err := d.CloseAfter(path, func() {
			for i := range ids {
				editing.Go(func() {
					r, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "typed"}}, "")
					if err != nil {
						t.Error(err)
					}
					ids[i] = r.ID
				})
			}
			for range 1000 { // by then most of them wait for the notebook
				runtime.Gosched()
			}
		}); err != nil {
			t.Fatal(err)
		}
		editing.Wait()
		if _, cells, err := d.Cells(path, ids); err != nil || len(cells) != len(ids) {
			t.Fatalf("round %d: %d edits were acknowledged, %d are in the notebook: %v", round, len(ids), len(cells), err)
		}
		if err := d.Saved(path); err != nil {
			t.Fatal(err)
		}
	}
}

// Using a notebook after its lock was released fails at once.
func TestANotebookIsUsedUnderItsLockAlone(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Kept")
	defer func() {
		if recover() == nil {
			t.Error("the notebook was changed without its lock")
		}
	}()
	if err := d.UseAfter(path); err != nil {
		t.Fatal(err)
	}
}
