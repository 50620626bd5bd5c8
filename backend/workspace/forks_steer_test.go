package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

func TestAChildThatIsDeletedStoppedOrRunAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("Gone: do gone", "Stopped: do stopped", "Again: do again", "Trash: do trash"))+saying("PARENT", "text ok")+
		saying("do gone", "text half\nstall")+saying("do stopped", "text some\nstall")+saying("do trash", "text little\nstall")+
		saying("do again", "text first try")+saying("do again", "text second try\nstall")+finishing("do again", "third try"))
	path, cell := d.fork()
	answers := doing("answering") // a child that only runs may not have asked the model yet
	gone, stopped, again, trash := d.agentNamed("Gone", answers), d.agentNamed("Stopped", answers), d.agentNamed("Again", there), d.agentNamed("Trash", answers)
	prompt := d.promptOf(again.File)
	d.agentNamed("Parent", doing("waiting for 3 of 4 children"))
	d.run(again.File, prompt, runner.RunCell) // it counts again
	d.agentNamed("Parent", doing("waiting for 4 children"))
	if err := d.Stop(stopped.File); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(d.folder, gone.File)); err != nil {
		t.Fatal(err)
	}
	if err := d.Trash(trash.File); err != nil {
		t.Fatal(err)
	}
	d.agentNamed("Parent", doing("waiting for 1 of 4 children"))
	d.agentNamed("Again", doing("answering"))
	if err := d.Stop(again.File); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	got := d.answer(path, cell)
	for _, want := range []string{"1. Gone: deleted", "2. Stopped: stopped by the person", "3. Again: stopped by the person", "second try", "4. Trash: deleted"} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
	d.run(again.File, prompt, runner.RunCell)
	d.agentNamed("Again", finished)
	if d.answer(path, cell) != got {
		t.Error("a delivered report changed")
	}
}

func TestAStoppedParentLeavesItsChildrenAndContinueJoinsThem(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b"))+saying("PARENT", "text joined again")+
		finishing("do a", "a is done")+saying("do b", "text working\nwait b\ntool task_finish {\"summary\":\"b is done\"}"))
	path, cell := d.fork()
	d.agentNamed("A", finished)
	d.agentNamed("Parent", doing("waiting for 1 of 2 children"))
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(path); outcome != "stopped" {
		t.Errorf("the parent ended %s", outcome)
	}
	if got := d.answer(path, cell); !strings.HasSuffix(got, "interrupted by the person") {
		t.Errorf("got %s", got)
	}
	d.agentNamed("B", runs)
	if _, err := d.Continue(path, cell); err != nil {
		t.Fatal(err)
	}
	d.agentNamed("Parent", doing("waiting for 1 of 2 children"))
	d.server.Let("b")
	if outcome := d.untilOver(path); outcome != "done" {
		t.Errorf("ended %s", outcome)
	}
	got := d.answer(path, cell)
	if !strings.Contains(got, "2 children: 2 finished.") || !strings.Contains(got, "a is done") || !strings.Contains(got, "b is done") || !strings.HasSuffix(got, "joined again") || strings.Contains(got, "interrupted by") {
		t.Errorf("got %s", got)
	}
}

