package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/settings"
	"mutsumi/backend/waittest"
)

// openLate opens a folder with a "late" server, whose tools the person allows with their first call.
func openLate(t *testing.T) *mcp.Servers {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "late"})
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(string) bool { return true }, Timing: patient, Pins: store.Pins(dir),
		Keyring: func(string, string) (string, error) { return "k", nil }})
	t.Cleanup(s.Close)
	return s
}

// A list of tools that changed, and could not be read because the run was cancelled, is read again:
// a new tool appears, and one that changed is withheld.
func TestAChangedListIsReadAgainAfterACancelledOne(t *testing.T) {
	s := openLate(t)
	if got, err := call(t, s, "a", "hello"); err != nil || got != "hello" {
		t.Fatal(got, err)
	}
	waittest.Until(t, "it says that its tools changed", func() bool { return s.Heard("a") > 0 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cancelled := make(chan error, 1)
	go func() {
		_, err := s.Call(ctx, "a", client.Call{Tool: "hello"})
		cancelled <- err
	}()
	waittest.Until(t, "a list hangs", func() bool {
		log, err := s.Log("a")
		return err == nil && strings.Contains(log, mcptest.Hangs)
	})
	cancel()
	if err := <-cancelled; err == nil {
		t.Error("a tool was called although it is unknown whether it changed")
	}
	if _, err := call(t, s, "a", "hello"); !fault.Is(err, fault.Denied) {
		t.Errorf("the changed tool was called: %v", err)
	}
	listed, err := s.Tools(t.Context(), "a")
	if err != nil || !slices.ContainsFunc(listed, func(t client.Tool) bool { return t.Name == "new" }) {
		t.Errorf("the new tool is not there: %+v, %v", listed, err)
	}
	if v := state(t, s, "a"); !slices.Equal(v.Changed, []string{"hello"}) {
		t.Errorf("changed: %q", v.Changed)
	}
}

// While a list of changed tools hangs, nothing is called by the one before.
func TestNothingIsCalledWhileAChangedListHangs(t *testing.T) {
	s := openLate(t)
	if _, err := call(t, s, "a", "hello"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "it says that its tools changed", func() bool { return s.Heard("a") > 0 })
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan struct{})
	go func() {
		defer close(first)
		s.Call(ctx, "a", client.Call{Tool: "hello"})
	}()
	t.Cleanup(func() { cancel(); <-first })
	waittest.Until(t, "a list hangs", func() bool {
		log, err := s.Log("a")
		return err == nil && strings.Contains(log, mcptest.Hangs)
	})
	if _, err := call(t, s, "a", "hello"); !fault.Is(err, fault.Denied) {
		t.Errorf("the changed tool was called: %v", err)
	}
}

// A list of prompts that a server refuses once is asked for again, and the other lists are there
// meanwhile. That it has no templates at all is not a failure.
func TestAFailedListOfOffersIsReadAgain(t *testing.T) {
	s := openLate(t)
	if _, err := s.Tools(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	all := s.Offers(t.Context())
	if len(all) != 1 || len(all[0].Prompts) != 0 || len(all[0].Resources) != 1 {
		t.Fatalf("at first: %+v", all)
	}
	if p, err := s.PromptOf(t.Context(), "a", "greet"); err != nil || p.Name != "greet" {
		t.Errorf("the prompt is not there: %+v, %v", p, err)
	}
	if all := s.Offers(t.Context()); len(all) != 1 || len(all[0].Prompts) != 1 || len(all[0].Resources) != 1 {
		t.Errorf("then: %+v", all)
	}
	if _, err := s.PromptOf(t.Context(), "a", "other"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if p, err := s.PromptOf(t.Context(), "a", "greet"); err != nil || p.Description != "Request 2." {
		t.Errorf("lists that did not fail are asked for again: %+v, %v", p, err)
	}
}

// Lists that take longer than anybody waits for them are there in the end.
func TestSlowLists(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "slow"})
	if _, err := s.Tools(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the resources are listed", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		all := s.Offers(ctx)
		return len(all) == 1 && len(all[0].Resources) == 1
	})
}

// A prompt that is wanted while its list fails is not called missing.
func TestAPromptWhoseListFails(t *testing.T) {
	s := openLate(t)
	if _, err := s.PromptOf(t.Context(), "a", "greet"); err == nil || fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "not yet") {
		t.Error(err)
	}
	if _, err := s.PromptOf(t.Context(), "a", "greet"); err != nil {
		t.Error(err)
	}
}
