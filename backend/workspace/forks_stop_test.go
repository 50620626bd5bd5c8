package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Stopping does not wait for git, which may take long to make a child's work tree.
func TestAStopWhileAWorkTreeIsMade(t *testing.T) {
	if took := stopWhileGitHangs(t); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// BenchmarkStopWhileGitHangs reports the time from Stop to the end of the run, in ms, while the git
// command that makes a child's work tree hangs.
func BenchmarkStopWhileGitHangs(b *testing.B) {
	var took time.Duration
	for b.Loop() {
		took += stopWhileGitHangs(b)
	}
	b.ReportMetric(took.Seconds()*1000/float64(b.N), "ms/stop")
}

// stopWhileGitHangs stops a run whose git sleeps for five minutes, and returns how
// long its end took.
func stopWhileGitHangs(t testing.TB) (took time.Duration) {
	t.Helper()
	path := os.Getenv("PATH")
	defer os.Setenv("PATH", path) // the next round needs the real git
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, "", saying("PARENT", treeFork))
	d.write("a.txt", "a")
	d.commit()
	slow := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *read-tree*--reset*) touch %s/began; exec sleep 300;; esac\nexec %s \"$@\"\n", slow, git)
	if err := os.WriteFile(filepath.Join(slow, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", slow+string(os.PathListSeparator)+path)
	parent, _ := d.fork()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // git causes no events
		if _, err := os.Stat(filepath.Join(slow, "began")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("git was not asked for a work tree")
		}
	}
	began := time.Now()
	if err := d.StopTree(parent); err != nil {
		t.Fatal(err)
	}
	end := d.untilFinished(1)[0]
	took = time.Since(began)
	if end.Data["outcome"] != "stopped" {
		t.Errorf("got %v", end)
	}
	if n := len(d.Nodes()); n != 1 {
		t.Errorf("%d agents", n)
	}
	return took
}
