package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/files"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// What is this program's own a command neither reads nor writes, by no name,
// whatever it may write; a work tree that lies in it is the command's all the same.
func TestACommandFindsNothingOfTheProgramsOwn(t *testing.T) {
	hides := strings.Contains(builtin.SandboxStatus().How, "mounted read-only")
	home := t.TempDir()
	state := filepath.Join(home, "state")
	tree, ws := filepath.Join(state, "worktrees", "1", "tree"), filepath.Join(home, "ws")
	for _, dir := range []string{tree, ws, filepath.Join(state, "rights")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"approvals.json", "rights/a.json"} {
		if err := os.WriteFile(filepath.Join(state, f), []byte("SECRET"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(state, filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	const command = `cat link/approvals.json link/rights/a.json ../state/approvals.json ../state/rights/a.json ../../../approvals.json ../../../rights/a.json; echo forged > ../state/approvals.json; echo forged > link/new.json; echo forged > ../../../approvals.json; echo forged > ../../../rights/a.json; echo here > own.txt`
	for name, c := range map[string]struct{ folder, place string }{"the folder": {ws, ws}, "everything around it": {ws, home}, "a work tree in it": {tree, tree}} {
		x := newTerminal(t, true, nil)
		roots, err := files.New(c.folder, []string{c.place})
		if err != nil {
			t.Fatal(err)
		}
		x.shell.Private = []string{state}
		x.tools = tool.NewRegistry(builtin.All(builtin.Options{Roots: roots.Without(state), Shell: x.shell})...)
		out := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, command)).Content
		if hides && strings.Contains(out, "SECRET") {
			t.Errorf("%s: it reads %s", name, out)
		}
		if text, err := os.ReadFile(filepath.Join(c.folder, "own.txt")); err != nil || string(text) != "here\n" {
			t.Errorf("%s: it cannot write its own: %q, %v: %s", name, text, err, out)
		}
		if !hides {
			continue // this system lets commands have no mounts of their own
		}
		for _, f := range []string{"approvals.json", "rights/a.json"} {
			if text, err := os.ReadFile(filepath.Join(state, f)); err != nil || string(text) != "SECRET" {
				t.Errorf("%s: %s is %q, %v", name, f, text, err)
			}
		}
		if _, err := os.Stat(filepath.Join(state, "new.json")); err == nil {
			t.Errorf("%s: a file was made", name)
		}
	}
}
