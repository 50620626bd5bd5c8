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

// cutOff runs a command during which the program ends, and restarts the program.
func (w *world) cutOff(dir, script string, writes ...string) {
	w.Helper()
	w.at = w.at.Add(time.Second)
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	turn.BeforeCommand(context.Background(), dir, writes...)
	w.sh(script)
	if notes := w.plan("nb", "c1").Notes; len(notes) > 0 && !strings.Contains(notes[0], "cannot be found") {
		w.Errorf("while it runs: %q", notes)
	}
	w.startsAgain(turn)
}

// startsAgain ends the process of a turn, and opens the store as the next does.
func (w *world) startsAgain(turn *Recorder) {
	w.Helper()
	w.die(turn)
	for range 100 { // a process that starts elsewhere holds the lock between fork and exec
		if w.restart(); w.s.turns[turn.t.id].cut {
			return
		}
	}
	w.Fatal("the turn is still under way")
}

// The changes of a command whose end the program did not see are still found; that the command made
// them is not certain.
func TestCommandCutOff(t *testing.T) {
	w := newRepo(t)
	w.sh("chmod 755 sub/clean.txt && git add sub && git commit -qm mode")
	start := w.tree()
	w.cutOff(w.dir, `
		echo changed > clean.txt; echo changed >> dirty.txt; echo changed > untracked.txt; rm sub/clean.txt
		echo new > new.txt; mv "ünï code.txt" moved.txt; chmod 644 run.sh; ln -sf dirty.txt link
		echo more >> ignored.log; git add -A; git commit -qm second; echo { > talk.mtm`, w.path("clean.txt"))
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite?, dirty.txt rewrite?, link rewrite?, moved.txt remove?, new.txt remove?, run.sh chmod?, sub/clean.txt recreate?, untracked.txt rewrite?, ünï code.txt recreate?")
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "leaves commits and branches") || !strings.Contains(p.Files[0].Why, "that ran when the program ended") {
		t.Errorf("%q, %+v", p.Notes, p.Files[0])
	}
	changes, err := w.s.Changes("nb")
	w.ok(err)
	if len(changes) != len(p.Files) || !changes[0].Uncertain || changes[0].Added != 1 || changes[0].Removed != 1 {
		t.Errorf("%+v", changes)
	}
	if left := w.apply(p, nil).Left; len(left) != len(p.Files) {
		t.Errorf("without a choice: %+v", left)
	}
	w.apply(p, all(p))
	start["ignored.log"], start["talk.mtm"] = "644 log\nmore\n", "644 {\n"
	w.same("before the command", w.tree(), start)
	if list, err := os.ReadDir(w.s.pendings()); err != nil || len(list) > 0 {
		t.Errorf("%v is left of the command, %v", list, err)
	}
}

// A file that a tool was overwriting when the program ended is listed and restored.
func TestToolCutOff(t *testing.T) {
	for _, done := range []bool{true, false} {
		t.Run(fmt.Sprintf("done=%v", done), func(t *testing.T) {
			w := newWorld(t)
			w.write("a", "one\n")
			w.at = w.at.Add(time.Second)
			turn, err := w.s.Begin("nb", "c1")
			w.ok(err)
			w.ok(turn.Before(w.path("a")))
			w.write("a", "two\n")
			if done {
				w.ok(turn.After(w.path("a")))
			}
			w.startsAgain(turn)
			changes, err := w.s.Changes("nb")
			w.ok(err)
			if len(changes) != 1 || changes[0].Added != 1 || changes[0].Removed != 1 {
				t.Errorf("%+v", changes)
			}
			p := w.plan("nb", "c1")
			w.expect(w.said(p), map[bool]string{true: "a rewrite", false: "a rewrite!"}[done])
			w.apply(p, all(p))
			w.expect(w.tree()["a"], "644 one\n")
		})
	}
}

// In a folder without git nothing can be found, and a note says so.
func TestCommandCutOffWithoutGit(t *testing.T) {
	w := newWorld(t)
	w.cutOff(w.dir, "true")
	if notes := w.plan("nb", "c1").Notes; len(notes) != 2 || !strings.HasPrefix(notes[0], "The program ended while a command ran") {
		t.Errorf("%q", notes)
	}
}

// A sweep keeps the data of a running command, and removes what is left of a forgotten one.
func TestSweepOfCommandsUnderWay(t *testing.T) {
	w := newRepo(t)
	w.command("nb", "c0", "echo 0 > untracked.txt")
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	turn.BeforeCommand(context.Background(), w.dir)
	w.sh("echo x > untracked.txt")
	w.age(48 * time.Hour)
	stray := filepath.Join(w.s.pendings(), "0123-1.json")
	w.ok(os.WriteFile(stray, []byte("{}"), 0o600))
	w.ok(os.Chtimes(stray, time.Time{}, time.Now().Add(-2*grace)))
	other, err := Open(w.cache, Limits{}, nil) // of another process, which pins nothing
	w.ok(err)
	_, err = other.Sweep()
	w.ok(err)
	if list, err := os.ReadDir(w.s.pendings()); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	w.startsAgain(turn)
	p := w.plan("nb", "c1")
	w.apply(p, all(p))
	w.expect(w.tree()["untracked.txt"], "644 0\n")
}
