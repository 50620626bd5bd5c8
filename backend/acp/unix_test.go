//go:build unix

package acp

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/waittest"
)

// An agent that does not heed a stop is ended, with what it started.
func TestStopByForce(t *testing.T) {
	w := newWorld(t, "stubborn")
	w.agents.timing.stop = 50 * time.Millisecond
	ending, end := context.WithCancelCause(context.Background())
	a := w.askIn(ending, "child\ncall a read A\nbegin a\nhang", stopAt("acp_read", func() { end(agent.ErrEnding) }))
	if a.Outcome != agent.Interrupted || a.session != "" || len(a.puts) != 2 {
		t.Fatal(a.told())
	}
	pid, err := strconv.Atoi(a.puts[0].Message.Content.String())
	if err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the agent's own process ends", func() bool { return !runs(pid) })
}

// After a turn that had to be ended by force, the agent's session does not know the answer, so that
// it is not used again: also where the turn ended because no further step was wanted.
func TestNoFurtherStepByForce(t *testing.T) {
	w := newWorld(t, "stubborn")
	w.agents.timing.stop = 50 * time.Millisecond
	a := w.ask("call a read A\ndone a of a\nhang", func(t *Turn) { t.NextStep = func() bool { return false } })
	if a.Outcome != agent.Done || a.session != "" || len(a.puts) != 2 {
		t.Fatal(a.told())
	}
}

// runs reports whether a process runs.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
