package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sh runs a shell command in the folder, as an agent's.
func (w *world) sh(script string) {
	w.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// command runs a script as a turn of its own.
func (w *world) command(notebook, cell, script string) *Recorder {
	w.Helper()
	return w.turn(notebook, cell, func(t *Recorder) {
		c := t.BeforeCommand(context.Background(), w.dir)
		w.sh(script)
		c.After()
	})
}

func newRepo(t *testing.T) *world {
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and sh")
	}
	w := newWorld(t)
	w.write("clean.txt", "clean\n")
	w.write("sub/clean.txt", "clean too\n")
	w.write("dirty.txt", "committed\n")
	w.write("run.sh", "#!/bin/sh\n")
	w.write("ünï code.txt", "umlauts\n")
	w.write(".gitignore", "*.log\nbuild/\n")
	w.ok(os.Chmod(w.path("run.sh"), 0o755))
	w.ok(os.Symlink("clean.txt", w.path("link")))
	w.sh("git init -q && git add . && git commit -qm first")
	w.write("dirty.txt", "not committed\n")
	w.write("untracked.txt", "nobody else has this\n")
	w.write("ignored.log", "log\n")
	return w
}

// inside reads the content of the repository, byte by byte.
func (w *world) inside() map[string]string {
	w.Helper()
	out := map[string]string{}
	w.ok(filepath.WalkDir(w.path(".git"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		info, ierr := d.Info()
		out[p] = fmt.Sprint(info.ModTime(), string(b))
		return errors.Join(err, ierr)
	}))
	return out
}

func TestCommand(t *testing.T) {
	w := newRepo(t)
	start, inside := w.tree(), w.inside()
	w.command("nb", "c1", `
		echo changed > clean.txt; echo changed >> dirty.txt; echo changed > untracked.txt; rm sub/clean.txt
		echo new > new.txt; mkdir -p deep/er; echo new > deep/er/new.txt; mv "ünï code.txt" moved.txt
		chmod 644 run.sh; ln -sf dirty.txt link; echo more >> ignored.log; mkdir build; echo out > build/out`)
	w.same("the repository", w.inside(), inside)
	w.restart()
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite?, deep/er/new.txt remove?, dirty.txt rewrite?, link rewrite?, moved.txt remove?, new.txt remove?, run.sh chmod?, sub/clean.txt recreate?, untracked.txt rewrite?, ünï code.txt recreate?")
	if len(p.Notes) > 0 {
		t.Errorf("%q", p.Notes)
	}
	a := w.apply(p, all(p))
	if len(a.Left) > 0 {
		t.Errorf("%+v", a.Left)
	}
	start["deep"], start["deep/er"] = "folder", "folder" // git knows no folders
	start["build"], start["build/out"], start["ignored.log"] = "folder", "644 out\n", "644 log\nmore\n"
	w.same("before the command", w.tree(), start)
	w.same("the repository, still", w.inside(), inside)
}

// A .gitignore written just before a command does not count as changed by it: the command's files
// are still found.
func TestCommandRightBehindAGitignore(t *testing.T) {
	w := newRepo(t)
	w.write("sub/.gitignore", "*.tmp\n")
	w.command("nb", "c1", "echo new > sub/new.txt; echo new > sub/new.tmp")
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "sub/new.txt remove?")
	if len(p.Notes) > 0 {
		t.Errorf("%q", p.Notes)
	}
}

func TestCommandThatChangesNothing(t *testing.T) {
	w := newRepo(t)
	w.command("nb", "c1", "ls; touch clean.txt untracked.txt; cp dirty.txt x; mv x dirty.txt")
	w.expect(w.said(w.plan("nb", "c1")), "")
	changes, err := w.s.Changes("nb")
	w.ok(err)
	if len(changes) > 0 {
		t.Errorf("%+v", changes)
	}
}

func TestSeveralCommands(t *testing.T) {
	w := newRepo(t)
	start := w.tree()
	w.turn("nb", "c1", func(turn *Recorder) {
		for i := range 4 {
			c := turn.BeforeCommand(context.Background(), w.path("sub"))
			w.sh(fmt.Sprintf("echo %d > clean.txt; echo %d > untracked.txt; echo %d > new%d", i, i, i, i))
			c.After()
			w.edit("clean.txt", fmt.Sprint("by a tool ", i))(turn)
			w.edit("tool.txt", fmt.Sprint(i))(turn)
		}
	})
	w.write("dirty.txt", "by a person\n")
	w.restart()
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite?, new0 remove?, new1 remove?, new2 remove?, new3 remove?, tool.txt remove, untracked.txt rewrite?")
	w.apply(p, all(p))
	start["dirty.txt"] = "644 by a person\n"
	w.same("before all of them", w.tree(), start)
}

