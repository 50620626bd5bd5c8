package workspace_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
	"mutsumi/backend/worktree/owned"
)

// left returns the only left work tree, or fails.
func (d *desk) left() owned.LeftTree {
	d.t.Helper()
	list, err := d.LeftWorktrees()
	if err != nil || len(list) != 1 {
		d.t.Fatalf("%+v, %v", list, err)
	}
	return list[0]
}

func (d *desk) leavesNone() {
	d.t.Helper()
	if list, err := d.LeftWorktrees(); err != nil || list == nil || len(list) != 0 {
		d.t.Errorf("%+v, %v", list, err)
	}
}

// untilSaved waits until nothing of a notebook is unsaved: otherwise a change of its file would be
// a conflict.
func (d *desk) untilSaved(path string) {
	d.t.Helper()
	for {
		if v, err := d.Notebook(path); err != nil || !v.State.Dirty {
			return
		}
		d.until(is("notebookSaved"))
	}
}

// remove deletes a notebook as another program does, and waits until that is noticed.
func (d *desk) remove(path string, others ...string) {
	d.t.Helper()
	d.untilSaved(path)
	if err := os.Remove(filepath.Join(d.folder, filepath.FromSlash(path))); err != nil {
		d.t.Fatal(err)
	}
	d.untilTree(others...)
}

// A work tree whose notebook was deleted outside the program is reported, gets a notebook again,
// and can be merged.
func TestAWorkTreeWithoutANotebookIsReportedAndRecalled(t *testing.T) {
	t.Parallel()
	d, child := treeChild(t)
	d.leavesNone()
	before, err := d.Worktree(child)
	if err != nil {
		t.Fatal(err)
	}
	d.remove(child, "Parent")
	l := d.left()
	if l.Name != "Éditor one" || l.Folder != before.Folder || l.Files != 1 || l.Gone {
		t.Errorf("got %+v", l)
	}
	path, err := d.RecallWorktree(l.UUID)
	if err != nil {
		t.Fatal(err)
	}
	d.agentNamed("Éditor one", there)
	d.leavesNone()
	if v, err := d.Worktree(path); err != nil || !reflect.DeepEqual(names(v), []string{"changed a.txt"}) {
		t.Errorf("%+v %v", v, err)
	}
	if v, err := d.MergeWorktree(path); err != nil || !v.Merged || d.onDisk("a.txt") != "agent\n" {
		t.Errorf("%+v %v", v, err)
	}
	for _, uuid := range []string{l.UUID, "no-such-uuid", "../worktrees"} {
		if _, err := d.RecallWorktree(uuid); !fault.Is(err, fault.NotFound) {
			t.Errorf("recalled %s: %v", uuid, err)
		}
		if err := d.DiscardLeftWorktree(uuid); !fault.Is(err, fault.NotFound) {
			t.Errorf("discarded %s: %v", uuid, err)
		}
	}
	if _, err := os.Stat(before.Folder); err != nil {
		t.Error(err)
	}
}

// A discarded work tree is gone with its branch; the folder stays unchanged.
func TestAWorkTreeWithoutANotebookIsDiscarded(t *testing.T) {
	t.Parallel()
	d, child := treeChild(t)
	d.remove(child, "Parent")
	l := d.left()
	if err := d.DiscardLeftWorktree(l.UUID); err != nil {
		t.Fatal(err)
	}
	d.leavesNone()
	if _, err := os.Stat(l.Folder); err == nil {
		t.Error("the work tree is still there")
	}
	if heads, err := filepath.Glob(filepath.Join(d.folder, ".git/refs/heads/mutsumi/*")); err != nil || len(heads) > 0 || d.onDisk("a.txt") != "folder\n" {
		t.Errorf("%v %v %q", heads, err, d.onDisk("a.txt"))
	}
}

// A notebook that cannot be read keeps its work tree, and so does one with a conflict; a work tree
// whose folder was deleted as well is reported as gone.
func TestAWorkTreeOfADamagedNotebookIsNotLeft(t *testing.T) {
	t.Parallel()
	d, child := treeChild(t)
	before, err := d.Worktree(child)
	if err != nil {
		t.Fatal(err)
	}
	d.untilSaved(child)
	if err := d.CloseNotebook(child); err != nil {
		t.Fatal(err)
	}
	d.write(child, "{")
	d.until(func(item) bool {
		for _, n := range d.Nodes() {
			if n.File == child && n.Problem != "" {
				return true
			}
		}
		return false
	})
	d.leavesNone()
	if err := os.RemoveAll(before.Folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(d.folder, filepath.FromSlash(child))); err != nil {
		t.Fatal(err)
	}
	d.untilTree("Parent")
	if l := d.left(); !l.Gone || l.Files != 0 {
		t.Errorf("got %+v", l)
	} else if err := d.DiscardLeftWorktree(l.UUID); err != nil {
		t.Fatal(err)
	}
	d.leavesNone()
}

// A child that could not be made leaves no work tree behind.
func TestAForkThatFailsLeavesNoWorkTree(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", treeFork)+saying("PARENT", "text So be it."))
	d.write("parent.mtm", `{"metadata":{"name":"Parent","uuid":"00000000-0000-4000-8000-000000000001"},"context":[]}`)
	d.commit()
	if err := os.Symlink("nowhere", filepath.Join(d.folder, ".mutsumi")); err != nil { // no notebook can go there
		t.Fatal(err)
	}
	d.untilTree("Parent")
	cell := d.prompt("parent.mtm", "PARENT")
	d.run("parent.mtm", cell, runner.RunCell)
	d.allow()
	d.untilOver("parent.mtm")
	if got := d.answer("parent.mtm", cell); !strings.Contains(got, "leads out of the folder") {
		t.Error(got)
	}
	d.leavesNone()
	if heads, _ := filepath.Glob(filepath.Join(d.folder, ".git/refs/heads/mutsumi/*")); len(heads) > 0 {
		t.Errorf("left behind: %v", heads)
	}
}
