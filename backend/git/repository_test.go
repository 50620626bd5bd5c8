package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	branch := func(dir string) string {
		t.Helper()
		r, err := Find(dir)
		if err != nil {
			return err.Error()
		}
		return r.Branch()
	}
	if got := branch(dir); got != "the folder is in no git work tree" {
		t.Error(got)
	}
	git("init", "-q", "-b", "topic/one")
	git("commit", "-q", "--allow-empty", "-m", "x")
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	git("worktree", "add", "-q", "-b", "two", filepath.Join(dir, "a/linked"))
	for at, want := range map[string]string{".": "topic/one", "a/b": "topic/one", "a/linked": "two"} {
		if got := branch(filepath.Join(dir, at)); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	r, err := Find(filepath.Join(dir, "a/linked"))
	if err != nil || filepath.Base(r.Common) != ".git" || r.Dir == r.Common {
		t.Errorf("%+v %v", r, err)
	}
	for _, head := range []string{"ref: refs/../../x", "ref: refs/heads/a b", "x", "", "ref: refs/heads/a\nb"} {
		if err := os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := branch(dir); got != "" {
			t.Errorf("%q is taken for %q", head, got)
		}
	}
}

// The adopted settings only describe, in words, how things are written; their includes are not
// followed.
func TestSettingsThatAreTakenOver(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "[core]\n\tautocrlf = input\n\tfsmonitor = touch x\n\teol = a b\n\tignorecase\n\tsparseCheckout = TRUE\n[include]\n\tpath = more\n[filter \"x\"]\n\tclean = touch x\n[extensions]\n\tobjectFormat = sha256\n\tpartialClone = origin\n"
	for name, text := range map[string]string{"config": text, "more": "[core]\n\tfilemode = false\n"} {
		if err := os.WriteFile(filepath.Join(dir, ".git", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Open(filepath.Join(t.TempDir(), "own"), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Settings(t.Context())
	if err != nil || len(got) != 4 || got["core.autocrlf"] != "input" || got["core.ignorecase"] != "true" || got["core.sparsecheckout"] != "true" || got["extensions.objectformat"] != "sha256" || !r.SHA256() {
		t.Errorf("%v %v", got, err)
	}
}
