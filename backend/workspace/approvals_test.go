package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
)

// asks waits until a request is in the inbox.
func (d *desk) asks() approval.Request {
	d.t.Helper()
	d.until(func(e item) bool { return e.Type == "approvalsChanged" && e.Data["removed"] == nil })
	waiting, err := d.Approvals()
	if err != nil || len(waiting) == 0 {
		d.t.Fatalf("no request waits: %v", err)
	}
	return waiting[len(waiting)-1]
}

func writeCall(path, text string) string {
	return `tool write_file {"uri":"` + path + `","content":"` + text + `"}` + "\n"
}

func TestAChangeWaitsForThePersonAndIsShown(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext I will write it.\n"+writeCall("new.txt", `one\ntwo\n`)+"answer\ntext done")
	path := d.create("Writer")
	cell := d.prompt(path, "write")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Tool != "write_file" || r.Path != path || r.Agent != "Writer" || r.Cell != cell || !strings.Contains(r.Why, "I will write it") ||
		len(r.Changes) != 1 || !r.Changes[0].New || !slices.ContainsFunc(r.Changes[0].Lines, func(l approval.Line) bool { return l.Op == "+" && l.Text == "two" }) {
		t.Errorf("got %+v", r)
	}
	if n := d.Nodes()[0]; !slices.Contains(n.Marks, agenttree.NeedsYou) || n.Status != agenttree.Running {
		t.Errorf("node %+v", n)
	}
	if s, err := d.Snapshot(); err != nil || len(s.Approvals) != 1 {
		t.Errorf("the snapshot lacks it: %v", err)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "new.txt")); err == nil {
		t.Fatal("it was written before anybody allowed it")
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.onDisk("new.txt"); got != "one\ntwo\n" {
		t.Errorf("got %q", got)
	}
	if n := d.Nodes()[0]; len(n.Marks) != 0 {
		t.Errorf("node %+v", n)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); !fault.Is(err, fault.NotFound) {
		t.Errorf("decided twice: %v", err)
	}
}

func TestARejectionReachesTheModelWithItsReason(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("no.txt", "x")+"answer when \"wrong place\"\ntext I see.")
	path := d.create("Rejected")
	cell := d.prompt(path, "write")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if err := d.ResolveApproval(r.ID, approval.Decision{Reason: "wrong place"}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.Contains(got, "wrong place") || !strings.HasSuffix(got, "I see.") {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "no.txt")); err == nil {
		t.Error("it was written all the same")
	}
}

func TestAGrantServesTheNextCallAndCanBeRevoked(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("out/a.txt", "a")+"answer\n"+writeCall("out/b.txt", "b")+"answer\ntext done\nanswer\n"+writeCall("out/c.txt", "c"))
	path := d.create("Granted")
	cell := d.prompt(path, "write")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Notebook, Patterns: []string{"out/**"}}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1) // the second write must not ask
	if d.onDisk("out/b.txt") != "b" {
		t.Error("the grant did not count")
	}
	rules, err := d.ApprovalRules(path)
	if err != nil || len(rules) != 1 || rules[0].Pattern != "out/**" {
		t.Fatalf("rules %+v, %v", rules, err)
	}
	if err := d.RevokeApprovalRule(rules[0].ID); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "more"), runner.RunCell)
	again := d.asks()
	if again.Changes[0].Path != "out/c.txt" {
		t.Errorf("got %+v", again)
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	end := d.untilFinished(1)[0]
	if waiting, _ := d.Approvals(); len(waiting) != 0 || end.Data["outcome"] != "stopped" {
		t.Errorf("after a stop %d wait, %v", len(waiting), end)
	}
}

func TestAStopEndsAWaitForThePerson(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("a.txt", "a"))
	path := d.create("Stop")
	cell := d.prompt(path, "write")
	d.run(path, cell, runner.RunCell)
	d.asks()
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.Contains(got, "interrupted") {
		t.Errorf("the call has no result: %q", got)
	}
}
