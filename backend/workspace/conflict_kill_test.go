package workspace_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// conflictFolder is set in the process that will be killed.
const conflictFolder = "MUTSUMI_TEST_CONFLICT_FOLDER"

// longestLoss is how many milliseconds of an answer a kill may cost: a second, and what a busy
// machine adds. What a busy disk takes for the last save and the current one comes on top.
const longestLoss = 5000

// A process is killed while a conflict waits and an answer streams: the file beside the notebook
// lacks only the end of the answer.
func TestKilledWhileAConflictWaits(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(conflictFolder); folder != "" {
		streamIntoConflict(t, folder)
	}
	for round := range 2 {
		folder := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWhileAConflictWaits$")
		cmd.Env = append(os.Environ(), conflictFolder+"="+folder, "TMPDIR="+t.TempDir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		until := time.Now().Add(2 * time.Minute)
		var at time.Time // time of the kill
		for at.IsZero() || time.Now().Before(at) {
			if at.IsZero() && strings.Contains(recorded(folder), "conflict") && len(notSaved(folder)) > 0 {
				at = time.Now().Add(longestLoss*time.Millisecond + 1500*time.Millisecond + rand.N(600*time.Millisecond))
			}
			if time.Now().After(until) {
				cmd.Process.Kill()
				t.Fatalf("there is no conflict, or nothing beside the notebook: %s", recorded(folder))
			}
			time.Sleep(time.Millisecond) // we get no events from another process
		}
		killed := time.Now().UnixMilli()
		cmd.Process.Kill()
		<-ended
		checkKilled(t, folder, killed)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

// notSaved lists the files beside the notebook.
func notSaved(folder string) []string {
	files, _ := filepath.Glob(filepath.Join(folder, "a (not saved *.mtm"))
	return files
}

// record is the file outside the folder in which the process notes what happened when.
func record(folder string) string { return folder + "-record" }

func recorded(folder string) string {
	b, _ := os.ReadFile(record(folder))
	return string(b)
}

// streamIntoConflict is the process that is killed. It does not return.
func streamIntoConflict(t *testing.T, folder string) {
	script := "answer\n"
	for i := range 3000 {
		script += fmt.Sprintf("text \"<%d>\"\ndelay 15ms\n", i)
	}
	d := open(t, folder, script)
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	log, err := os.OpenFile(record(folder), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	note := func(what string) { fmt.Fprintf(log, "%d %s\n", time.Now().UnixMilli(), what) }
	d.run("a.mtm", d.prompt("a.mtm", "go"), runner.RunCell)
	d.untilOnDisk("a.mtm", "<0>")
	d.write("a.mtm", filestest.Notebook("a", "Theirs"))
	d.until(is("diskConflict"))
	note("conflict")
	go func() { // measures how long the disk takes for a save
		stamp, probe := notebook.Stamp{}, filepath.Join(t.TempDir(), "probe.mtm")
		for {
			note("begin")
			stamp, _ = notebook.Save(probe, strings.NewReader("{}"), stamp)
			note("end")
			time.Sleep(50 * time.Millisecond)
		}
	}()
	d.until(func(e item) bool {
		if text, _ := e.Data["text"].(string); e.Type == "delta" {
			note(text)
		}
		return false
	})
	os.Exit(1) // it was not killed
}

var piece = regexp.MustCompile(`<\d+>`)

func checkKilled(t *testing.T, folder string, killed int64) {
	t.Helper()
	beside := notSaved(folder)
	if len(beside) != 1 {
		t.Fatalf("beside the notebook: %v", beside)
	}
	if _, _, err := notebook.Load(beside[0]); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(beside[0])
	if err != nil {
		t.Fatal(err)
	}
	var begun, slowest int64
	came := map[string]int64{}
	for line := range strings.Lines(recorded(folder)) {
		var at int64
		var what string
		if n, _ := fmt.Sscan(line, &at, &what); n != 2 || at > killed {
			continue
		}
		switch what {
		case "conflict":
		case "begin":
			begun = at
		case "end":
			slowest, begun = max(slowest, at-begun), 0
		default:
			for _, p := range piece.FindAllString(what, -1) {
				came[p] = at
			}
		}
	}
	if begun > 0 {
		slowest = max(slowest, killed-begun)
	}
	text, due, oldest := strings.ReplaceAll(strings.ReplaceAll(string(b), `\u003c`, "<"), `\u003e`, ">"), 0, int64(0)
	for p, at := range came {
		if !strings.Contains(text, p) {
			oldest = max(oldest, killed-at)
		} else {
			due++
		}
	}
	t.Logf("%d pieces are there, the oldest that is missing came %d ms before, the disk took %d ms", due, oldest, slowest)
	if due == 0 || oldest > longestLoss+2*slowest {
		t.Errorf("%d pieces are there, and what came %d ms before is missing; the disk took %d ms", due, oldest, slowest)
	}
	if b, err := os.ReadFile(filepath.Join(folder, "a.mtm")); err != nil || !strings.Contains(string(b), "Theirs") {
		t.Errorf("the file has %s, %v", b, err)
	}
}
