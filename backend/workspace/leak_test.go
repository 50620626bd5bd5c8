package workspace_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/runner"
)

// Workspaces that are closed while their agents wait for a server leave no goroutines behind.
func TestClosedWorkspacesLeaveNoGoroutines(t *testing.T) {
	const rounds = 10
	before := len(ownGoroutines())
	for i := range rounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			d := open(t, "", "answer\ntext half\nstall")
			path := d.create("Stalls")
			d.run(path, d.prompt(path, "go"), runner.RunCell)
			d.until(is("delta"))
			if during := len(ownGoroutines()); during <= before {
				t.Fatalf("%d goroutines while an agent works, %d before: they are not counted", during, before)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
	var left []string
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // connections end by themselves
		if left = ownGoroutines(); len(left) < before+rounds {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after %d workspaces:\n\n%s", before, len(left), rounds, strings.Join(left, "\n\n"))
		}
	}
}

// ownGoroutines returns the stacks of the goroutines that run code of the program or that it
// started.
func ownGoroutines() (own []string) {
	all := make([]byte, 8<<20)
	all = all[:runtime.Stack(all, true)]
	for _, stack := range strings.Split(string(all), "\n\n") {
		if strings.Contains(stack, "mutsumi/backend/") {
			own = append(own, stack)
		}
	}
	return own
}
