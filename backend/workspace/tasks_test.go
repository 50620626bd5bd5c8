package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
	"mutsumi/backend/waittest"
)

func TestACommandIsAskedForAndItsOutputSeen(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool shell {\"command\":\"echo hello && echo made > made.txt\"}\nanswer\ntext done")
	path := d.create("Shell")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Tool != "shell" || r.Command == nil || len(r.Suggestions) == 0 {
		t.Fatalf("got %+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.Contains(got, "hello") {
		t.Errorf("got %q", got)
	}
	if got := d.onDisk("made.txt"); got != "made\n" {
		t.Errorf("got %q", got)
	}
}

func TestABackgroundCommandIsListedAndKilled(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool shell {\"command\":\"echo started; sleep 1000\",\"background\":true}\nanswer\ntext going")
	path := d.create("Background")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	tasks, err := d.Tasks()
	if err != nil || len(tasks) != 1 || !tasks[0].Background || tasks[0].EndedMs != 0 {
		t.Fatalf("got %+v, %v", tasks, err)
	}
	waittest.Until(t, "its output is there", func() bool {
		out, err := d.TaskOutput(tasks[0].ID, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(out.Raw, "started")
	})
	if err := d.KillTask(tasks[0].ID); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		task, _ := e.Data["task"].(map[string]any)
		return e.Type == "taskChanged" && task["endedMs"] != 0.0
	})
	if err := d.RemoveTask(tasks[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := d.KillTask(tasks[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

func TestSimulateGivesTheReason(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Simulate")
	v, err := d.Simulate(path, "go test ./... && rm -rf /")
	if err != nil || v.Outcome != approval.Ask || len(v.Parts) < 2 {
		t.Errorf("got %+v, %v", v, err)
	}
	if err := d.AddApprovalRule("", approval.Rule{Tool: "shell", Pattern: "rm*", Deny: true, Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	if v, err = d.Simulate(path, "go test ./... && rm -rf /"); err != nil || v.Outcome != approval.Deny {
		t.Errorf("got %+v, %v", v, err)
	}
}
