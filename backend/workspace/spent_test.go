package workspace_test

import (
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// The recorded costs never decrease, whatever happens to the paid answers, not even across a
// restart.
func TestWhatWasSpentStaysSpent(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer always\ntext x\nusage 1 1")
	path := d.create("Spent")
	first := d.prompt(path, "one")
	second := d.prompt(path, "two")
	expect := func(after, cost string, runs int) {
		t.Helper()
		if got := d.spent(path); got.Cost != cost || got.Requests != runs {
			t.Errorf("%s: %s in %d runs, want %s in %d", after, got.Cost, got.Requests, cost, runs)
		}
		if n := d.node(path); n.Own.Cost != int64(d.spent(path).Input)*2e9 {
			t.Errorf("%s: the tree says %d", after, n.Own.Cost)
		}
	}
	edit := func(e notebook.Edit) {
		t.Helper()
		if _, err := d.Edit(path, []notebook.Edit{e}, ""); err != nil {
			t.Fatal(err)
		}
	}
	d.run(path, first, runner.RunAll)
	d.untilFinished(2)
	expect("two answers", "$4.00", 2)
	d.run(path, second, runner.RunCell)
	d.untilFinished(1)
	expect("one of them rerun", "$6.00", 3)
	v, err := d.Notebook(path)
	if err != nil || len(v.State.Branches) != 1 {
		t.Fatalf("%+v, %v", v.State.Branches, err)
	}
	edit(notebook.Edit{Kind: notebook.EditRestore, Branch: v.State.Branches[0].ID})
	expect("the other version", "$6.00", 3)
	edit(notebook.Edit{Kind: notebook.EditDelete, Cell: second})
	expect("deleted", "$6.00", 3)
	for range 3 { // the delete, the restore, and the second run
		if _, err := d.Undo(path); err != nil {
			t.Fatal(err)
		}
		expect("undone", "$6.00", 3)
	}
	if _, err := d.Redo(path); err != nil {
		t.Fatal(err)
	}
	expect("redone", "$6.00", 3)
	d.run(path, first, runner.RunFrom)
	d.untilFinished(1)
	expect("run from the first one", "$8.00", 4)
	if _, err := d.Continue(path, first); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	expect("continued", "$10.00", 5)
	edit(notebook.Edit{Kind: notebook.EditDelete, Cell: first})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "")
	if n := again.node(path); n.Own.Tokens != 10 {
		t.Errorf("after a restart the tree says %+v", n.Own)
	}
	if got := again.spent(path); got.Input != 5 || got.Output != 5 || got.Requests != 5 {
		t.Errorf("after a restart: %+v", got)
	}
}

// Deleting the answer that spent a budget does not restore the budget.
func TestADeletedAnswerCountsInTheBudget(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntext x\nusage 1 1")
	path := d.create("Budget")
	if err := d.SetBudget(path, 2); err != nil {
		t.Fatal(err)
	}
	first := d.prompt(path, "one")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditDelete, Cell: first}}, ""); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "two"), runner.RunCell)
	if r := d.asks(); r.Tool != "budget" {
		t.Errorf("%+v", r)
	}
}

// A retry after a failure counts as another request.
func TestARetryIsARequest(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\nstatus 500\nanswer\nstatus 503\nanswer\ntext done\nusage 1 1")
	path := d.create("Retries")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilFinished(1)
	if got := d.spent(path); got.Requests != 3 || got.Cost != "$2.00" {
		t.Errorf("got %+v", got)
	}
}

// Every request of every step counts, as it comes and after a restart: failed requests too, and
// those of an answer that the person stopped.
func TestEveryRequestCounts(t *testing.T) {
	t.Parallel()
	ls := "answer\ntool ls {\"uri\":\".\"}\nusage 1 1\n"
	d := priced(t, ls+ls+"answer\ntext done\nusage 1 1\nanswer\nstatus 401\nanswer\ntool ls {\"uri\":\".\"}\nusage 1 1\nanswer\ntext so far\nstall")
	path := d.create("Steps")
	most := 0
	watch := func(e item) bool {
		if n := d.spent(path).Requests; n < most {
			t.Errorf("%d requests after %d, at %s", n, most, e.Type)
		} else {
			most = n
		}
		return e.Type == "runFinished"
	}
	d.run(path, d.prompt(path, "steps"), runner.RunCell)
	d.until(watch)
	if got := d.spent(path); got.Requests != 3 || got.Cost != "$6.00" {
		t.Errorf("three steps: %+v", got)
	}
	d.run(path, d.prompt(path, "fails"), runner.RunCell)
	d.until(watch)
	if got := d.spent(path); got.Requests != 4 || got.Cost != "$6.00" {
		t.Errorf("a failed request: %+v", got)
	}
	d.run(path, d.prompt(path, "is stopped"), runner.RunCell)
	d.until(func(e item) bool { watch(e); return e.Type == "delta" && e.Data["text"] == "so far" })
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.until(watch)
	before := d.spent(path)
	if before.Requests != 6 {
		t.Errorf("stopped at its second: %+v", before)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := open(t, d.folder, "").spent(path); got.Requests != 6 || got.Input != before.Input || got.Output != before.Output {
		t.Errorf("after a restart %+v, before %+v", got, before)
	}
}
