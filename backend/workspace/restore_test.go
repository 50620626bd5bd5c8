package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// changing is a desk whose agent has rewritten a.txt and made new.txt.
func changing(t *testing.T) (d *desk, path, cell string) {
	d = open(t, "", "answer\ntool read_file {\"uri\":\"a.txt\"}\nanswer\n"+writeCall("a.txt", `one\nTWO\nthree\n`)+writeCall("new.txt", "x")+"answer\ntext done")
	d.write("a.txt", "one\ntwo\nthree\n")
	path = d.create("Changes")
	cell = d.prompt(path, "change")
	if err := d.AddApprovalRule(path, approval.Rule{Tool: "write_file", Pattern: "**", Scope: approval.Agent}); err != nil {
		t.Fatal(err)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if d.onDisk("a.txt") != "one\nTWO\nthree\n" || d.onDisk("new.txt") != "x" {
		t.Fatal("the agent did not write")
	}
	return d, path, cell
}

func TestChangesAreListedAndAHunkCanBeRejected(t *testing.T) {
	t.Parallel()
	d, path, _ := changing(t)
	changes, err := d.Changes(path)
	if err != nil || len(changes) != 2 || changes[0].Path != "a.txt" || changes[0].Added != 1 || changes[0].Removed != 1 {
		t.Fatalf("got %+v, %v", changes, err)
	}
	id, err := d.RejectHunk(path, "a.txt", changes[0].Hunks[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("got %q", got)
	}
	if _, err := d.UndoRestore(path, id); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.txt"); got != "one\nTWO\nthree\n" {
		t.Errorf("the rejection could not be taken back: %q", got)
	}
	again, err := d.Changes(path)
	if err != nil || len(again) != 2 || again[0].Hunks[0].ID != changes[0].Hunks[0].ID {
		t.Fatalf("after the undo %+v, %v", again, err)
	}
	if _, err := d.RejectHunk(path, "a.txt", changes[0].Hunks[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.RejectHunk(path, "a.txt", changes[0].Hunks[0].ID); !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
		t.Errorf("rejected twice: %v", err)
	}
}

func TestFilesAndConversationGoBackAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	d, path, cell := changing(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "")
	plan, err := again.RestorePlan(path, cell)
	if err != nil || len(plan.Files) != 2 || slices.ContainsFunc(plan.Files, func(r checkpoint.Restore) bool { return r.Conflict }) {
		t.Fatalf("got %+v, %v", plan, err)
	}
	if _, err := again.Restore(path, cell, "another", nil, false); !fault.Is(err, fault.Conflict) {
		t.Errorf("a plan nobody saw: %v", err)
	}
	applied, err := again.Restore(path, cell, plan.Token, nil, true)
	if err != nil || len(applied.Restored) != 2 {
		t.Fatalf("got %+v, %v", applied, err)
	}
	if got := again.onDisk("a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "new.txt")); !os.IsNotExist(err) {
		t.Errorf("a file that the agent made still exists: %v", err)
	}
	v, err := again.Notebook(path)
	if err != nil || v.Cells[0].Messages != 0 || len(v.State.Branches) == 0 {
		t.Errorf("the conversation did not go back: %+v, %v", v.Cells, err)
	}
	if _, err := again.UndoRestore(path, applied.ID); err != nil {
		t.Fatal(err)
	}
	if got := again.onDisk("a.txt"); got != "one\nTWO\nthree\n" {
		t.Errorf("the restore could not be taken back: %q", got)
	}
}

// A restore of files can be undone even if the conversation stayed.
func TestTheUndoIsKeptWhenTheConversationStays(t *testing.T) {
	t.Parallel()
	d, path, cell := changing(t)
	plan, err := d.RestorePlan(path, cell)
	if err != nil {
		t.Fatal(err)
	}
	// The prompt is deleted while the plan is shown: there is nothing to rewind to.
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditDelete, Cell: cell}}, ""); err != nil {
		t.Fatal(err)
	}
	applied, err := d.Restore(path, cell, plan.Token, nil, true)
	if err != nil || applied.ID == "" || len(applied.Restored) != 2 || applied.Conversation == nil || applied.Conversation.Message == "" {
		t.Fatalf("%+v, %v", applied, err)
	}
	if _, err := d.UndoRestore(path, applied.ID); err != nil || d.onDisk("new.txt") != "x" {
		t.Errorf("the undo: %v", err)
	}
}

func TestAFileThatSomebodyElseChangedIsAConflict(t *testing.T) {
	t.Parallel()
	d, path, cell := changing(t)
	d.write("a.txt", "mine\n")
	plan, err := d.RestorePlan(path, cell)
	if err != nil {
		t.Fatal(err)
	}
	conflicts := 0
	for _, f := range plan.Files {
		if f.Conflict && strings.HasSuffix(f.Path, "a.txt") {
			conflicts++
		}
	}
	if conflicts != 1 {
		t.Fatalf("got %+v", plan.Files)
	}
	if _, err := d.Restore(path, cell, plan.Token, nil, false); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.txt"); got != "mine\n" {
		t.Errorf("somebody's work was overwritten: %q", got)
	}
}
