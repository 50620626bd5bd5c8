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
