package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A stop does not wait for git, which may take long to make a child's work tree.
func TestAStopWhileAWorkTreeIsMade(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, "", saying("PARENT", treeFork))
	d.write("a.txt", "a")
	d.commit()
	slow := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *read-tree*--reset*) touch %s/began; exec sleep 60;; esac\nexec %s \"$@\"\n", slow, git)
	if err := os.WriteFile(filepath.Join(slow, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", slow+string(os.PathListSeparator)+os.Getenv("PATH"))
	path, _ := d.fork()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // git has no events
		if _, err := os.Stat(filepath.Join(slow, "began")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("git was not asked for a work tree")
		}
	}
	began := time.Now()
	if err := d.StopTree(path); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("got %v", end)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := len(d.Nodes()); n != 1 {
		t.Errorf("%d agents", n)
	}
}
