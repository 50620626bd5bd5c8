package coedit

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/tool"
)

// alone is a folder with no other agents.
type alone struct{ folder string }

func (alone) ByUUID(map[string]bool) []Agent { return nil }
func (alone) Reader(string) (Reader, bool)   { return Reader{}, false }
func (a alone) WorksIn(string) string        { return a.folder }
func (alone) PathOf(file string) string      { return file }
func (alone) Versions() *checkpoint.Store    { return nil }

// beside is a folder in which the agent "Notes B" writes, too.
type beside struct {
	alone
	versions *checkpoint.Store
}

func (b beside) Versions() *checkpoint.Store  { return b.versions }
func (beside) ByUUID(map[string]bool) []Agent { return []Agent{{UUID: "b", Name: "Notes B"}} }

// A request that is renewed while another agent is still writing the file names that agent. When a
// person changes the file later, it names nobody, although the agent's write was recorded later.
func TestAChangeIsNotAttributedToAnEarlierWriter(t *testing.T) {
	t.Parallel()
	folder, at := t.TempDir(), time.UnixMilli(1000)
	file := filepath.Join(folder, "notes.md")
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) { ok(os.WriteFile(file, []byte(text), 0o644)) }
	versions, err := checkpoint.Open(t.TempDir(), checkpoint.Limits{}, func() time.Time { return at })
	ok(err)
	tracker := New(t.Context(), beside{alone{folder}, versions}, approval.NewInbox(approval.NewPolicy(), nil), func(f func()) { go f() })
	since := func(ms int64, wanted string) {
		t.Helper()
		if got, _ := tracker.wroteSince("a", file, ms); got != wanted {
			t.Errorf("since %d: the file was written by %q, not %q", ms, got, wanted)
		}
	}
	write("one\n")
	turn, err := versions.Begin("b", "cell")
	ok(err)
	ok(turn.Before(file))
	write("two\n")
	since(500, "Notes B")
	const renewed = 1500
	at = time.UnixMilli(2000)
	ok(turn.After(file))
	since(renewed, "Notes B")
	write("three\n")
	since(renewed, "")
	at = time.UnixMilli(3000)
	ok(turn.Before(file))
	write("four\n")
	ok(turn.After(file))
	since(renewed, "Notes B")
}

// A file that changes after the request was made and before it is watched renews the request like a
// later change.
func TestAChangeBeforeTheFilesAreFollowedRenewsTheRequest(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "notes.md")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	call := tool.Call{Preview: func(context.Context, tool.Env) ([]tool.Change, error) {
		text, err := os.ReadFile(file)
		return []tool.Change{{Path: "notes.md", Before: string(text), After: string(text) + "more\n"}}, err
	}}
	inbox := approval.NewInbox(approval.NewPolicy(), func(approval.Change) {})
	tracker := New(t.Context(), alone{folder}, inbox, func(f func()) { go f() })
	shown := tracker.Show(t.Context(), Change{Notebook: "u", CallID: "c", Folder: folder, Call: call}, nil, func(ctx context.Context, s *Shown) approval.Request {
		about := approval.About{CallID: "c", Renewed: s.Renewed()}
		about.Changes, about.Fingerprint, about.Fails = Preview(ctx, call, ShownLines)
		about.OnWait = func() { s.Start(about.Changes) }
		return approval.NewRequest(approval.Call{Tool: "edit_file", Notebook: "u", Arguments: "{}"}, about)
	})
	defer shown.Close()
	r := shown.Request()
	write("two\n")
	go inbox.Ask(t.Context(), r)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if p := inbox.Pending(); len(p) == 1 && p[0].Fingerprint != r.Fingerprint && p[0].Renewed != nil && p[0].Renewed.File == "notes.md" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the request is still %+v", inbox.Pending())
		}
	}
}

// A command's card shows that another agent wrote its file while it waits; an approval from before
// that is about the conflicts that the person saw.
func TestAConflictThatComesWhileACommandWaitsIsShown(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "notes.md")
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(os.WriteFile(file, []byte("one\n"), 0o644))
	versions, err := checkpoint.Open(t.TempDir(), checkpoint.Limits{}, time.Now)
	ok(err)
	inbox := approval.NewInbox(approval.NewPolicy(), func(approval.Change) {})
	tracker := New(t.Context(), beside{alone{folder}, versions}, inbox, func(f func()) { go f() })
	call := approval.Call{Tool: "shell", Notebook: "a", Workspace: folder, Arguments: `{"command":"rm notes.md"}`}
	shown := tracker.Show(t.Context(), Change{Notebook: "a", CallID: "c", Folder: folder}, nil, func(_ context.Context, s *Shown) approval.Request {
		return approval.NewRequest(call, approval.About{CallID: "c", Conflicts: tracker.Conflicts("a.mtm", call), OnWait: func() { s.Start(nil) }})
	})
	defer shown.Close()
	defer tracker.Follow(shown)()
	decided := make(chan approval.Decision)
	r := shown.Request()
	go func() {
		d, _ := inbox.Ask(t.Context(), r)
		decided <- d
	}()
	pending := func(wanted func(approval.Request) bool) approval.Request {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			if p := inbox.Pending(); len(p) == 1 && wanted(p[0]) {
				return p[0]
			}
			if time.Now().After(deadline) {
				t.Fatalf("the request is still %+v", inbox.Pending())
			}
		}
	}
	first := pending(func(approval.Request) bool { return true })
	if len(first.Conflicts) > 0 {
		t.Fatalf("there are conflicts already: %+v", first.Conflicts)
	}
	time.Sleep(2 * time.Millisecond) // the conflict is later than the request
	turn, err := versions.Begin("b", "cell")
	ok(err)
	ok(turn.Before(file))
	ok(os.WriteFile(file, []byte("two\n"), 0o644))
	ok(turn.After(file))
	tracker.Recheck()
	now := pending(func(r approval.Request) bool { return len(r.Conflicts) == 1 })
	if c := now.Conflicts[0]; c.Agent != "Notes B" || now.SeenMs() != c.AtMs || c.AtMs <= first.SeenMs() {
		t.Fatalf("the conflict is %+v, of a request of %d", c, now.AtMs)
	}
	ok(inbox.Resolve(now.ID, approval.Decision{Allow: true, SeenMs: first.SeenMs()}))
	if d := <-decided; len(d.Conflicts()) > 0 || !tracker.Unseen("a.mtm", call, d.Conflicts()) {
		t.Fatalf("approved without having seen it: %+v", d.Conflicts())
	}
}
