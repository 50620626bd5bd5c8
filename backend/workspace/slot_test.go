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
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

func needsYou(n agenttree.Node) bool {
	return runs(n) && slices.Contains(n.Marks, agenttree.NeedsYou) && !queued(n)
}

// queuedAgain reports whether an agent has begun and waits for a slot to go on.
func queuedAgain(n agenttree.Node) bool {
	return runs(n) && queued(n) && !slices.Contains(n.Marks, agenttree.NeedsYou) && n.Action == "waiting for its turn"
}

// decide answers an agent's waiting request.
func (d *desk) decide(name string, decision approval.Decision) {
	d.t.Helper()
	file := d.agentNamed(name, there).File
	pending, err := d.Approvals()
	i := slices.IndexFunc(pending, func(r approval.Request) bool { return r.Path == file })
	if err != nil || i < 0 {
		d.t.Fatalf("no request of %s waits: %v", name, err)
	}
	if err := d.ResolveApproval(pending[i].ID, decision); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) isThere(path string) bool {
	_, err := os.Stat(filepath.Join(d.folder, path))
	return err == nil
}

// With one slot, an agent that waits for an approval passes the slot to the next one, and does what
// was allowed when it has a slot again, before an agent that never began.
func TestWhoWaitsForAnApprovalLeavesItsSlot(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b", "C: do c", "D: do d"))+saying("PARENT", "text ok")+
		saying("do a", writeCall("a.txt", "a"))+finishing("do a", "a")+saying("do b", writeCall("b.txt", "b"))+finishing("do b", "b")+
		saying("do c", "text c\nstall")+finishing("do d", "d"))
	limit(t, d, 1)
	path, cell := d.fork()
	d.agentNamed("A", needsYou)
	d.agentNamed("B", needsYou)
	c := d.agentNamed("C", doing("answering"))
	d.decide("A", approval.Decision{Allow: true})
	d.agentNamed("A", queuedAgain)
	if d.isThere("a.txt") {
		t.Error("A went on without a slot")
	}
	d.decide("B", approval.Decision{Reason: "not that"})
	d.agentNamed("B", queuedAgain)
	if n := d.agentNamed("D", there); runs(n) || !queued(n) {
		t.Errorf("D went before them: %+v", n)
	}
	if err := d.Stop(c.File); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range d.until(func(e item) bool { return e.Type == "runFinished" && e.Data["path"] == path }) {
		if e.Type == "runFinished" && e.Data["path"] != path {
			v, err := d.Notebook(e.Data["path"].(string))
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, v.Meta.Name)
		}
	}
	if got := strings.Join(order, " "); got != "C A B D" || !d.isThere("a.txt") || d.isThere("b.txt") {
		t.Errorf("they ended in the order %s", got)
	}
	if got := d.answer(path, cell); !strings.Contains(got, "4 children: 3 finished, 1 stopped by the person.") {
		t.Errorf("got %s", got)
	}
}

