package workspace_test

import (
	"slices"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// started lists the agents that each call in a cell's answer started.
func (d *desk) started(path, cell string) map[string][]notebook.ChildView {
	d.t.Helper()
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || len(cells) != 1 {
		d.t.Fatalf("cell %s: %d cells, %v", cell, len(cells), err)
	}
	all := map[string][]notebook.ChildView{}
	for _, m := range cells[0].Body.Answer {
		for _, f := range m.Forks {
			if slices.IndexFunc(m.ToolCalls, func(c notebook.ToolCallView) bool { return c.ID == f.Call }) < 0 {
				d.t.Errorf("the message with fork %+v has no such call", f)
			}
			all[f.Call] = append(all[f.Call], f.Children...)
		}
	}
	return all
}

func TestTheViewNamesTheChildrenOfACall(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("Same: do alpha", "Same: do beta"))+"answer always when \"do \"\nstall\n")
	path := d.create("Parent")
	cell := d.prompt(path, "PARENT")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if got := d.started(path, cell); len(got) > 0 {
		t.Errorf("before any agent was started: %+v", got)
	}
	// Both have the same name: only their uuids distinguish them.
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	var put item
	d.until(func(e item) bool {
		if e.Type == "messagePut" && e.Data["path"] == path && e.Data["message"].(map[string]any)["forks"] != nil {
			put = e
		}
		return put.Type != ""
	})
	if put.Data["cell"] != cell || put.Data["index"] != 0.0 {
		t.Errorf("got message %v of %v", put.Data["index"], put.Data["cell"])
	}
	var nodes []agenttree.Node
	for _, n := range d.Nodes() {
		if n.Name == "Same" {
			nodes = append(nodes, n)
		}
	}
	check := func(d *desk, when string) {
		t.Helper()
		all := d.started(path, cell)
		if len(all) != 1 || len(nodes) != 2 {
			t.Fatalf("%s: %+v of %+v", when, all, nodes)
		}
		for _, children := range all {
			if len(children) != 2 || children[0] == children[1] {
				t.Fatalf("%s: %+v", when, children)
			}
			for _, c := range children {
				if c.Name != "Same" || !slices.ContainsFunc(nodes, func(n agenttree.Node) bool { return n.UUID == c.UUID }) {
					t.Errorf("%s: %+v is not among %+v", when, c, nodes)
				}
			}
		}
	}
	check(d, "while they are at work")
	again := d.asAfterAKill("")
	check(again, "after a restart")
}

func TestARunThatStartedNobodyShowsNoForksOfTheOneBefore(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do alpha"))+saying("PARENT", "text One is done.")+
		finishing("do alpha", "alpha")+saying("PARENT", forkCall("B: do beta"))+saying("PARENT", "text Nobody."))
	path, cell := d.fork()
	d.untilOver(path)
	first := d.started(path, cell)
	if len(first) != 1 {
		t.Fatalf("the first run: %+v", first)
	}
	d.run(path, cell, runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	if got := d.started(path, cell); len(got) > 0 {
		t.Errorf("the call has the place, and perhaps the id, of the previous one: %+v", got)
	}
	v, err := d.Notebook(path)
	if err != nil || len(v.State.Branches) != 1 {
		t.Fatalf("%+v, %v", v.State.Branches, err)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditRestore, Branch: v.State.Branches[0].ID}}, ""); err != nil {
		t.Fatal(err)
	}
	if got := d.started(path, cell); len(got) != 1 {
		t.Errorf("after putting aside and restoring: %+v, want %+v", got, first)
	}
}
