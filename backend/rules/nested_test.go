package rules_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"mutsumi/backend/rules"
)

// A path that does not count leads to no AGENTS.md, and does not hide a path that does. Only paths
// below such a file are checked.
func TestGuidesAbovePathsThatCount(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a/AGENTS.md", "a/one.go", "a/two.go", "b/AGENTS.md", "b/one.go", "ab/one.go"} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"a/one.go", "a/two.go", "b/one.go", "ab/one.go", "gone/one.go"}
	asked := map[string]bool{}
	got := rules.GuidesAbove(folder, paths, func(p string) bool { asked[p] = true; return p == "a/two.go" })
	if want := map[string]string{"a/AGENTS.md": "a/two.go"}; !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if len(asked) != 3 {
		t.Errorf("asked about %v", asked)
	}
}
