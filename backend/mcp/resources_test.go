package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/waittest"
)

// Listing what servers offer besides their tools asks only running servers and starts none.
func TestOffersStartNothing(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good", "b": "good", "silent": "hang"})
	if all := s.Offers(t.Context()); len(all) != 0 || !slices.Equal(s.Resting(), []string{"a", "b", "silent"}) || s.Runs("a") || !s.Has("a") || s.Has("c") {
		t.Errorf("%+v, %v", all, s.Resting())
	}
	if _, err := s.Tools(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	all := s.Offers(t.Context())
	if len(all) != 1 || all[0].Server != "a" || !s.Runs("a") || s.Runs("b") || state(t, s, "b").State != mcp.Configured {
		t.Fatalf("%+v", all)
	}
	if !slices.ContainsFunc(all[0].Resources, func(r client.Resource) bool { return r.URI == "test:///note" }) ||
		len(all[0].Templates) != 1 || all[0].Templates[0].URI != "test:///user/{id}" || len(all[0].Prompts) != 4 || !all[0].Prompts[0].Arguments[0].Required {
		t.Errorf("%+v", all[0])
	}
	if values, err := s.PromptValues(t.Context(), "a", "greet", "who", "A", nil); err != nil || !slices.Equal(values, []string{"Ada", "Alan"}) {
		t.Error(values, err)
	}
	if values, err := s.PromptValues(t.Context(), "a", "greet", "who", "H", nil); err != nil || len(values) != 0 {
		t.Errorf("a value with hidden characters was proposed: %q, %v", values, err)
	}
	if values, err := s.PromptValues(t.Context(), "b", "greet", "who", "A", nil); err != nil || len(values) != 0 || s.Runs("b") {
		t.Error(values, err)
	}
}

// A change of a resource that was read is reported; a server that reports changes endlessly is
// heard only now and then.
func TestAChangedResourceIsReported(t *testing.T) {
	var told atomic.Int32
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "good"})
	s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(string) bool { return true }, Timing: patient, Updated: func() { told.Add(1) },
		Keyring: func(string, string) (string, error) { return "k", nil }})
	defer s.Close()
	if parts, err := s.Read(t.Context(), "a", "test:///count"); err != nil || parts[0].Text != "version 0, read 1" {
		t.Fatalf("%+v %v", parts, err)
	}
	touches := 0
	touch := func() {
		t.Helper()
		if _, err := call(t, s, "a", "touch"); err != nil {
			t.Fatal(err)
		}
		touches++
	}
	waittest.Until(t, "the change is reported", func() bool {
		if told.Load() == 0 { // the subscription may not have arrived yet
			touch()
		}
		return told.Load() > 0
	})
	began, before := time.Now(), told.Load()
	for range 100 {
		touch()
	}
	if n, most := told.Load()-before, 2+int32(time.Since(began)/mcp.UpdateEvery); n > most {
		t.Errorf("100 changes were reported %d times, at most %d are right", n, most)
	}
	if parts, err := s.Read(t.Context(), "a", "test:///count"); err != nil || parts[0].Text != fmt.Sprintf("version %d, read 2", touches) {
		t.Errorf("%+v %v", parts, err)
	}
}

// The program asks to be told of a resource's changes before it reads it, so that it misses none. It
// asks once, and takes that back for a resource that cannot be read.
func TestAResourceIsSubscribedToBeforeItIsRead(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good"})
	for range 2 {
		if _, err := s.Read(t.Context(), "a", "test:///count"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Read(t.Context(), "a", "test:///fails"); err == nil {
		t.Error("it was read")
	}
	heard := func() (lines []string) {
		log, err := s.Log("a")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(log) {
			if strings.Contains(line, "subscribe") || strings.Contains(line, "read count") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		return lines
	}
	want := []string{"subscribe test:///count", "read count", "read count", "subscribe test:///fails", "unsubscribe test:///fails"}
	waittest.Until(t, strings.Join(want, ", "), func() bool { return slices.Equal(heard(), want) })
}

// Nothing is read from a server that the folder is not trusted with, and it does not start.
func TestResourcesWaitForTrust(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "good"})
	s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(string) bool { return false }, Timing: patient})
	defer s.Close()
	if _, err := s.Read(t.Context(), "a", "test:///note"); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Error(err)
	}
	if _, err := s.Prompt(t.Context(), "a", "greet", nil); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Error(err)
	}
	if !s.Has("a") || s.Startable("a") || len(s.Resting()) != 0 {
		t.Error(s.Resting())
	}
}

// Reading a resource that hangs times out, and the server goes on.
func TestAResourceThatHangs(t *testing.T) {
	t.Parallel()
	s, _ := openTimed(t, client.Timing{Connect: time.Minute, List: 10 * time.Second}, map[string]string{"a": "good"})
	if _, err := s.Read(t.Context(), "a", "test:///hangs"); !client.IsSilent(err) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Read(ctx, "a", "test:///hangs"); err == nil {
		t.Error("it answered")
	}
	if parts, err := s.Read(t.Context(), "a", "test:///user/7"); err != nil || parts[0].Text != "user 7" {
		t.Errorf("%+v %v", parts, err)
	}
}
