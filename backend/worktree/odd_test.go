package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Work trees in repositories that are not like the most: each script changes a
// repository with the files a, sub/b and out/c, and prints the folder to open
// when that is another.
func TestWorkTreesOfOddRepositories(t *testing.T) {
	for name, script := range map[string]string{
		"sha256":          `rm -rf .git && git init -q -b main --object-format=sha256 && git add -A && git commit -qm x`,
		"sparse cone":     `git sparse-checkout set --cone sub`,
		"sparse patterns": `git sparse-checkout set --no-cone a sub/ && test ! -e out`,
		"sparse index":    `git sparse-checkout set --cone --sparse-index sub && git status -s`,
		"split index":     `git config core.splitIndex true && git update-index --split-index && test -n "$(ls .git/sharedindex.*)"`,
		"packed":          `git pack-refs --all && git gc -q --prune=now && git branch more && git pack-refs --all`,
		"linked":          `git worktree add -q -b other ../linked && cd ../linked && pwd`,
		"shallow":         `echo 2 >> out/c && git commit -qam second && git clone -q --depth 1 file://$PWD ../shallow && cd ../shallow && pwd`,
		"detached":        `git checkout -q --detach`,
		"line ends":       `git config core.autocrlf true && rm a sub/b && git checkout -q . && grep -q "$(printf '\r')" a`,
		"git file":        `mv .git ../elsewhere && echo "gitdir: ../elsewhere" > .git`,
		"alternates":      `git clone -q --shared . ../shared && cd ../shared && pwd`,
		"settings off":    `printf '[core\n' >/dev/null; git config core.untrackedCache true; git config index.version 4; git config feature.manyFiles true; git update-index --index-version 4; git status -s`,
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			dir := repository(t, map[string]string{"a": "1\n2\n3\n", "sub/b": "b\n", "out/c": "c\n"})
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real
			}
			cmd := exec.Command("bash", "-ec", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("set up: %v %s", err, out)
			}
			if other := strings.TrimSpace(string(out)); filepath.IsAbs(other) {
				dir = other
			}
			status := runGit(t, dir, "status", "--porcelain")
			first := read(t, filepath.Join(dir, "a"))
			p := made(t, dir)
			if got := runGit(t, dir, "status", "--porcelain"); got != status || runGit(t, p.Folder, "status", "--porcelain") != "" {
				t.Errorf("the folder: %q; the work tree: %q", got, runGit(t, p.Folder, "status", "--porcelain"))
			}
			if sparse := strings.HasPrefix(name, "sparse"); sparse == (read(t, filepath.Join(p.Folder, "out/c")) != "-") || runGit(t, p.Folder, "rev-parse", "--abbrev-ref", "HEAD") != p.Branch || read(t, filepath.Join(p.Folder, "a")) != first {
				t.Errorf("out/c is %q, a %q", read(t, filepath.Join(p.Folder, "out/c")), read(t, filepath.Join(p.Folder, "a")))
			}
			write(t, p.Folder, map[string]string{"a": strings.Replace(first, "3", "three", 1), "sub/new": "made"})
			write(t, dir, map[string]string{"a": strings.Replace(first, "1", "one", 1)})
			v, err := Look(context.Background(), p)
			if err != nil || len(v.Files) != 2 || len(v.Conflict) != 0 || v.Files[0].Path != "a" || v.Files[1].Path != "sub/new" {
				t.Errorf("%+v %v", v, err)
			}
			changes, conflict, next, err := Merge(context.Background(), p)
			if err != nil || len(conflict) > 0 || len(changes) != 2 || string(changes[0].After) != "one\n2\nthree\n" || string(changes[1].After) != "made" {
				t.Errorf("%+v %v %v", changes, conflict, err)
			}
			root, err := os.OpenRoot(p.Into)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			if c, err := Changed(context.Background(), p, root, changes); err != nil || c != nil {
				t.Errorf("before the merge is written, this counts as changed: %+v %v", c, err)
			}
			if _, _, err := Unmerge(context.Background(), next); err != nil {
				t.Error(err)
			}
			if _, _, err := Update(context.Background(), p); err != nil {
				t.Error(err)
			}
			if err := Discard(context.Background(), p); err != nil || strings.Contains(runGit(t, dir, "worktree", "list"), p.Folder) || strings.Contains(runGit(t, dir, "for-each-ref"), "mutsumi") {
				t.Errorf("%v\n%s\n%s", err, runGit(t, dir, "worktree", "list"), runGit(t, dir, "for-each-ref"))
			}
			runGit(t, dir, "fsck", "--connectivity-only")
		})
	}
}

