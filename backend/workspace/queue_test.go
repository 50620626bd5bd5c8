package workspace_test

import (
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

func TestRunAllWhileALowerOneRunsTakesTheOthers(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext x\nwait go")
	path := d.create("All")
	a, b, c := d.prompt(path, "a"), d.prompt(path, "b"), d.prompt(path, "c")
	d.run(path, c, runner.RunCell)
	id, err := d.Run(path, a, runner.RunAll)
	if v, _ := d.Notebook(path); err != nil || len(v.Running) != 3 || v.Running[1].RunID != id {
		t.Errorf("%+v, %v", v.Running, err)
	}
	if _, err := d.Run(path, a, runner.RunAll); !fault.Is(err, fault.Conflict) {
		t.Errorf("all of them already run or wait: %v", err)
	}
	d.server.Let("go")
	for i, end := range d.untilFinished(3) {
		if want := []string{c, a, b}[i]; end.Data["cell"] != want {
			t.Errorf("end %d is of another cell", i)
		}
	}
}

func TestAnUnknownWayToRunIsRefused(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Mode")
	cell := d.prompt(path, "x")
	for _, mode := range []runner.Mode{"", "Cell", "everything"} {
		if _, err := d.Run(path, cell, mode); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", mode, err)
		}
	}
	if v, err := d.Notebook(path); err != nil || len(v.Running) != 0 {
		t.Errorf("%+v, %v", v.Running, err)
	}
}

// Cells that a run from a cell puts aside also leave the timeline, the tree's totals and the queue.
func TestARunFromACellReportsWhatItRemoved(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer times 2\ntext x\nusage 1 1\nanswer\ntext y\nwait go\nusage 1 1")
	path := d.create("From")
	first := d.prompt(path, "one")
	d.prompt(path, "two")
	d.run(path, first, runner.RunAll)
	d.untilFinished(2)
	before := d.spent(path)
	d.run(path, first, runner.RunFrom)
	events := d.until(is("delta"))
	past := false
	for _, e := range events {
		past = past || e.Type == "timelineChanged" && e.Data["past"] == path
	}
	if !past {
		t.Error("the timeline did not change")
	}
	if v, err := d.Notebook(path); err != nil || len(v.Cells) != 1 {
		t.Errorf("%d cells, %v", len(v.Cells), err)
	}
	if before.Cost != "$4.00" {
		t.Errorf("spent %+v", before)
	}
	d.server.Let("go")
	d.untilFinished(1)
}

func TestARunFromACellThatCannotRunTakesNothingAway(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext x\nstall")
	path := d.create("From")
	upper, running, below := d.prompt(path, "a"), d.prompt(path, "b"), d.prompt(path, "c")
	d.run(path, running, runner.RunCell)
	d.until(is("delta"))
	d.run(path, upper, runner.RunCell)
	for _, cell := range []string{upper, running} { // one waits, one runs
		if _, err := d.Run(path, cell, runner.RunFrom); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
	}
	if v, err := d.Notebook(path); err != nil || len(v.Cells) != 3 || v.Cells[2].ID != below {
		t.Errorf("%d cells, %v", len(v.Cells), err)
	}
}

// A waiting prompt that is deleted or undone leaves the queue: no run fails later, and nothing
// marks the notebook.
func TestAQueuedPromptThatIsDeletedLeavesTheQueue(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(d *desk, path, cell string) error{
		"deleted": func(d *desk, path, cell string) error {
			_, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditDelete, Cell: cell}}, "")
			return err
		},
		"undone": func(d *desk, path, cell string) error {
			_, err := d.Undo(path)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, "", "answer\ntext x\nwait go")
			path := d.create("Queue")
			first := d.prompt(path, "one")
			d.run(path, first, runner.RunCell)
			d.until(is("delta"))
			second := d.prompt(path, "two")
			d.run(path, second, runner.RunCell)
			if err := remove(d, path, second); err != nil {
				t.Fatal(err)
			}
			if end := d.untilFinished(1)[0]; end.Data["cell"] != second || end.Data["outcome"] != "stopped" {
				t.Errorf("got %v", end)
			}
			if v, err := d.Notebook(path); err != nil || len(v.Running) != 1 {
				t.Errorf("%+v, %v", v.Running, err)
			}
			d.server.Let("go")
			if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
				t.Errorf("got %v", end)
			}
			if n := d.node(path); n.Status != agenttree.Standby || len(n.Marks) != 0 {
				t.Errorf("%+v", n)
			}
		})
	}
}
