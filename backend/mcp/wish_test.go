package mcp_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/mcp"
)

// The person's last request to a server wins, however fast it follows the one before, and there is
// never more than one process.
func TestTheLastWishCounts(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good"})
	var running sync.WaitGroup
	calls := s.Calls(t.Context(), func(f func()) { running.Go(f) })
	press := func(stops ...bool) {
		t.Helper()
		for _, stop := range stops {
			f := calls.RestartServer
			if stop {
				f = calls.StopServer
			}
			if err := f("a"); err != nil {
				t.Fatal(err)
			}
		}
		running.Wait()
	}
	for round := range 8 {
		press(false, true)
		if v := state(t, s, "a"); v.State != mcp.Stopped {
			t.Fatalf("round %d: it is %s after Start, Stop", round, v.State)
		}
		press(true, false, true, false)
		if v := state(t, s, "a"); v.State != mcp.Ready {
			t.Fatalf("round %d: it is %s (%s) after Stop, Start", round, v.State, v.Problem)
		}
		before, _ := call(t, s, "a", "pid")
		press(false, false, false)
		after, err := call(t, s, "a", "pid")
		if err != nil || after == before || lives(t, before) {
			t.Fatalf("round %d: the processes %q and %q after three restarts: %v", round, before, after, err)
		}
		// Stop in the middle of a start.
		if err := calls.RestartServer("a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 5 * time.Millisecond)
		press(true)
		if v := state(t, s, "a"); v.State != mcp.Stopped || lives(t, after) {
			t.Fatalf("round %d: it is %s after Stop in a start", round, v.State)
		}
	}
}

// While a server ends, nobody starts a second process of it.
func TestOneProcessWhileItEnds(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good"})
	for range 5 {
		before, err := call(t, s, "a", "pid")
		if err != nil {
			t.Fatal(err)
		}
		var restarts sync.WaitGroup
		restarts.Go(func() { s.Restart(t.Context(), "a") })
		for range 20 {
			if pid, err := call(t, s, "a", "pid"); err == nil && pid != before && lives(t, before) {
				t.Fatal("two processes run")
			}
		}
		restarts.Wait()
	}
}

// A start that was requested just before the folder closes begins nothing after that.
func TestNoStartAfterTheEnd(t *testing.T) {
	for range 5 {
		s, _ := open(t, map[string]string{"a": "good"})
		var running sync.WaitGroup
		calls := s.Calls(t.Context(), func(f func()) { running.Go(f) })
		before, err := call(t, s, "a", "pid")
		if err != nil {
			t.Fatal(err)
		}
		if err := calls.RestartServer("a"); err != nil {
			t.Fatal(err)
		}
		s.Close()
		running.Wait()
		if lives(t, before) {
			t.Fatal("the server outlived the folder")
		}
		if n := children(t); n != 0 {
			t.Fatalf("%d processes outlive the folder", n)
		}
	}
}

// children counts the child processes of this process that still run.
func children(t *testing.T) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		t.Skip("this system has no list of processes")
	}
	for _, file := range all {
		raw, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(raw), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) && f[0] != "Z" {
			n++
		}
	}
	return n
}