func TestAWholeTreeIsStopped(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("Mid: MIDDLE", "B: do b", "C: do c"))+
		saying("MIDDLE", forkCall("Leaf: LEAF"))+"answer always\ntext x\nstall")
	limit(t, d, 2)
	d.alike()
	path, cell := d.fork()
	d.allow() // the fork of the middle agent: its slot goes to the next one
	mid := d.agentNamed("Mid", doing("waiting for its child"))
	d.agentNamed("B", runs)
	d.agentNamed("C", runs)
	d.agentNamed("Leaf", queued)
	other := d.create("Other")
	d.run(other, d.prompt(other, "elsewhere"), runner.RunCell)
	if err := d.StopTree(path); err != nil {
		t.Fatal(err)
	}
	ends := map[string]string{}
	for _, e := range d.untilFinished(5) {
		ends[e.Data["path"].(string)] = e.Data["outcome"].(string)
	}
	for file, outcome := range ends {
		if outcome != "stopped" || file == other {
			t.Errorf("%s ended %s", file, outcome)
		}
	}
	if n := d.agentNamed("Other", there); !runs(n) {
		t.Error("an agent of another tree was stopped")
	}
	leaf := d.agentNamed("Leaf", there)
	if queued(leaf) || d.outcome(leaf.File, d.promptOf(leaf.File)) != notebook.Stopped {
		t.Errorf("the waiting agent: %+v", leaf)
	}
	if ends[mid.File] == "" {
		t.Error("the middle agent goes on")
	}
	// Continue reports the state and starts nobody again.
	if _, err := d.Continue(path, cell); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "messagePut" && e.Data["path"] == path })
	if got := d.answer(path, cell); !strings.Contains(got, "3 children: 3 stopped by the person.") {
		t.Errorf("got %s", got)
	}
}

// A child that waits for a slot does not need one if the person starts it.
func TestThePersonStartsAQueuedChildByHand(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b"))+saying("PARENT", "text ok")+
		saying("do a", "wait a\ntext a")+finishing("do b", "b by hand"))
	limit(t, d, 1)
	path, cell := d.fork()
	d.agentNamed("A", runs)
	b := d.agentNamed("B", queued)
	d.run(b.File, d.promptOf(b.File), runner.RunCell)
	d.agentNamed("B", finished)
	if a := d.agentNamed("A", there); !runs(a) {
		t.Error("it waited for the other one")
	}
	d.server.Let("a")
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.Contains(got, "b by hand") {
		t.Errorf("got %s", got)
	}
}

func TestPausedAgentsWaitBeforeTheirNextRequest(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool ls {}\nanswer\ntext done\nanswer\ntext never")
	if err := d.SetPaused(true); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Snapshot(); err != nil || !s.Paused {
		t.Errorf("the snapshot does not say so: %v", err)
	}
	d.until(func(e item) bool { return e.Type == "pausedChanged" && e.Data["paused"] == true })
	path := d.create("Paused")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.agentNamed("Paused", doing("paused"))
	if n := len(d.server.Requests()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
	if err := d.SetPaused(false); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(path); outcome != "done" {
		t.Errorf("ended %s", outcome)
	}
	d.SetPaused(true)
	cell := d.prompt(path, "again")
	d.run(path, cell, runner.RunCell)
	d.agentNamed("Paused", doing("paused"))
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(path); outcome != "stopped" {
		t.Errorf("ended %s", outcome)
	}
	d.SetPaused(false)
	d.run(path, cell, runner.RunCell)
	d.untilOver(path)
}

// A failed request is not retried while the agents are paused, and nothing says that it is.
func TestPausedAgentsDoNotTryAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nheader Retry-After: 60\nfail 429 Slow down\nanswer\ntext fine")
	path := d.create("Paused")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.until(is("runWaiting"))
	if err := errors.Join(d.SetPaused(true), d.RetryNow(path)); err != nil {
		t.Fatal(err)
	}
	for _, e := range d.until(func(e item) bool {
		return e.Type == "timelineChanged" && strings.Contains(fmt.Sprint(e.Data), "kind:waiting")
	}) {
		if e.Type == "runWaiting" {
			t.Errorf("the wait is over: %v", e.Data)
		}
	}
	if n := d.agentNamed("Paused", doing("paused")); !runs(n) {
		t.Errorf("got %+v", n)
	}
	if n := len(d.server.Requests()); n != 1 {
		t.Errorf("%d requests went out", n)
	}
	if err := d.SetPaused(false); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "runWaiting" && e.Data["untilMs"] == 0.0 })
	if outcome := d.untilOver(path); outcome != "done" || !strings.HasSuffix(d.answer(path, cell), "fine") {
		t.Errorf("ended %s: %s", outcome, d.answer(path, cell))
	}
}
