//go:build !windows

package approval

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// Commands by somebody who has the grants of ReadOnly and wants more: those that can write, run
// something or read outside ask. The allowed ones are run, without rights and network, and change
// nothing.
func TestReadOnlyChangesNothing(t *testing.T) {
	data, err := os.ReadFile("testdata/readonly.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Want    Outcome
		Command string
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	dir := prepared(t, `echo other > b.txt; echo '{"a": 1}' > a.json; printf 'package a\nfunc  a() {}\n' > src/a.go; mkdir -p ../home/.config/go/telemetry; echo off > ../home/.config/go/telemetry/mode; ln -s .. outside; ln -s .. src/up; ln -s .git/hooks/pre-commit link; echo '../secret.txt' > list`)
	p := NewPolicy()
	for _, g := range ReadOnly() {
		if _, err := p.Add(Rule{Tool: "shell", Pattern: g, Scope: Always}); err != nil {
			t.Fatal(err)
		}
	}
	where := Call{Tool: "shell", Notebook: "n", Workspace: dir, Roots: []string{dir}}
	before := snapshot(t, filepath.Dir(dir))
	var run []string
	for _, c := range table {
		v := Simulate(p, "", c.Command, "", where)
		if v.Outcome != c.Want {
			t.Errorf("%q: %s (%s), want %s", c.Command, v.Outcome, v.Reason, c.Want)
		}
		if v.Outcome == Allow && installed(c.Command) {
			run = append(run, c.Command)
		}
	}
	var workers sync.WaitGroup
	next := make(chan string)
	for range 4 {
		workers.Go(func() {
			for c := range next {
				runBoxed(t, dir, c)
			}
		})
	}
	for _, c := range run {
		next <- c
	}
	close(next)
	workers.Wait()
	if after := snapshot(t, filepath.Dir(dir)); !maps.Equal(before, after) {
		for _, c := range run { // one by one, to name what did it
			start := snapshot(t, filepath.Dir(dir))
			if runBoxed(t, dir, c); !maps.Equal(start, snapshot(t, filepath.Dir(dir))) {
				t.Errorf("%q is let through, and changed something", c)
			}
		}
		t.Errorf("something changed:\n%s", differ(before, after))
	}
	t.Logf("%d uses, %d of which really ran", len(table), len(run))
	if len(run) < 200 {
		t.Errorf("only %d commands really ran: the test proves little", len(run))
	}
}

// installed reports whether all programs of a command exist.
func installed(command string) bool {
	file, err := parseAs(command, syntax.LangBash)
	found := err == nil
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name := bare(c.Args[0])
			if _, err := exec.LookPath(name); err != nil && !harmlessBuiltins[name] && !stateBuiltins[name] && name != "cd" && name != "set" && name != "command" && name != "exec" {
				found = false
			}
		}
		return found
	})
	return found
}

// runBoxed runs a command for at most a few seconds, isolated from the tester's account as far as
// the system allows.
func runBoxed(t *testing.T, dir, command string) {
	t.Helper()
	for _, attr := range []*syscall.SysProcAttr{box(), {Setpgid: true}} {
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second) // some have no end
		cmd := exec.CommandContext(ctx, "bash", "-c", command)
		cmd.SysProcAttr = attr
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second
		cmd.Dir = dir
		home := filepath.Join(filepath.Dir(dir), "home")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "TMPDIR=" + t.TempDir(), "GOTOOLCHAIN=local", "GOTELEMETRY=off"}
		_ = cmd.Run() // its status does not matter
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		stop()
		if cmd.Process != nil {
			return
		}
		// This system offers no sandbox: run without one.
	}
	t.Errorf("%q could not be started", command)
}

// snapshot returns kind, mode, size, time and content of each file in a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += fmt.Sprintf(" %x", sha256.Sum256(b))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + to
		}
		out[path] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func differ(before, after map[string]string) string {
	var b strings.Builder
	for path, was := range before {
		if is, ok := after[path]; !ok {
			fmt.Fprintf(&b, "gone: %s\n", path)
		} else if is != was {
			fmt.Fprintf(&b, "changed: %s\n", path)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			fmt.Fprintf(&b, "new: %s\n", path)
		}
	}
	return b.String()
}

// With all read-only commands granted, nothing can be written, deleted or run.
func TestReadOnlyOnlyReads(t *testing.T) {
	p, where := grants(t, ReadOnly()...)
	for _, c := range []string{"ls -la | head -5", "git status && git diff HEAD~1 -- src", "grep -rn foo src | sort | uniq -c", "find . -name '*.go' | xargs grep -l x", "gofmt -l . 2>&1 | tail -3", "cat src/*.go | wc -l", "sed -n 1,5p src/a.go", "git log --oneline | head"} {
		if v := Simulate(p, "", c, "", where); v.Outcome != Allow {
			t.Errorf("%q: %s", c, v.Reason)
		}
	}
	for _, c := range []string{
		"ls > x", "cat a | tee b", "cat a >> b", "find . -delete", "find . -name x -exec rm {} +", "find . -fprint x", "find . -execdir sh -c x \\;", "grep x a | xargs rm", "ls | sh", "rg --pre sh x", "rg --pre=sh x", "tree -o x", "file -C -m x", "sort a -o a", "sort --output a a",
		"sort --compress-program sh a", "uniq a b", "sed -n 'w x' a", "sed -n -i p a", "sed -ni p a", "sed -n '1e id' a", "sed -n 's/a/b/w x' a", "date -s 1", "date --set=1", "git diff --output=x", "git diff --ext-diff", "git grep -O x", "git grep --open-files-in-pager=sh x",
		"git show --output x", "git branch -D x", "git stash", "git stash list -p --output=x", "git remote add x y", "go vet -vettool=./x", "go list -toolexec ./x ./...", "go list -exec=x", "gofmt -l -w .", "gofmt -w .", "cargo tree --config x", "git log --ext-diff -p", "git -c core.fsmonitor=./x status",
		"cat <(rm x)", "diff <(rm x) a", "head $(rm x)", "stat `rm x`", "which x; x", "jq . a > a", "cat /etc/shadow", "cat ~/.aws/credentials", "GIT_EXTERNAL_DIFF=x git diff", "env x", "xargs -a f rm", "timeout 1 x", "ls; x", "ls\nx", "ls & x",
	} {
		if v := Simulate(p, "", c, "", where); v.Outcome != Ask {
			t.Errorf("%q: %s", c, v.Outcome)
		}
	}
}
