package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

func (d *desk) forkAt(path, cell, name string) string {
	d.t.Helper()
	made, err := d.ForkNotebook(path, cell, name)
	if err != nil {
		d.t.Fatal(err)
	}
	return made
}

func TestANotebookIsForkedAtACell(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	folder, secret := elsewhere(t)
	path := d.create("Plan")
	if err := d.AllowFolder(path, folder); err != nil {
		t.Fatal(err)
	}
	first := d.prompt(path, "one")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	d.prompt(path, "two")
	third := d.prompt(path, "typed a moment ago") // not saved yet
	made := d.forkAt(path, third, "")
	text := d.onDisk(made)
	if !strings.Contains(text, "typed a moment ago") || !strings.Contains(text, "mutsumi_forked_from") || !strings.Contains(text, `"ok"`) {
		t.Errorf("it is %s", text)
	}
	if n := d.node(made); n.Name != "Plan 2" || n.UUID == d.node(path).UUID || filepath.Dir(made) != filepath.Dir(path) {
		t.Errorf("it is %+v", n)
	}
	if !d.reads(made, secret) || !d.Trust().Trusted {
		t.Error("it lacks what the person gave to the other")
	}
	short := d.forkAt(path, first, "Another way")
	if n := d.node(short); n.Name != "Another way" || strings.Contains(d.onDisk(short), "two") {
		t.Errorf("it is %+v: %s", n, d.onDisk(short))
	}
	d.run(short, d.prompt(short, "go on"), runner.RunCell)
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
		t.Errorf("%v", end)
	}
	if _, err := d.ForkNotebook(path, "none", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

// A fork of a foreign notebook is as foreign: what its file lists is not given to it.
func TestAForkOfAForeignNotebookHasNoMoreThanIt(t *testing.T) {
	t.Parallel()
	folder, secret := elsewhere(t)
	d := open(t, "", "")
	d.write("sub/plan.mtm", `{"metadata":{"name":"Foreign","uuid":"11111111-2222-4333-8444-555555555555","allowed_uris":[".","`+folder+`"]},"context":[{"role":"user","content":"one"}]}`)
	d.untilTree("Foreign")
	made := d.forkAt("sub/plan.mtm", d.promptOf("sub/plan.mtm"), "Mine")
	if made != "sub/plan-2.mtm" || d.reads(made, secret) || d.Trust().Trusted {
		t.Errorf("%s reads it, or the folder is trusted: %+v", made, d.Trust())
	}
	if again := d.forkAt("sub/plan.mtm", d.promptOf("sub/plan.mtm"), "Mine"); again != "sub/plan-3.mtm" {
		t.Errorf("it is %s", again)
	}
}

func TestANotebookIsForkedWhileItsAgentWorks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext half\nstall")
	path := d.create("Working")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilOnDisk(path, "half")
	made := d.forkAt(path, cell, "")
	if text := d.onDisk(made); strings.Contains(text, "half") || strings.Contains(text, `"process"`) || !strings.Contains(text, `"go"`) {
		t.Errorf("it is %s", text)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditFork, Cell: cell}}, "test"); err == nil {
		t.Error("nothing follows, and a branch was made")
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["path"] != path || end.Data["outcome"] != "stopped" {
		t.Errorf("%v", end)
	}
}

// What a prompt was before is kept, compared and brought back, and no model gets it.
func TestAPromptKeepsWhatItWas(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	path := d.create("Edited")
	cell := d.prompt(path, "same\nONE\n")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	next := d.prompt(path, "next")
	sent := func() string {
		t.Helper()
		d.run(path, next, runner.RunCell)
		d.untilFinished(1)
		all := d.server.Requests()
		return string(all[len(all)-1].Body)
	}
	before := sent()
	for _, text := range []string{"same\nTWO\n", "same\nTWO\nmore\n"} {
		if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: text}}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	versions, err := d.PromptHistory(path, cell)
	if err != nil || len(versions) != 1 || versions[0].Text != "same\nONE\n" || versions[0].Added != 2 || versions[0].Removed != 1 || len(versions[0].Hunks) != 1 {
		t.Fatalf("%+v, %v", versions, err)
	}
	if strings.Contains(sent(), "ONE") {
		t.Error("a model got the earlier text")
	}
	if _, err := d.RestorePrompt(path, cell, versions[0].At, "test"); err != nil {
		t.Fatal(err)
	}
	if got := sent(); got != before {
		t.Errorf("the request is another one:\n%s\n%s", before, got)
	}
	versions, err = d.PromptHistory(path, cell)
	if err != nil || len(versions) != 2 || versions[0].Text != "same\nTWO\nmore\n" || versions[0].Removed != 2 {
		t.Errorf("%+v, %v", versions, err)
	}
	d.untilOnDisk(path, "earlier_texts")
	if none, err := d.PromptHistory(path, next); err != nil || none == nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	if _, err := d.PromptHistory(path, "none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}
