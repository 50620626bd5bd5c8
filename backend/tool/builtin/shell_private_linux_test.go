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

// A command neither reads nor writes this program's own files, under any name, whatever it may
// write; a work tree inside them is still the command's. This holds with mounts of its own and, by
// rules alone, without.
func TestACommandFindsNothingOfTheProgramsOwn(t *testing.T) {
	if !builtin.SandboxStatus().Confined {
		return // none of it holds where commands are not confined; there they need approval
	}
	for _, mounts := range []bool{true, false} {
		t.Run(fmt.Sprintf("mounts=%v", mounts), func(t *testing.T) {
			if !mounts {
				builtin.WithoutMounts(t)
			}
			findsNothing(t)
		})
	}
}

func findsNothing(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "deep", "state")
	tree, ws := filepath.Join(state, "worktrees", "1", "tree"), filepath.Join(home, "ws")
	for _, dir := range []string{tree, ws, filepath.Join(state, "rights"), filepath.Join(home, "deep", "other")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(home, "config", "mutsumi") // nothing was ever kept in it
	for f, text := range map[string]string{"deep/state/approvals.json": "SECRET", "deep/state/rights/a.json": "SECRET", "beside.txt": "open", "deep/other/file.txt": "open"} {
		if err := os.WriteFile(filepath.Join(home, f), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(state, filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(state, filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	const command = `for dir in link ../link ../deep/state ../../.. /proc/self/cwd/../deep/state; do
	cat $dir/approvals.json $dir/rights/a.json; echo forged > $dir/approvals.json; echo forged > $dir/rights/a.json; echo forged > $dir/new.json
	ln $dir/approvals.json mine.json && cat mine.json; rm -f $dir/approvals.json; mv $dir/rights gone
done
mv ../deep ../moved; cat ../moved/state/approvals.json; mkdir -p ../deep/state; echo forged > ../deep/state/new.json; mkdir -p ../config/mutsumi; echo forged > ../config/mutsumi/settings.yaml
echo here > own.txt; cat own.txt`
	for name, c := range map[string]struct{ folder, place string }{"the folder": {ws, ws}, "everything around it": {ws, home}, "a work tree in it": {tree, tree}} {
		x := newTerminal(t, true, nil)
		roots, err := files.New(c.folder, []string{c.place})
		if err != nil {
			t.Fatal(err)
		}
		x.shell.Private = []string{state, config}
		x.tools = tool.NewRegistry(builtin.All(builtin.Options{Roots: roots.Without(state, config), Shell: x.shell})...)
		out := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, command)).Content
		if strings.Contains(out, "SECRET") {
			t.Errorf("%s: it reads %s", name, out)
		}
		if text, err := os.ReadFile(filepath.Join(c.folder, "own.txt")); err != nil || string(text) != "here\n" || !strings.Contains(out, "here") {
			t.Errorf("%s: it cannot write its own: %q, %v: %s", name, text, err, out)
		}
		for _, f := range []string{"approvals.json", "rights/a.json"} {
			if text, err := os.ReadFile(filepath.Join(state, f)); err != nil || string(text) != "SECRET" {
				t.Errorf("%s: %s is %q, %v", name, f, text, err)
			}
		}
		for _, f := range []string{filepath.Join(state, "new.json"), filepath.Join(config, "settings.yaml")} {
			if _, err := os.Stat(f); err == nil {
				t.Errorf("%s: %s was made", name, f)
			}
		}
		if c.place != home {
			continue
		}
		// Files next to it are still the command's.
		out = x.run(t, t.Context(), `{"command":"cat ../beside.txt ../deep/other/file.txt; echo more >> ../beside.txt; echo new > ../deep/other/new.txt; ls .. ../deep"}`).Content
		for _, want := range []string{"openopen", "beside.txt", "state"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing: %s", want, out)
			}
		}
		for f, want := range map[string]string{"beside.txt": "openmore\n", "deep/other/new.txt": "new\n"} {
			if text, err := os.ReadFile(filepath.Join(home, f)); err != nil || string(text) != want {
				t.Errorf("%s: %q, %v", f, text, err)
			}
		}
	}
}