// Changes that another agent's tools make while a command runs belong to that agent.
func TestCommandBesideAnotherAgent(t *testing.T) {
	w := newRepo(t)
	other, err := w.s.Begin("other", "x")
	w.ok(err)
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir)
		w.edit("clean.txt", "by the other\n")(other)
		w.edit("made.txt", "by the other\n")(other)
		w.ok(other.Before(w.path("sub/clean.txt"))) // and still at it
		w.write("sub/clean.txt", "by the other\n")
		w.sh("echo mine > new.txt")
		c.After()
	})
	w.ok(other.End())
	w.expect(w.said(w.plan("nb", "c1")), "new.txt remove?")
	w.expect(w.said(w.plan("other", "x")), "clean.txt rewrite, made.txt remove, sub/clean.txt rewrite")
}

func TestCommandWithoutGit(t *testing.T) {
	w := newWorld(t)
	w.write("a", "0")
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir)
		w.write("a", "1")
		c.After()
		w.edit("b", "1")(turn)
	})
	w.restart()
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "b remove")
	if want := "What commands in " + w.dir + " change cannot be found, and is not restored: the folder is in no git work tree."; len(p.Notes) != 1 || p.Notes[0] != want {
		t.Errorf("%q", p.Notes)
	}
}

// A tool that is stopped may still be looking when its turn ends.
func TestEndWaitsForCommands(t *testing.T) {
	w := newRepo(t)
	for i := range 20 {
		cell := fmt.Sprint("c", i)
		after := make(chan struct{})
		w.turn("nb", cell, func(turn *Recorder) {
			c := turn.BeforeCommand(context.Background(), w.dir)
			w.write("clean.txt", fmt.Sprint(i))
			go func() { c.After(); close(after) }()
			time.Sleep(time.Duration(i) * time.Millisecond)
		})
		<-after
		w.expect(w.said(w.plan("nb", cell)), "clean.txt rewrite?")
	}
}

func TestFilesThatAreNotKeptAreReported(t *testing.T) {
	w := newWorld(t)
	w.write("a", "0")
	w.turn("nb", "c1", func(turn *Recorder) {
		w.ok(os.RemoveAll(w.s.objects.dir))
		w.ok(os.WriteFile(w.s.objects.dir, nil, 0o600)) // nothing can be put there
		if err := turn.Before(w.path("a")); err == nil {
			t.Error("it was kept nowhere")
		}
	})
	if p := w.plan("nb", "c1"); len(p.Files) > 0 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "could not be kept") {
		t.Errorf("%+v", p)
	}
}

// End closes a command that was not closed, such as one in the background.
func TestEndClosesCommands(t *testing.T) {
	w := newRepo(t)
	turn := w.turn("nb", "c1", func(turn *Recorder) {
		turn.BeforeCommand(context.Background(), w.dir)
		w.sh("echo 1 > clean.txt")
	})
	w.expect(w.said(w.plan("nb", "c1")), "clean.txt rewrite?")
	if err := turn.Before(w.path("x")); err == nil {
		t.Error("a turn that ended takes changes")
	}
	w.ok(turn.End())
}

func TestCommandBounds(t *testing.T) {
	w := newRepo(t)
	w.limits = Limits{Files: 10, Command: 4000, File: 1000}
	w.restart()
	for i := range 30 {
		w.write(fmt.Sprintf("many%02d", i), fmt.Sprint("text ", i))
	}
	w.write("zlarge", strings.Repeat("x", 1500))
	w.command("nb", "c1", "for f in many*; do echo x > $f; done; echo x > zlarge; echo x > clean.txt")
	p := w.plan("nb", "c1")
	can, cannot := 0, 0
	for _, r := range p.Files {
		if r.Action == Unable {
			cannot++
		} else {
			can++
		}
	}
	if can < 8 || can > 11 || cannot != 32-can || !strings.Contains(strings.Join(p.Notes, " "), "too large or too many") {
		t.Errorf("%d can be restored, %d cannot, %q", can, cannot, p.Notes[:1])
	}
}

// A person who stops an agent does not wait for git.
func TestCommandStopped(t *testing.T) {
	w := newRepo(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	start := time.Now()
	turn.BeforeCommand(ctx, w.dir).After()
	w.ok(turn.End())
	if took := time.Since(start); took > time.Minute {
		t.Errorf("%v", took)
	}
	if notes := w.plan("nb", "c1").Notes; len(notes) != 1 {
		t.Errorf("%q", notes)
	}
	var none *Recorder
	w.ok(errors.Join(none.Before("x"), none.After("x"), none.End()))
	none.BeforeCommand(ctx, w.dir).After()
}

// Content kept for a running command is not swept.
func TestSweepBesideACommand(t *testing.T) {
	w := newRepo(t)
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	c := turn.BeforeCommand(context.Background(), w.dir)
	w.age(48 * time.Hour)
	_, err = w.s.Sweep()
	w.ok(err)
	w.sh("echo x > untracked.txt")
	c.After()
	w.ok(turn.End())
	p := w.plan("nb", "c1")
	w.apply(p, all(p))
	w.expect(w.tree()["untracked.txt"], "644 nobody else has this\n")
	if len(w.s.pins) > 0 {
		t.Errorf("%v are still held", w.s.pins)
	}
}
