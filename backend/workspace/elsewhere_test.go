package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

const elsewhereFolder = "MUTSUMI_TEST_ELSEWHERE_FOLDER"

// An agent that another process runs is shown as running there. Nobody else can run it until that
// process has ended.
func TestAnAgentRunsInAnotherProcess(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(elsewhereFolder); folder != "" {
		d := open(t, folder, "answer\ntext half\nstall")
		path := d.create("Elsewhere")
		d.run(path, d.prompt(path, "go"), runner.RunCell)
		<-time.After(5 * time.Minute)
		os.Exit(1) // it was not killed
	}
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAnAgentRunsInAnotherProcess$")
	cmd.Env = append(os.Environ(), elsewhereFolder+"="+folder, "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) { // we get no events from another process
		files, _ := filepath.Glob(filepath.Join(folder, ".mutsumi", "*.mtm"))
		if len(files) == 1 {
			if b, _ := os.ReadFile(files[0]); strings.Contains(string(b), `"half"`) {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the agent does not run")
		}
	}
	d := open(t, folder, "answer\ntext \" and half\"")
	n := d.agentNamed("Elsewhere", runs)
	if len(n.Marks) != 0 || !strings.HasPrefix(n.Action, "running in another program (process ") {
		t.Errorf("%+v", n)
	}
	cell := d.promptOf(n.File)
	if got := d.outcome(n.File, cell); got != notebook.Elsewhere {
		t.Errorf("the cell says %s", got)
	}
	for name, try := range map[string]func() error{
		"resume": func() error { _, err := d.Resume(n.File); return err },
		"run":    func() error { _, err := d.Run(n.File, cell, runner.RunCell); return err },
		"stop":   func() error { return d.Stop(n.File) },
	} {
		if err := try(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "another program") {
			t.Errorf("%s: %v", name, err)
		}
	}
	cmd.Process.Kill()
	d.agentNamed("Elsewhere", func(n agenttree.Node) bool {
		return n.Status == agenttree.Standby && slices.Contains(n.Marks, agenttree.Interrupted)
	})
	if _, err := d.Resume(n.File); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(n.File); outcome != "done" || d.answer(n.File, cell) != "assistant: half"+wentOn+"assistant:  and half" {
		t.Errorf("ended %s with %q", outcome, d.answer(n.File, cell))
	}
}
