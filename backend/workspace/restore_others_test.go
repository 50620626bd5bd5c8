package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/checkpoint"
	"mutsumi/backend/runner"
)

// waitFor is a command that waits until a file exists.
func waitFor(name string) string { return "while [ ! -e " + name + " ]; do sleep 0.02; done" }

func (d *desk) untilThere(name string) {
	d.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		if _, err := os.Stat(filepath.Join(d.folder, name)); err == nil {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("%s was never made", name)
		}
		time.Sleep(5 * time.Millisecond) // a running command causes no events
	}
}

// planned describes a plan in short.
func planned(p checkpoint.Plan) string {
	var out []string
	for _, f := range p.Files {
		s := filepath.Base(f.Path) + " " + string(f.Action)
		if f.Uncertain {
			s += "?"
		}
		if f.Conflict {
			s += "!"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func (d *desk) plan(path, cell string) checkpoint.Plan {
	d.t.Helper()
	p, err := d.RestorePlan(path, cell)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// While an agent's command runs, another agent is asked and answers: its notebook is not among the
// files to restore.
func TestARestoreLeavesTheConversationsOfOtherAgents(t *testing.T) {
	t.Parallel()
	d := open(t, "", `answer when "worker"`+"\n"+`tool shell {"command":"echo two >> code.txt; touch begun; `+waitFor("go")+`"}`+"\n"+
		`answer when "worker"`+"\ntext done\n"+`answer when "question"`+"\ntext the answer")
	d.write("code.txt", "one\n")
	d.write(".gitignore", "begun\ngo\n")
	worker, other := d.create("Worker"), d.create("Other")
	d.commit()
	cell := d.prompt(worker, "worker")
	d.run(worker, cell, runner.RunCell)
	d.allow()
	d.untilThere("begun")
	asked := d.prompt(other, "question")
	d.run(other, asked, runner.RunCell)
	d.untilFinished(1)
	d.untilOnDisk(other, "the answer")
	d.write("go", "")
	d.untilFinished(1)

	if use, err := d.FileUse(worker); err != nil || len(use) != 1 || use[0].File != "code.txt" || !use[0].Wrote {
		t.Errorf("use %+v, %v", use, err)
	}
	changes, err := d.Changes(worker)
	if err != nil || len(changes) != 1 || changes[0].Path != "code.txt" {
		t.Errorf("changes %+v, %v", changes, err)
	}
	plan := d.plan(worker, cell)
	if got := planned(plan); got != "code.txt rewrite" {
		t.Errorf("the plan is %s", got)
	}
	if _, err := d.Restore(worker, cell, plan.Token, nil, false); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("code.txt"); got != "one\n" {
		t.Errorf("code.txt is %q", got)
	}
	if got := d.answer(other, asked); got != "assistant: the answer" || !strings.Contains(d.onDisk(other), "the answer") {
		t.Errorf("the other agent's answer is %q, on disk %s", got, d.onDisk(other))
	}
}

// While an agent's command runs, the person saves a file in an editor, and a command of another
// agent makes one: both stay unless the person chooses otherwise.
func TestARestoreLeavesWhatOthersDidDuringACommand(t *testing.T) {
	t.Parallel()
	d := open(t, "", `answer when "worker"`+"\n"+`tool shell {"cmd":"echo two >> code.txt; touch begun; `+waitFor("../go")+`","cwd":"src"}`+"\n"+
		`answer when "worker"`+"\ntext done\n"+`answer when "second"`+"\n"+`tool shell {"command":"echo b > b.txt"}`+"\n"+`answer when "second"`+"\ntext made")
	d.write("src/code.txt", "one\n")
	d.write("notes.txt", "old\n")
	d.write(".gitignore", "begun\ngo\n")
	d.commit()
	worker, second := d.create("Worker"), d.create("Second")
	cell, other := d.prompt(worker, "worker"), d.prompt(second, "second")
	d.run(worker, cell, runner.RunCell)
	d.allow()
	d.untilThere("src/begun")
	d.write("notes.txt", "an hour of work\n")
	d.run(second, other, runner.RunCell)
	d.allow()
	d.untilFinished(1)
	d.write("go", "")
	d.untilFinished(1)

	if use, err := d.FileUse(worker); err != nil || len(use) != 1 || use[0].File != "src/code.txt" || !use[0].Wrote {
		t.Errorf("a file that only changed meanwhile counts as the agent's: %+v, %v", use, err)
	}
	if use, err := d.FileUse(second); err != nil || len(use) != 1 || use[0].File != "b.txt" || len(use[0].Others) != 1 || !use[0].Others[0].Uncertain {
		t.Errorf("of the other agent %+v, %v", use, err)
	}
	plan := d.plan(worker, cell)
	if got := planned(plan); got != "b.txt remove?, notes.txt rewrite?, code.txt rewrite" || plan.Files[0].By == "" {
		t.Errorf("the plan is %s, %+v", got, plan.Files)
	}
	applied, err := d.Restore(worker, cell, plan.Token, nil, false)
	if err != nil || len(applied.Restored) != 1 {
		t.Fatalf("%+v, %v", applied, err)
	}
	if got := d.onDisk("notes.txt") + d.onDisk("b.txt") + d.onDisk("src/code.txt"); got != "an hour of work\nb\none\n" {
		t.Errorf("now there is %q", got)
	}
	if got := planned(d.plan(second, other)); got != "b.txt remove, notes.txt rewrite?" && got != "b.txt remove" {
		t.Errorf("the other agent's plan is %s", got)
	}
	plan = d.plan(worker, cell)
	choices := map[string]checkpoint.Choice{filepath.Join(d.folder, "notes.txt"): checkpoint.Take}
	applied, err = d.Restore(worker, cell, plan.Token, choices, false)
	if err != nil || d.onDisk("notes.txt") != "old\n" {
		t.Fatalf("by choice: %+v, %v", applied, err)
	}
	if _, err := d.UndoRestore(worker, applied.ID); err != nil || d.onDisk("notes.txt") != "an hour of work\n" {
		t.Errorf("the undo: %v", err)
	}
}

// killedRestore is set in the process that will be killed.
const killedRestore = "MUTSUMI_TEST_KILLED_RESTORE"

// After the program was killed in the middle of a run, it still knows what the agent overwrote,
// with a tool and with a command, and can restore it.
func TestAfterAKillTheChangesAreKnown(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(killedRestore); folder != "" {
		changeUntilKilled(t, folder)
	}
	folder := t.TempDir()
	d := open(t, folder, "")
	for _, name := range []string{"tool.txt", "code.txt", "gone.txt"} {
		d.write(name, "one\n")
	}
	d.write(".gitignore", "begun\n.mutsumi/\n")
	d.commit()
	d.write("mine.txt", "nobody else has this\n")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAfterAKillTheChangesAreKnown$")
	cmd.Env = append(os.Environ(), killedRestore+"="+folder, "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	d.untilThere("begun")
	files, err := filepath.Glob(filepath.Join(folder, ".mutsumi", "*.mtm"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	d.untilOnDisk(filepath.Join(".mutsumi", filepath.Base(files[0])), "touch begun")
	if err := cmd.Process.Kill(); err != nil { // SIGKILL: the process cannot clean up
		t.Fatal(err)
	}
	cmd.Wait()

	again := open(t, folder, "")
	path := again.Nodes()[0].File
	changes, err := again.Changes(path)
	var names []string
	for _, c := range changes {
		names = append(names, c.Path)
	}
	if got := strings.Join(names, " "); err != nil || got != "code.txt gone.txt made.txt mine.txt tool.txt" {
		t.Fatalf("changes %s, %v", got, err)
	}
	cell := again.promptOf(path)
	plan := again.plan(path, cell)
	if got := planned(plan); got != "code.txt rewrite?, gone.txt recreate?, made.txt remove?, mine.txt rewrite?, tool.txt rewrite" {
		t.Errorf("the plan is %s, %q", got, plan.Notes)
	}
	choices := map[string]checkpoint.Choice{}
	for _, f := range plan.Files {
		choices[f.Path] = checkpoint.Take
	}
	applied, err := again.Restore(path, cell, plan.Token, choices, false)
	if err != nil || len(applied.Restored) != 5 {
		t.Fatalf("%+v, %v", applied, err)
	}
	if got := again.onDisk("tool.txt") + again.onDisk("code.txt") + again.onDisk("gone.txt") + again.onDisk("mine.txt"); got != "one\none\none\nnobody else has this\n" {
		t.Errorf("now there is %q", got)
	}
}

// changeUntilKilled is the process that is killed. It does not return.
func changeUntilKilled(t *testing.T, folder string) {
	d := open(t, folder, "answer\ntool read_file {\"uri\":\"tool.txt\"}\nanswer\n"+writeCall("tool.txt", `two\n`)+
		`answer when "tool.txt"`+"\n"+`tool shell {"command":"echo two > code.txt; rm gone.txt; echo two > mine.txt; echo two > made.txt; touch begun; sleep 1000"}`)
	path := d.create("Changes")
	d.run(path, d.prompt(path, "change"), runner.RunCell)
	d.allow()
	d.allow()
	<-time.After(5 * time.Minute)
	os.Exit(1) // it was not killed
}
