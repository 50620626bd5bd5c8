package workspace_test

import (
	"slices"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/waittest"
)

// priced is a desk whose model costs a dollar per token, so that budgets are easy to spend.
func priced(t *testing.T, script string) *desk {
	t.Helper()
	return pricedAt(t, script, settings.ModelView{InputPrice: 1e6, OutputPrice: 1e6})
}

// pricedAt is a desk whose model has the prices of dear.
func pricedAt(t *testing.T, script string, dear settings.ModelView) *desk {
	t.Helper()
	dear.ID, dear.Tools = "dear", true
	return openModel(t, "", script, settings.ModelView{ID: "free"}, func(s *settings.Store, url string) {
		id, err := s.SaveProvider(settings.ProviderInput{Name: "Dear", BaseURL: url, Models: []settings.ModelView{dear}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ChangePreferences(s.Preferences(), settings.Preferences{DefaultProvider: id, DefaultModel: "dear"}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestABudgetPausesAndAsks(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntext one\nusage 1 1\nanswer\ntool ls {}\nusage 1 1")
	path := d.create("Budget")
	if err := d.SetBudget(path, -1); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if err := d.SetBudget(path, 2); err != nil {
		t.Fatal(err)
	}
	first := d.prompt(path, "one")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	v, err := d.Notebook(path)
	if err != nil || v.State.Spent.Cost != "$2.00" || v.State.Spent.Percent != 100 || v.Cells[0].Body.Run.Cost != "$2.00" {
		t.Fatalf("spent %+v, %v", v.State.Spent, err)
	}
	second := d.prompt(path, "two")
	d.run(path, second, runner.RunCell)
	r := d.asks()
	if r.Tool != "budget" || r.Why == "" || r.Path != path {
		t.Errorf("got %+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	again := d.asks() // the step after the tool is past twice the budget
	if err := d.ResolveApproval(again.ID, approval.Decision{}); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("got %v", end)
	}
	if n := len(d.server.Requests()); n != 2 {
		t.Errorf("%d requests went out", n)
	}
}

// When a spent budget allows more, the request to raise it ends and the agent continues.
func TestAHigherBudgetAnswersTheRequest(t *testing.T) {
	t.Parallel()
	for name, raise := range map[string]func(d *desk, path string) error{
		"a higher budget": func(d *desk, path string) error { return d.SetBudget(path, 20) },
		"no budget":       func(d *desk, path string) error { return d.SetBudget(path, 0) },
		"lower prices": func(d *desk, _ string) error {
			v, err := d.Settings()
			if err != nil {
				return err
			}
			p := v.Providers[slices.IndexFunc(v.Providers, func(p settings.ProviderView) bool { return p.Name == "Dear" })]
			cheap := settings.ModelView{ID: "dear", Tools: true, InputPrice: 0.1, OutputPrice: 0.1}
			_, err = d.SaveProvider(settings.ProviderInput{ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, Models: []settings.ModelView{cheap}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := priced(t, "answer\ntext one\nusage 1 1\nanswer\ntext two\nusage 1 1")
			path := d.create("Budget")
			d.run(path, d.prompt(path, "one"), runner.RunCell)
			d.untilFinished(1)
			second := d.prompt(path, "two")
			if err := d.SetBudget(path, 1); err != nil {
				t.Fatal(err)
			}
			d.run(path, second, runner.RunCell)
			d.asks()
			if err := raise(d, path); err != nil {
				t.Fatal(err)
			}
			if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
				t.Errorf("got %v", end)
			}
			if waiting, err := d.Approvals(); err != nil || len(waiting) != 0 {
				t.Errorf("%v still waits, %v", waiting, err)
			}
		})
	}
}

// An answer that is written counts as estimated; once its server reports less, another agent that the
// budget held back continues.
func TestALowerCostThanEstimatedAnswersTheRequest(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer when \"one\"\ntext A long answer, of which each word counts.\nwait reported\nusage 0 0\nanswer when \"two\"\ntext two\nusage 0 0")
	root := d.create("Root")
	first, second := d.child(root, "First"), d.child(root, "Second")
	if err := d.SetBudget(root, 1); err != nil {
		t.Fatal(err)
	}
	d.run(first, d.prompt(first, "one"), runner.RunCell)
	waittest.Until(t, "the estimate is past the budget", func() bool {
		v, err := d.Notebook(root)
		return err == nil && v.State.Spent.Percent >= 100
	})
	d.run(second, d.prompt(second, "two"), runner.RunCell)
	if r := d.asks(); r.Agent != "Root" || r.Path != second {
		t.Errorf("got %+v", r)
	}
	d.server.Let("reported")
	for _, end := range d.untilFinished(2) {
		if end.Data["outcome"] != "done" {
			t.Errorf("got %v", end)
		}
	}
}

// A stop ends the request like any other.
func TestAStopEndsTheRequestForABudget(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntext one\nusage 1 1")
	path := d.create("Budget")
	d.run(path, d.prompt(path, "one"), runner.RunCell)
	d.untilFinished(1)
	second := d.prompt(path, "two")
	if err := d.SetBudget(path, 1); err != nil {
		t.Fatal(err)
	}
	d.run(path, second, runner.RunCell)
	d.asks()
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("got %v", end)
	}
	if n := len(d.server.Requests()); n != 1 {
		t.Errorf("%d requests went out", n)
	}
}

// Children's costs count in the budget of their ancestor, even while only the children run.
func TestABudgetHoldsForTheWholeTree(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer when \"one\"\ntext one\nusage 1 1\nanswer when \"two\"\ntext two\nusage 1 1\nanswer when \"three\"\ntext three\nusage 1 1")
	root := d.create("Root")
	child := d.child(root, "Child")
	if err := d.SetBudget(root, 3); err != nil {
		t.Fatal(err)
	}
	d.run(child, d.prompt(child, "one"), runner.RunCell)
	d.untilFinished(1)
	d.run(child, d.prompt(child, "two"), runner.RunCell) // $2 of $3
	d.untilFinished(1)
	if v, err := d.Notebook(root); err != nil || v.State.Spent.Percent != 133 || v.State.Spent.Cost != "" {
		t.Errorf("%+v, %v", v.State.Spent, err)
	}
	cell := d.prompt(child, "three")
	d.run(child, cell, runner.RunCell)
	r := d.asks()
	if r.Agent != "Root" || r.Path != child || r.Cell != cell || r.Why != "This notebook and the agents that it started have cost $4.00 of their budget of $3.00." {
		t.Errorf("got %+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
		t.Errorf("got %v", end)
	}
}

// The budget of an agent whose tab is closed still applies to its children, and what the person
// allowed beyond it is not asked for again.
func TestABudgetHoldsWhileItsNotebookIsClosed(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer when \"one\"\ntext one\nusage 2 2\nanswer when \"two\"\ntext two\nusage 1 0\nanswer when \"three\"\ntext three\nusage 0 0")
	root := d.create("Root")
	child := d.child(root, "Child")
	if err := d.SetBudget(root, 3); err != nil {
		t.Fatal(err)
	}
	d.run(child, d.prompt(child, "one"), runner.RunCell)
	d.untilFinished(1)
	if err := d.CloseNotebook(root); err != nil {
		t.Fatal(err)
	}
	d.run(child, d.prompt(child, "two"), runner.RunCell)
	r := d.asks()
	if r.Agent != "Root" {
		t.Errorf("got %+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if err := d.CloseNotebook(root); err != nil {
		t.Fatal(err)
	}
	d.run(child, d.prompt(child, "three"), runner.RunCell)
	d.untilFinished(1)
	if n := len(d.server.Requests()); n != 3 {
		t.Errorf("%d requests went out", n)
	}
}

// If several children reach the end of a budget at once, the person is asked once.
func TestOneAsksForAll(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer when \"first\"\ntext one\nusage 10 10\nanswer always\ntext two\nusage 1 0")
	root := d.create("Root")
	if err := d.SetBudget(root, 20); err != nil {
		t.Fatal(err)
	}
	paths := []string{d.child(root, "A"), d.child(root, "B"), d.child(root, "C")}
	d.run(paths[0], d.prompt(paths[0], "first"), runner.RunCell)
	d.untilFinished(1)
	for _, path := range paths {
		d.run(path, d.prompt(path, "more"), runner.RunCell)
	}
	r := d.asks()
	waiting := map[string]bool{}
	for {
		for _, n := range d.Nodes() {
			if n.Action == "waiting for a budget" {
				waiting[n.File] = true
			}
		}
		if len(waiting) == 2 {
			break
		}
		d.until(is("treeChanged"))
	}
	if all, err := d.Approvals(); err != nil || len(all) != 1 {
		t.Errorf("%d requests, %v", len(all), err)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	for _, end := range d.untilFinished(3) {
		if end.Data["outcome"] != "done" {
			t.Errorf("got %v", end)
		}
	}
}