// Four agents that wait for an answer do not block a fifth, and the person's answer is in the
// notebook at once, whenever the agent may go on.
func TestFourThatWaitForAnAnswerLeaveRoomForTheFifth(t *testing.T) {
	t.Parallel()
	children, script := []string{}, ""
	for i := range 5 {
		children = append(children, fmt.Sprintf("Q%d: question %d", i, i))
		script += saying(fmt.Sprintf("question %d", i), askCall)
		if i > 0 {
			script += finishing(fmt.Sprintf("question %d", i), "heard")
		}
	}
	d := open(t, "", saying("PARENT", forkCall(append(children, "W1: toil", "W2: toil", "W3: toil", "W4: toil", "Last: begin late")...))+
		script+"answer always when \"toil\"\nstall\n"+finishing("begin late", "w"))
	path, cell := d.fork()
	for i := range 5 {
		d.agentNamed(fmt.Sprintf("Q%d", i), needsYou)
	}
	w := d.agentNamed("W4", runs)
	for i := range 5 {
		d.decide(fmt.Sprintf("Q%d", i), approval.Decision{Allow: true, Answer: fmt.Sprintf("blue %d", i)})
		n := d.agentNamed(fmt.Sprintf("Q%d", i), queuedAgain)
		if got := d.answer(n.File, d.promptOf(n.File)); !strings.Contains(got, fmt.Sprintf("The person answers: blue %d", i)) {
			t.Errorf("Q%d: %s", i, got)
		}
	}
	// Stop ends that wait like any other, and the person's answer stays.
	q := d.agentNamed("Q0", there)
	if err := d.Stop(q.File); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(q.File); outcome != "stopped" || !strings.HasSuffix(d.answer(q.File, d.promptOf(q.File)), "blue 0") {
		t.Errorf("ended %s: %s", outcome, d.answer(q.File, d.promptOf(q.File)))
	}
	if n := d.agentNamed("Q0", there); len(n.Marks) > 0 {
		t.Errorf("a stopped one still waits: %+v", n)
	}
	// While paused, they take their slots and send nothing.
	if err := d.SetPaused(true); err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(w.File); err != nil {
		t.Fatal(err)
	}
	d.agentNamed("Q1", doing("paused"))
	d.SetPaused(false)
	d.agentNamed("Q4", finished)
	d.agentNamed("Last", finished)
	if err := d.StopTree(path); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	if got := d.outcome(path, cell); got != notebook.Stopped {
		t.Errorf("the parent ended %s", got)
	}
}

// While an agent with a granted call waits for its turn, another one writes the same file: the
// first one asks before it overwrites that.
func TestACallThatWaitedForASlotIsLookedAtOnceMore(t *testing.T) {
	t.Parallel()
	write := `tool shell {"command":"rm -f gone.txt; echo a > same.txt"}` + "\n"
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b"))+"answer always when \"PARENT\"\ntext ok\n"+
		saying("do a", write)+finishing("do a", "a")+
		saying("do b", "wait b\n"+writeCall("same.txt", "b"))+"answer always when \"do b\"\nstall")
	limit(t, d, 1)
	if err := d.AddApprovalRule("", approval.Rule{Tool: "write_file", Pattern: "**", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	d.fork()
	d.agentNamed("A", needsYou)
	b := d.agentNamed("B", runs)
	d.decide("A", approval.Decision{Allow: true})
	d.agentNamed("A", queuedAgain)
	d.server.Let("b")
	d.until(func(item) bool { return d.isThere("same.txt") })
	if err := d.Stop(b.File); err != nil {
		t.Fatal(err)
	}
	d.agentNamed("A", needsYou)
	pending, err := d.Approvals()
	if err != nil || len(pending) != 1 || len(pending[0].Conflicts) != 1 || pending[0].Conflicts[0].Agent != "B" {
		t.Fatalf("%+v, %v", pending, err)
	}
	d.decide("A", approval.Decision{Allow: true})
	d.agentNamed("A", finished)
	if got := d.onDisk("same.txt"); got != "a\n" {
		t.Errorf("got %q", got)
	}
}

// An agent that asks for a higher budget releases its slot as well.
func TestWhoWaitsForABudgetLeavesItsSlot(t *testing.T) {
	t.Parallel()
	// Output costs nothing, so that no estimate of a streaming answer reaches the raised budget.
	d := pricedAt(t, saying("PARENT", forkCall("A: do a", "B: do b")+"usage 2 0")+"answer always when \"PARENT\"\ntext ok\nusage 0 0\n"+
		saying("do a", "text looking\ntool ls {}\nusage 2 0")+finishing("do a", "a")+"usage 0 0\n"+finishing("do b", "b")+"usage 0 0\n",
		settings.ModelView{InputPrice: 1e6})
	limit(t, d, 1)
	path := d.create("Parent")
	if err := d.SetBudget(path, 3); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "PARENT"), runner.RunCell)
	d.allow()
	d.agentNamed("A", needsYou)
	d.agentNamed("B", doing("waiting for a budget")) // again with the same slot, which was free and is free again
	d.decide("A", approval.Decision{Allow: true})
	d.agentNamed("A", finished)
	d.agentNamed("B", finished)
}
