package files_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
)

func TestWhatIsPrivateIsOutOfReachByEveryWay(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".local", "state", "mutsumi")
	tree := filepath.Join(state, "worktrees", "1", "tree")
	for _, dir := range []string{tree, filepath.Join(home, "ws")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(state, "approvals.json"), filepath.Join(tree, "a.go"), filepath.Join(home, "ws", "b.go")} {
		if err := os.WriteFile(f, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(state, filepath.Join(home, "ws", "link")); err != nil {
		t.Fatal(err)
	}
	all, err := files.New(filepath.Join(home, "ws"), []string{".", home})
	if err != nil {
		t.Fatal(err)
	}
	roots := all.Without(state)
	for _, path := range []string{state, filepath.Join(state, "approvals.json"), "link/approvals.json", "link", "../.local/state/mutsumi/approvals.json", filepath.Join(tree, "a.go"), filepath.Join(state, "new.json"), "link/new/deep.json"} {
		if roots.Allowed(path) {
			t.Errorf("%s may be touched", path)
		}
		if _, err := roots.Read(path, 100); err == nil {
			t.Errorf("%s is read", path)
		}
	}
	if _, err := roots.List("link"); !fault.Is(err, fault.Denied) {
		t.Errorf("listed: %v", err)
	}
	var walked []string
	if err := roots.Walk(t.Context(), home, func(e files.Entry) error { walked = append(walked, e.Path); return nil }); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(walked, ".local/state/mutsumi") || slices.Contains(walked, ".local/state/mutsumi/approvals.json") || !slices.Contains(walked, "ws/b.go") {
		t.Errorf("walked over %v", walked)
	}
	own, err := files.New(tree, []string{tree})
	if err != nil {
		t.Fatal(err)
	}
	if own = own.Without(state); !own.Allowed("a.go") || own.Allowed(filepath.Join(state, "approvals.json")) {
		t.Error("a work tree in the state folder is not its agent's own, or more than that is")
	}
	whole, err := files.New(tree, []string{state})
	if err != nil {
		t.Fatal(err)
	}
	if places := whole.Without(state).Places(); len(places) != 0 {
		t.Errorf("the private folder itself is a place: %v", places)
	}
}
