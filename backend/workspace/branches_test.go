package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/branches"
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
		t.Error("the fork lacks what the person gave to the original")
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

// A fork of a foreign notebook is just as foreign: it does not get what its file lists.
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

// The same holds for a copy, even after the person trusts the folder.
func TestADuplicateOfAForeignNotebookHasNoMoreThanIt(t *testing.T) {
	t.Parallel()
	folder, secret := elsewhere(t)
	given, shared := elsewhere(t)
	d := open(t, "", "")
	d.write("plan.mtm", `{"metadata":{"name":"Foreign","uuid":"11111111-2222-4333-8444-555555555555","allowed_uris":[".","`+folder+`"]},"context":[{"role":"user","content":"one"}]}`)
	d.untilTree("Foreign")
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if err := d.AllowFolder("plan.mtm", given); err != nil {
		t.Fatal(err)
	}
	copied, err := d.Duplicate("plan.mtm")
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{copied, d.forkAt("plan.mtm", d.promptOf("plan.mtm"), "Fork")} {
		if d.reads(made, secret) || !d.reads(made, shared) {
			t.Errorf("%s can read what the person did not give, or cannot read what they gave", made)
		}
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
		t.Error("a branch was made although nothing follows")
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["path"] != path || end.Data["outcome"] != "stopped" {
		t.Errorf("%v", end)
	}
}

// Earlier texts of a prompt are kept, compared and restored, and no model gets them.
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
	if err != nil || len(versions) != 1 || versions[0].Text != "same\nONE\n" || versions[0].Added != 2 || versions[0].Removed != 1 {
		t.Fatalf("%+v, %v", versions, err)
	}
	if strings.Contains(sent(), "ONE") {
		t.Error("a model got the earlier text")
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditEarlier, Cell: cell, Text: versions[0].At}}, "test"); err != nil {
		t.Fatal(err)
	}
	if got := sent(); got != before {
		t.Errorf("the request differs:\n%s\n%s", before, got)
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

// edge describes an edge of a family in short.
func edge(e branches.Edge) string {
	return fmt.Sprintf("%s %s %s %d", e.From, e.Kind, e.To, e.Cells)
}

func TestTheFamilyOfANotebook(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.write("a.mtm", `{"metadata":{"name":"A","uuid":"11111111-2222-4333-8444-555555555555","created_at":"2026-01-01T00:00:00Z"},"context":[{"role":"user","content":"one"},{"role":"assistant","content":"1"},{"role":"user","content":"two"},{"role":"assistant","content":"2"}]}`)
	d.untilTree("A")
	v, err := d.Notebook("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	fork := d.forkAt("a.mtm", v.Cells[0].ID, "Fork")
	d.prompt(fork, "another way")
	again := d.forkAt(fork, v.Cells[0].ID, "Fork of the fork")
	copied, err := d.Duplicate("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	d.create("Somebody else")
	if _, err := d.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditFork, Cell: v.Cells[0].ID}}, "test"); err != nil {
		t.Fatal(err)
	}
	branch := func() string {
		v, err := d.Notebook("a.mtm")
		if err != nil || len(v.State.Branches) != 1 {
			t.Fatalf("%+v, %v", v.State, err)
		}
		return "a.mtm#" + v.State.Branches[0].ID
	}()
	want := []string{
		"a.mtm branch " + branch + " 1", "a.mtm copy " + copied + " 1", "a.mtm fork " + fork + " 1", fork + " fork " + again + " 1",
	}
	for _, path := range []string{"a.mtm", fork, again, copied} {
		f, err := d.Family(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range f.Edges {
			got = append(got, edge(e))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || len(f.Members) != 5 || f.More != 0 {
			t.Errorf("of %s: %q, %+v", path, got, f.Members)
		}
		for _, m := range f.Members {
			switch m.ID {
			case "a.mtm":
				if m.Name != "A" || m.Cells != 1 || m.Status != agenttree.Standby {
					t.Errorf("%+v", m)
				}
			case fork:
				if m.Name != "Fork" || m.First != "another way" || m.Cells != 2 {
					t.Errorf("%+v", m)
				}
			case branch:
				if m.Cells != 2 || m.First != "two" || m.Name != "two" || m.Status != "" {
					t.Errorf("%+v", m)
				}
			}
		}
	}
	// The origin is gone; its descendants still belong together.
	d.untilOnDisk("a.mtm", "mutsumi_branches")
	if err := d.CloseNotebook("a.mtm"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(d.folder, "a.mtm")); err != nil {
		t.Fatal(err)
	}
	d.until(func(item) bool {
		return !slices.ContainsFunc(d.Nodes(), func(n agenttree.Node) bool { return n.File == "a.mtm" })
	})
	f, err := d.Family(fork)
	if err != nil || len(f.Members) != 4 || len(f.Edges) != 3 || !strings.HasPrefix(f.Members[0].ID, "gone:") {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := d.Family("none.mtm"); err == nil {
		t.Error("a missing notebook has a family")
	}
}

func TestTwoBranchesAreCompared(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext first\nusage 10 5\nanswer\ncall 0 w write_file {\"uri\":\"sub/a.txt\",\"content\":\"1\\n2\\n\"}\nusage 100 20\nanswer\ntext left\nusage 110 7\nanswer\ntext right\nusage 100 9\n")
	path := d.create("Base")
	first := d.prompt(path, "base")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	fork := d.forkAt(path, first, "Other")
	left, right := d.prompt(path, "same question"), d.prompt(fork, "same question")
	d.run(path, left, runner.RunCell)
	r := d.asks().ID
	if err := d.ResolveApproval(r, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	d.run(fork, right, runner.RunCell)
	d.untilFinished(1)
	v, err := d.Compare([]branches.Place{{Path: path}, {Path: fork}})
	if err != nil {
		t.Fatal(err)
	}
	if v.Common != 1 || !v.SamePrompt || len(v.Sides[0].Rows) != 1 || len(v.Sides[1].Rows) != 1 || v.Sides[0].Name != "Base" || v.Sides[1].Name != "Other" {
		t.Fatalf("%+v", v)
	}
	a, b := v.Sides[0].Rows[0], v.Sides[1].Rows[0]
	if a.Cell != left || a.Number != 2 || a.Prompt != "same question" || a.Answer != "left" || a.Calls != 1 || a.Failed != 0 || a.State != notebook.Done || a.Model != "scripted" {
		t.Errorf("%+v", a)
	}
	if a.Used.Input != 210 || a.Output != 27 || v.Sides[0].Used.Input != 210 || v.Sides[0].Output != 27 || b.Used.Input != 100 || b.Output != 9 || b.Answer != "right" {
		t.Errorf("%+v and %+v", a.Used, b.Used)
	}
	wrote := branches.FileChange{Path: "sub/a.txt", Added: 2, Writes: 1}
	if !slices.Equal(a.Files, []branches.FileChange{wrote}) || !slices.Equal(v.Sides[0].Files, a.Files) || len(b.Files) != 0 {
		t.Errorf("%+v and %+v", a.Files, b.Files)
	}
	// Compare with what the notebook itself puts aside.
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditFork, Cell: first}}, "test"); err != nil {
		t.Fatal(err)
	}
	now, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	aside := branches.Place{Path: path, Branch: now.State.Branches[0].ID}
	v, err = d.Compare([]branches.Place{aside, {Path: path}})
	if err != nil || v.Common != 1 || len(v.Sides[0].Rows) != 1 || v.Sides[0].Rows[0].Answer != "left" || v.Sides[0].Used.Input != 210 || len(v.Sides[1].Rows) != 0 || v.Sides[1].Rows == nil {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := d.Compare([]branches.Place{{Path: path, Branch: "none"}, aside}); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}
