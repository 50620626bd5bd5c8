package approval

import (
	"os"
	"path/filepath"
	"testing"
)

// The program's own folders are never allowed, even inside an allowed folder. Where the system does
// not keep commands out of them, a command that works on a surrounding folder asks as well.
func TestThePrivateFoldersAreNeverAllowed(t *testing.T) {
	p, where := grants(t, "cat *", "grep *", "ls *", "> **", "cd *", "git status*")
	if _, err := p.Add(Rule{Tool: "write_file", Pattern: "**", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	home := where.Workspace
	state := filepath.Join(home, ".local", "state", "mutsumi")
	tree := filepath.Join(state, "worktrees", "1", "tree")
	for _, dir := range []string{tree, filepath.Join(home, "project")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(state, filepath.Join(home, "project", "link")); err != nil {
		t.Fatal(err)
	}
	where.Private = []string{state}
	for _, c := range []struct {
		command, folder string
		hidden, exposed Outcome // where the system hides the folders, and where it does not
	}{
		{"cat ../.local/state/mutsumi/approvals.json", "project", Ask, Ask},
		{"cat link/approvals.json", "project", Ask, Ask},
		{"cat l*/approvals.json", "project", Ask, Ask},
		{"cat a.txt > link/approvals.json", "project", Ask, Ask},
		{"cat " + state + "/approvals.json", "project", Ask, Ask},
		{"cat a.txt", filepath.Join(".local", "state", "mutsumi"), Ask, Ask},
		{"grep -r key ../.local", "project", Allow, Ask},
		{"grep -r key " + home, "project", Allow, Ask},
		{"cat ../.local/state/*/approvals.json", "project", Ask, Ask},
		{"git status", "", Allow, Ask},
		{"cat a.txt", "", Allow, Ask},
		{"cd .. && git status", "project", Allow, Ask},
		{"git status", "project", Allow, Allow},
		{"cat a.txt > b.txt", "project", Allow, Allow},
	} {
		for exposed, want := range map[bool]Outcome{false: c.hidden, true: c.exposed} {
			where.Exposed = exposed
			if v := Simulate(p, "shell", c.command, filepath.Join(home, c.folder), where); v.Outcome != want {
				t.Errorf("%q in %q, exposed=%v: %s, want %s: %s", c.command, c.folder, exposed, v.Outcome, want, v.Reason)
			}
		}
	}
	where.Exposed = true
	for path, want := range map[string]Outcome{
		filepath.Join(state, "approvals.json"): Ask, "project/link/new.json": Ask, "project/a.txt": Allow, "a.txt": Allow,
	} {
		if v := Simulate(p, "write_file", path, "", where); v.Outcome != want {
			t.Errorf("write_file %s: %s, want %s: %s", path, v.Outcome, want, v.Reason)
		}
	}
	// A work tree in the state folder is its agent's.
	where.Workspace, where.Roots = tree, []string{tree}
	if v := Simulate(p, "shell", "cat a.txt > b.txt", "", where); v.Outcome != Allow {
		t.Errorf("in a work tree: %s", v.Reason)
	}
	if v := Simulate(p, "shell", "cat ../../../approvals.json", "", where); v.Outcome != Ask {
		t.Errorf("out of a work tree: %s", v.Reason)
	}
}
