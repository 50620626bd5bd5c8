package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// killedFolder is set in the process that will be killed.
const killedFolder = "MUTSUMI_TEST_KILLED_FOLDER"

// Of the children, two finish, nine stream when the kill comes, and the last has not begun.
const killedChildren, killedSlots = 12, 9

// A process with ten agents at work is killed. Every notebook is complete and shows the
// interruption; one click continues everything, and nothing is done twice.
func TestTenAgentsAreKilled(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(killedFolder); folder != "" {
		workUntilKilled(t, folder)
	}
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTenAgentsAreKilled$")
	cmd.Env = append(os.Environ(), killedFolder+"="+folder, "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	waitForDisk(t, folder)
	if err := cmd.Process.Kill(); err != nil { // SIGKILL: the process cannot clean up
		t.Fatal(err)
	}
	cmd.Wait()

	files, _ := filepath.Glob(filepath.Join(folder, ".mutsumi", "*.mtm"))
	if len(files) != killedChildren+1 {
		t.Fatalf("%d notebooks", len(files))
	}
	for _, file := range files {
		if _, _, err := notebook.Load(file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	d := open(t, folder, saying("PARENT", "text all reported")+
		fmt.Sprintf("answer times %d when \"Go on exactly where it ended\"\ntool task_finish {\"summary\":\"it went on\"}\n", killedSlots)+
		finishing("do part-11", "begun at last"))
	var parent string
	for _, n := range d.Nodes() {
		v, err := d.Notebook(n.File)
		if err != nil || v.Problem != nil || len(v.Running) > 0 {
			t.Fatalf("%s: %+v, %v", n.Name, v.Problem, err)
		}
		switch run := v.Cells[0].Body.Run; n.Name {
		case "Parent":
			parent = n.File
			fallthrough
		default:
			if run == nil || run.Outcome != notebook.Interrupted || !interruptedNode(n) {
				t.Errorf("%s says %+v, marks %v", n.Name, run, n.Marks)
			}
		case "P00", "P01":
			if run == nil || run.Outcome != notebook.TaskDone || interruptedNode(n) {
				t.Errorf("%s says %+v, marks %v", n.Name, run, n.Marks)
			}
		case "P11":
			if run != nil || interruptedNode(n) {
				t.Errorf("%s says %+v, marks %v", n.Name, run, n.Marks)
			}
		}
	}
	if n := len(d.server.Requests()); n != 0 {
		t.Fatalf("%d requests went out by themselves", n)
	}
	if _, err := d.Resume(parent); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(parent); outcome != "done" {
		t.Errorf("ended %s", outcome)
	}
	got := d.answer(parent, d.promptOf(parent))
	if !strings.Contains(got, "12 children: 12 finished.") || strings.Count(got, "it went on") != killedSlots || !strings.Contains(got, "begun at last") || !strings.Contains(got, "part-00 done") {
		t.Errorf("the report: %s", got)
	}
	for _, n := range d.Nodes() {
		if answer := d.answer(n.File, d.promptOf(n.File)); n.Name > "P01" && n.Name < "P11" && strings.Count(answer, "half of") != 1 {
			t.Errorf("%s: %s", n.Name, answer)
		}
	}
	if n := len(d.server.Requests()); n != killedSlots+2 { // the children that went on, the one that began, and the parent
		t.Errorf("%d requests", n)
	}
}

// workUntilKilled is the process that is killed. It does not return.
func workUntilKilled(t *testing.T, folder string) {
	var children []string
	script := ""
	for i := range killedChildren {
		children = append(children, fmt.Sprintf("P%02d: do part-%02d", i, i))
		switch {
		case i < 2:
			script += finishing(fmt.Sprintf("do part-%02d", i), fmt.Sprintf("part-%02d done", i))
		default:
			script += saying(fmt.Sprintf("do part-%02d", i), fmt.Sprintf("text \"half of %02d\"\nstall", i))
		}
	}
	d := open(t, folder, saying("PARENT", forkCall(children...))+script)
	limit(t, d, killedSlots)
	path := d.create("Parent")
	d.run(path, d.prompt(path, "PARENT"), runner.RunCell)
	d.allow()
	<-time.After(5 * time.Minute)
	os.Exit(1) // it was not killed
}

// waitForDisk waits until part of every agent's stream is on disk.
func waitForDisk(t *testing.T, folder string) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		files, _ := filepath.Glob(filepath.Join(folder, ".mutsumi", "*.mtm"))
		halves, ends := 0, 0
		for _, file := range files {
			b, _ := os.ReadFile(file)
			if strings.Contains(string(b), `"half of `) {
				halves++
			}
			if strings.Contains(string(b), `"taskFinished"`) {
				ends++
			}
		}
		if halves == killedSlots && ends == 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("of %d notebooks %d stream and %d are finished", len(files), halves, ends)
		}
		time.Sleep(20 * time.Millisecond) // we get no events from another process
	}
}
