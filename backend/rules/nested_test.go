package rules_test

import (
	"fmt"
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

// Of many paths below one AGENTS.md, the first leads to it.
func TestTheFirstOfManyPathsLeadsToAGuide(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	for i := range 400 {
		paths = append(paths, fmt.Sprintf("f%d/x.go", i%100))
	}
	for i := range 100 {
		if err := os.MkdirAll(filepath.Join(folder, fmt.Sprint("f", i)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint("f", i), "AGENTS.md"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths[250], paths[399] = "f50/y.go", "f50/z.go"
	got := rules.GuidesAbove(folder, paths, nil)
	if len(got) != 100 || got["f50/AGENTS.md"] != "f50/x.go" || got["f99/AGENTS.md"] != "f99/x.go" {
		t.Errorf("%d: %v", len(got), got["f50/AGENTS.md"])
	}
}

// Folders are found among many paths of one folder too, most of which are files or gone; also where
// that folder is large.
func TestGuidesAboveManyPaths(t *testing.T) {
	for _, files := range []int{20, 2_000} {
		folder := t.TempDir()
		write := func(name string) {
			file := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("src/folder/AGENTS.md")
		write("src/other/AGENTS.md")
		if err := os.Symlink("other", filepath.Join(folder, "src/link")); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for i := range files {
			write(fmt.Sprintf("src/file%d.go", i))
			paths = append(paths, fmt.Sprintf("src/file%d.go", i), fmt.Sprintf("src/gone%d.go", i))
		}
		got := rules.GuidesAbove(folder, append(paths, "src/folder", "src/link"), nil)
		if want := map[string]string{"src/folder/AGENTS.md": "src/folder", "src/link/AGENTS.md": "src/link"}; !maps.Equal(got, want) {
			t.Errorf("with %d files: got %v", files, got)
		}
	}
}
