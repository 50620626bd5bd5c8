package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

// repository makes a real one with a first commit of these files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	write(t, dir, files)
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return "-"
	}
	return string(b)
}

func made(t *testing.T, workspace string) State {
	t.Helper()
	p, err := Make(context.Background(), workspace, filepath.Join(t.TempDir(), "trees", "x"), "mutsumi/x")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// apply writes a merge into the folder as package workspace does.
func apply(t *testing.T, p State) (State, []string) {
	t.Helper()
	changes, conflict, next, err := Merge(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(p.Into)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, c := range changes {
		if got := read(t, filepath.Join(p.Into, c.Path)); c.Before != nil && !c.Symlink && got != string(c.Before) {
			t.Errorf("%s: the file has %q, Before is %q", c.Path, got, c.Before)
		}
		if err := c.Write(root); err != nil {
			t.Fatal(err)
		}
	}
	return next, conflict
}

func TestWorkTree(t *testing.T) {
	dir := repository(t, map[string]string{"a": "1\n2\n3\n4\n5\n6\n7\n8\n", "gone": "x", "sub/b": "b", ".gitignore": "secret\n"})
	write(t, dir, map[string]string{"a": "one\n2\n3\n4\n5\n6\n7\n8\n", "new": "not committed", "secret": "key"})
	before := runGit(t, dir, "status", "--porcelain")

	p := made(t, filepath.Join(dir, "sub"))
	if got := read(t, filepath.Join(p.Folder, "a")) + read(t, filepath.Join(p.Folder, "new")) + read(t, filepath.Join(p.Folder, "secret")); got != "one\n2\n3\n4\n5\n6\n7\n8\nnot committed-" {
		t.Errorf("the work tree begins with %q", got)
	}
	if p.Workspace() != filepath.Join(p.Folder, "sub") || runGit(t, dir, "status", "--porcelain") != before || runGit(t, dir, "rev-parse", "--abbrev-ref", "HEAD") != "main" {
		t.Errorf("%+v; the folder is %q", p, runGit(t, dir, "status", "--porcelain"))
	}

	write(t, p.Folder, map[string]string{"a": "one\n2\n3\n4\n5\n6\n7\neight\n", "made/by agent": "öäü", "run": "#!"})
	os.Chmod(filepath.Join(p.Folder, "run"), 0o755)
	os.Remove(filepath.Join(p.Folder, "gone"))
	os.Symlink("a", filepath.Join(p.Folder, "link"))
	write(t, dir, map[string]string{"a": "one\ntwo\n3\n4\n5\n6\n7\n8\n"}) // at the same time, in the folder

	v, err := Look(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, f := range v.Files {
		got = append(got, f.Status+" "+f.Path)
	}
	if want := []string{"changed a", "deleted gone", "added link", "added made/by agent", "added run"}; !reflect.DeepEqual(got, want) || len(v.Conflict) > 0 {
		t.Errorf("%v, conflict %v", got, v.Conflict)
	}
	if f := v.Files[0]; f.Added != 1 || f.Deleted != 1 || !strings.HasPrefix(f.Diff, "@@ ") || !strings.Contains(f.Diff, "\n+eight") {
		t.Errorf("%+v", f)
	}

	p, conflict := apply(t, p)
	if len(conflict) > 0 || read(t, filepath.Join(dir, "a")) != "one\ntwo\n3\n4\n5\n6\n7\neight\n" || read(t, filepath.Join(dir, "gone")) != "-" || read(t, filepath.Join(dir, "made/by agent")) != "öäü" {
		t.Errorf("%v %q", conflict, read(t, filepath.Join(dir, "a")))
	}
	if info, _ := os.Stat(filepath.Join(dir, "run")); info == nil || info.Mode()&0o100 == 0 {
		t.Error("run cannot be run")
	}
	if target, _ := os.Readlink(filepath.Join(dir, "link")); target != "a" {
		t.Errorf("link leads to %q", target)
	}
	if v, err = Look(context.Background(), p); err != nil || len(v.Files) > 0 {
		t.Errorf("after the merge %+v %v", v.Files, err)
	}

	if err := Discard(context.Background(), p); err != nil || !p.Gone() || runGit(t, dir, "branch", "--list", "mutsumi/*") != "" || strings.Contains(runGit(t, dir, "worktree", "list"), p.Folder) {
		t.Errorf("discard: %v, %s, %s", err, runGit(t, dir, "branch"), runGit(t, dir, "worktree", "list"))
	}
	if err := Discard(context.Background(), p); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestConflictWritesNothingUntilItIsSettled(t *testing.T) {
	dir := repository(t, map[string]string{"a": "x\n", "b": "x\n"})
	p := made(t, dir)
	write(t, p.Folder, map[string]string{"a": "agent\n", "b": "agent\n"})
	write(t, dir, map[string]string{"a": "person\n"})
	v, err := Look(context.Background(), p)
	if err != nil || !reflect.DeepEqual(v.Conflict, []string{"a"}) {
		t.Errorf("%v %v", v.Conflict, err)
	}
	if _, conflict := apply(t, p); !reflect.DeepEqual(conflict, []string{"a"}) || read(t, filepath.Join(dir, "a"))+read(t, filepath.Join(dir, "b")) != "person\nx\n" {
		t.Errorf("%v: %q", conflict, read(t, filepath.Join(dir, "b")))
	}
	p, conflict, err := Update(context.Background(), p)
	if err != nil || !reflect.DeepEqual(conflict, []string{"a"}) {
		t.Fatal(conflict, err)
	}
	if text := read(t, filepath.Join(p.Folder, "a")); text != "<<<<<<< the folder\nperson\n=======\nagent\n>>>>>>> the agent\n" {
		t.Errorf("%q", text)
	}
	if v, err = Look(context.Background(), p); err != nil || len(v.Conflict) > 0 || len(v.Files) != 2 || !v.Files[0].Marks || v.Files[1].Marks {
		t.Errorf("with marks: %+v %v", v, err)
	}
	runGit(t, dir, "gc", "--quiet", "--prune=now") // the base of the changes is kept
	write(t, p.Folder, map[string]string{"a": "both\n"})
	if _, conflict := apply(t, p); len(conflict) > 0 || read(t, filepath.Join(dir, "a"))+read(t, filepath.Join(dir, "b")) != "both\nagent\n" {
		t.Errorf("%v: %q", conflict, read(t, filepath.Join(dir, "a")))
	}
}

func TestDiscardWithoutItsRepository(t *testing.T) {
	dir := repository(t, map[string]string{"a": "x\n"})
	p := made(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if err := Discard(context.Background(), p); err != nil || !p.Gone() {
		t.Errorf("%v, gone: %v", err, p.Gone())
	}
}

// Programs in a repository's settings are not run: hooks, filters, merge drivers, a monitor.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	dir := repository(t, map[string]string{"a.txt": "x\n", ".gitattributes": "*.txt filter=evil merge=evil diff=evil\n"})
	mark := filepath.Join(t.TempDir(), "ran")
	touch := "touch " + mark + "; cat"
	included := filepath.Join(dir, ".git", "more")
	write(t, dir, map[string]string{".git/more": "[filter \"evil\"]\n\tsmudge = " + touch + "\n\trequired = true\n"})
	for name, value := range map[string]string{
		"include.path": included, "filter.evil.clean": touch, "filter.evil.process": touch, "merge.evil.driver": touch, "core.fsmonitor": touch, "diff.evil.textconv": touch, "diff.external": touch,
	} {
		runGit(t, dir, "config", name, value)
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-commit"} {
		write(t, dir, map[string]string{".git/hooks/" + hook: "#!/bin/sh\n" + touch + "\n"})
		os.Chmod(filepath.Join(dir, ".git/hooks", hook), 0o755)
	}
	p := made(t, dir)
	write(t, p.Folder, map[string]string{"a.txt": "agent\n"})
	write(t, dir, map[string]string{"a.txt": "person\n"})
	if v, err := Look(context.Background(), p); err != nil || !reflect.DeepEqual(v.Conflict, []string{"a.txt"}) {
		t.Errorf("%+v %v", v, err)
	}
	u, done, err := computeUpdate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	write(t, p.Folder, map[string]string{"a.txt": "agent again\n"})
	if _, _, err := u.write(context.Background()); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	done()
	if _, _, err := Update(context.Background(), p); err != nil {
		t.Error(err)
	}
	if err := Discard(context.Background(), p); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("something of the repository's settings was run")
	}
}

func TestFoldersWithoutAWorkTree(t *testing.T) {
	for _, c := range []struct{ dir, want string }{
		{t.TempDir(), "no git work tree"},
		{func() string { d := t.TempDir(); runGit(t, d, "init", "-q"); return d }(), "no commit yet"},
	} {
		if _, err := Make(context.Background(), c.dir, filepath.Join(t.TempDir(), "x"), "mutsumi/x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}
