package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A repository's own configuration can name programs: none of them runs.
func TestHostileRepository(t *testing.T) {
	w := newRepo(t)
	trap := filepath.Join(t.TempDir(), "sprung")
	program := filepath.Join(t.TempDir(), "trap.sh")
	w.ok(os.WriteFile(program, []byte("#!/bin/sh\necho x >> "+trap+"\ncat\n"), 0o755))
	w.write(".gitattributes", "* filter=evil diff=evil text\n")
	for _, kv := range []string{
		"core.fsmonitor", "core.hooksPath", "core.pager", "core.sshCommand", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
		"diff.evil.textconv", "diff.external", "core.editor", "credential.helper", "uploadpack.packObjectsHook",
	} {
		w.sh(fmt.Sprintf("git config %s %s", kv, program))
	}
	w.sh("git config filter.evil.required true && git config extensions.partialClone evil && git config remote.evil.url ext::" + program)
	w.command("nb", "c1", "echo changed > clean.txt; echo changed > dirty.txt; echo y > new.txt")
	if b, err := os.ReadFile(trap); err == nil {
		t.Errorf("a program of the repository ran: %s", b)
	}
	w.expect(w.said(w.plan("nb", "c1")), "clean.txt rewrite?, dirty.txt rewrite?, new.txt remove?")
	p := w.plan("nb", "c1")
	w.apply(p, all(p))
	w.expect(w.tree()["dirty.txt"], "644 not committed\n")
}

// A pipe in place of a git file blocks whoever opens it.
func TestPipesInARepository(t *testing.T) {
	for _, name := range []string{".git/HEAD", ".git/commondir", ".git/index", ".gitignore", "clean.txt"} {
		t.Run(name, func(t *testing.T) {
			w := newRepo(t)
			w.s.limits.Wait = 300 * time.Millisecond
			_ = os.Remove(w.path(name))
			pipe(t, w.path(name))
			start := time.Now()
			turn, err := w.s.Begin("nb", "c1")
			w.ok(err)
			turn.BeforeCommand(context.Background(), w.dir).After()
			w.ok(turn.End())
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%v", took)
			}
			w.expect(w.said(w.plan("nb", "c1")), "")
		})
	}
	w := newWorld(t)
	pipe(t, w.path(".git"))
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	turn.BeforeCommand(context.Background(), w.dir).After()
	if notes := w.plan("nb", "c1").Notes; len(notes) != 1 || !strings.Contains(notes[0], "not understood") {
		t.Errorf("%q", notes)
	}
}

func TestLineEndsOfGit(t *testing.T) {
	w := newRepo(t)
	w.write(".gitattributes", "*.bat text eol=crlf\n")
	w.write("a.bat", "echo\r\nexit\r\n")
	w.sh("git add . && git commit -qm bat && rm a.bat && git checkout -q a.bat")
	start := w.tree()
	if start["a.bat"] != "644 echo\r\nexit\r\n" {
		t.Fatalf("%q", start["a.bat"])
	}
	w.command("nb", "c1", "echo changed > a.bat")
	p := w.plan("nb", "c1")
	w.apply(p, all(p))
	w.same("line ends", w.tree(), start)
}

// Names of contents may be longer than usual.
func TestRepositoryWithLongNames(t *testing.T) {
	w := newRepo(t)
	w.sh("rm -rf .git && git init -q --object-format=sha256 && git add -A && git commit -qm first")
	start := w.tree()
	w.command("nb", "c1", "echo changed > clean.txt; rm dirty.txt; echo new > new.txt")
	p := w.plan("nb", "c1")
	if len(p.Notes) > 0 {
		t.Errorf("%q", p.Notes)
	}
	w.apply(p, all(p))
	w.same("files", w.tree(), start)
}

func TestIgnoredFilesAreNotTakenForNew(t *testing.T) {
	w := newRepo(t)
	w.command("nb", "c1", "echo > .gitignore; echo new > new.txt; git add -f ignored.log; echo more >> ignored.log")
	p := w.plan("nb", "c1")
	if strings.Contains(w.said(p), "ignored.log") || !strings.Contains(strings.Join(p.Notes, " "), "files that were not read before") {
		t.Errorf("%s, %q", w.said(p), p.Notes)
	}
	w.apply(p, all(p))
	w.expect(w.tree()[".gitignore"], "644 *.log\nbuild/\n")
	w.expect(w.tree()["ignored.log"], "644 log\nmore\n")
}

func TestCommandThatCommits(t *testing.T) {
	w := newRepo(t)
	start := w.tree()
	w.command("nb", "c1", "echo 2 > clean.txt; git add -A; git commit -qm second; git checkout -q -b other; rm dirty.txt")
	p := w.plan("nb", "c1")
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "leaves commits and branches as they are") {
		t.Errorf("%q", p.Notes)
	}
	w.apply(p, all(p))
	w.same("files", w.tree(), start)
}

func TestWorktreeAndNested(t *testing.T) {
	w := newRepo(t)
	w.sh("git worktree add -q ../" + filepath.Base(w.dir) + "-two && mkdir inner && cd inner && git init -q && echo 1 > a")
	two := w.dir + "-two"
	t.Cleanup(func() { os.RemoveAll(two) })
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), two)
		w.sh("echo changed > " + two + "/clean.txt; echo 2 > inner/a")
		c.After()
		c = turn.BeforeCommand(context.Background(), w.dir)
		c.After()
	})
	p := w.plan("nb", "c1")
	if len(p.Files) != 1 || p.Files[0].Path != filepath.Join(two, "clean.txt") || !strings.Contains(strings.Join(p.Notes, " "), "repositories of its own (inner)") {
		t.Errorf("%+v", p)
	}
	w.apply(p, all(p))
	if b, _ := os.ReadFile(filepath.Join(two, "clean.txt")); string(b) != "clean\n" {
		t.Errorf("%q", b)
	}
}