// A work tree is made of another one, as a child's is of its parent's.
func TestWorkTreeOfAWorkTree(t *testing.T) {
	dir := repository(t, map[string]string{"a": "1\n2\n3\n"})
	parent := made(t, dir)
	write(t, parent.Folder, map[string]string{"a": "one\n2\n3\n"})
	child, err := Make(context.Background(), parent.Workspace(), filepath.Join(t.TempDir(), "y"), "mutsumi/y")
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(child.Folder, "a")); got != "one\n2\n3\n" || child.Into != parent.Folder {
		t.Errorf("%q, into %s", got, child.Into)
	}
	write(t, child.Folder, map[string]string{"a": "one\n2\nthree\n"})
	if _, conflict := apply(t, child); len(conflict) > 0 || read(t, filepath.Join(parent.Folder, "a")) != "one\n2\nthree\n" || read(t, filepath.Join(dir, "a")) != "1\n2\n3\n" {
		t.Errorf("%v %q", conflict, read(t, filepath.Join(parent.Folder, "a")))
	}
	if err := Discard(context.Background(), child); err != nil {
		t.Error(err)
	}
	if _, conflict := apply(t, parent); len(conflict) > 0 || read(t, filepath.Join(dir, "a")) != "one\n2\nthree\n" {
		t.Errorf("%v %q", conflict, read(t, filepath.Join(dir, "a")))
	}
	if err := Discard(context.Background(), parent); err != nil {
		t.Error(err)
	}
}

// A file that a filter stores elsewhere (Git LFS) is a pointer in a work tree; it is unchanged in
// the folder, and an agent's version is merged as it is.
func TestFilesBehindAFilter(t *testing.T) {
	dir := repository(t, map[string]string{"text": "x\n"})
	runGit(t, dir, "config", "filter.big.clean", "sed s/^content/pointer/")
	runGit(t, dir, "config", "filter.big.smudge", "sed s/^pointer/content/")
	runGit(t, dir, "config", "filter.big.required", "true")
	write(t, dir, map[string]string{".gitattributes": "*.bin filter=big\n", "one.bin": "content 1\n", "two.bin": "content 2\n"})
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-qm", "big")
	for _, name := range []string{"one.bin", "two.bin"} { // git reads files again that are as new as its index
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, "update-index", "--refresh")
	p := made(t, dir)
	if got := read(t, filepath.Join(p.Folder, "one.bin")); got != "pointer 1\n" {
		t.Errorf("%q", got)
	}
	write(t, p.Folder, map[string]string{"text": "agent\n", "two.bin": "content of the agent\n"})
	p, conflict := apply(t, p)
	if len(conflict) > 0 {
		t.Error(conflict)
	}
	if changes, _, err := Unmerge(context.Background(), p); err != nil || len(changes) != 2 || string(changes[1].After) != "content 2\n" {
		t.Errorf("taken back: %+v %v", changes, err)
	}
	if got := read(t, filepath.Join(dir, "one.bin")) + read(t, filepath.Join(dir, "two.bin")) + read(t, filepath.Join(dir, "text")); got != "content 1\ncontent of the agent\nagent\n" {
		t.Errorf("%q", got)
	}
}

// A file that is changed in the moment it was checked out, to the same size, is a change: git
// detects that by the age of the index, and its copy is as old.
func TestTheCopyOfTheIndexIsAsOldAsTheIndex(t *testing.T) {
	dir := repository(t, map[string]string{"a": "1\n"})
	index, to := filepath.Join(dir, ".git", "index"), filepath.Join(t.TempDir(), "index")
	old := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	if err := os.Chtimes(index, old, old); err != nil {
		t.Fatal(err)
	}
	if err := (repo{index: index}).borrowIndex(to); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the copy is of %v, the index of %v (%v)", info.ModTime(), old, err)
	}
}

// A submodule is an empty folder in a work tree, and its commit none of an agent's changes.
func TestSubmodulesAreLeftAlone(t *testing.T) {
	inner := repository(t, map[string]string{"i": "1\n"})
	dir := repository(t, map[string]string{"a": "1\n"})
	runGit(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sm")
	runGit(t, dir, "commit", "-qm", "submodule")
	write(t, dir, map[string]string{"sm/i": "2\n"})
	runGit(t, filepath.Join(dir, "sm"), "commit", "-qam", "moved")
	p := made(t, dir)
	write(t, p.Folder, map[string]string{"a": "2\n"})
	if info, err := os.Stat(filepath.Join(p.Folder, "sm")); err != nil || !info.IsDir() {
		t.Errorf("%v %v", info, err)
	}
	v, err := Look(context.Background(), p)
	if err != nil || len(v.Files) != 1 || v.Files[0].Path != "a" {
		t.Errorf("%+v %v", v, err)
	}
	_, conflict := apply(t, p)
	if a, i := read(t, filepath.Join(dir, "a")), read(t, filepath.Join(dir, "sm/i")); len(conflict) > 0 || a != "2\n" || i != "2\n" {
		t.Errorf("conflict %v, a is %q, the submodule's file %q", conflict, a, i)
	}
}
