package mcp_test

import (
	"testing"
	"time"

	"mutsumi/backend/mcp"
)

// Every change of a state or a list is reported, even of a list that nobody asked for.
func TestChangesAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "good"})
	changes := make(chan mcp.Change, 100)
	s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(string) bool { return true }, Timing: patient,
		Keyring: func(string, string) (string, error) { return "k", nil }, Changed: func(c mcp.Change) { changes <- c }})
	t.Cleanup(s.Close)
	until := func(what string, is func(mcp.View) bool) {
		t.Helper()
		limit := time.After(time.Minute)
		for {
			select {
			case c := <-changes:
				if all, err := s.List(); err != nil || len(all) > 0 && c.Server == all[0].Name && is(all[0]) {
					return
				}
			case <-limit:
				t.Fatal("no change was reported: it", what)
			}
		}
	}
	go call(t, s, "a", "pid")
	until("starts", func(v mcp.View) bool { return v.State == mcp.Starting || v.State == mcp.Ready })
	until("is ready", func(v mcp.View) bool { return v.State == mcp.Ready })
	before, err := s.Tools(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, s, "a", "grow"); err != nil {
		t.Fatal(err)
	}
	until("has another tool", func(v mcp.View) bool { return v.Tools == len(before)+1 })
	call(t, s, "a", "die")
	until("died", func(v mcp.View) bool { return v.State == mcp.Failed })
	if err := s.Stop("a"); err != nil {
		t.Fatal(err)
	}
	until("was stopped", func(v mcp.View) bool { return v.State == mcp.Stopped })
	write(t, dir, map[string]string{})
	if all, err := s.List(); err != nil || len(all) > 0 {
		t.Fatal(all, err)
	}
	for c := range changes {
		if c.Server == "" && c.Offered {
			return
		}
	}
}
