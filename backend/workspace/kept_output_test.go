package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
)

const redCommand = `answer
tool shell {"command":"printf '\\033[31mred\\033[0m\\n'; exit 3"}
answer
text done`

func TestAResultKeepsItsColoursOverARestartAndTheModelGetsNone(t *testing.T) {
	t.Parallel()
	d := open(t, "", redCommand)
	path := d.create("Colours")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	got := d.results(path, cell)
	if len(got) != 1 || got[0].Facts == nil {
		t.Fatalf("%+v", got)
	}
	if f := got[0].Facts; f.Exit != 3 || f.Line != "red" || f.Output == "" {
		t.Errorf("the facts are %+v", f)
	}
	if got[0].Text != "red\n[exit status 3]" {
		t.Errorf("the model gets %q", got[0].Text)
	}
	name := got[0].Facts.Output
	want := "\x1b[31mred\x1b[0m\r\n"
	if raw, err := d.CommandOutput(path, name); err != nil || raw != want {
		t.Errorf("kept is %q, %v", raw, err)
	}
	other := d.create("Other")
	for _, c := range [][2]string{{other, name}, {path, "../" + name}, {path, ""}, {path, strings.ToUpper(name)}, {path, strings.Repeat("a", 26)}} {
		if raw, err := d.CommandOutput(c[0], c[1]); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v gives %q, %v", c, raw, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.onDisk(path), "u001b") {
		t.Error("the notebook's file holds sequences of a terminal")
	}
	again := d.again("")
	if raw, err := again.CommandOutput(path, again.results(path, cell)[0].Facts.Output); err != nil || raw != want {
		t.Errorf("after a restart kept is %q, %v", raw, err)
	}
	if err := again.Trash(path); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(again.state, "terminal", "*")); len(left) != 0 {
		t.Errorf("the notebook is gone, but %v is left", left)
	}
}

func TestACommandThatThePersonStopsIsStoppedAndNotFailed(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool shell {\"command\":\"echo so far; sleep 1000\"}\nanswer\ntext done")
	path := d.create("Stopped")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	id := ""
	d.until(func(e item) bool {
		task, _ := e.Data["task"].(map[string]any)
		if e.Type == "taskChanged" && task["bytes"] != 0.0 {
			id, _ = task["id"].(string)
		}
		return id != ""
	})
	if err := d.KillTask(id); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	got := d.results(path, cell)
	if len(got) != 1 || got[0].Facts == nil || got[0].Facts.End != "stopped" || got[0].Facts.Exit != 0 {
		t.Fatalf("%+v", got)
	}
	if raw, err := d.CommandOutput(path, got[0].Facts.Output); err != nil || raw != "so far\r\n" {
		t.Errorf("its output is %q, %v", raw, err)
	}
}

func TestACommandThatTheEndOfTheProgramCutOffIsStopped(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool shell {\"command\":\"echo so far; sleep 1000\"}")
	path := d.create("Killed")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		task, _ := e.Data["task"].(map[string]any)
		return e.Type == "taskChanged" && task["bytes"] != 0.0
	})
	d.untilOnDisk(path, "started_call")
	after := d.asAfterAKill("answer\ntext done")
	if tasks, err := after.Tasks(); err != nil || len(tasks) != 0 {
		t.Errorf("%+v runs, %v", tasks, err)
	}
	if _, err := after.Resume(path); err != nil {
		t.Fatal(err)
	}
	after.untilFinished(1)
	if got := after.results(path, cell); len(got) != 1 || got[0].Facts == nil || got[0].Facts.End != "stopped" {
		t.Errorf("%+v", got)
	}
}
