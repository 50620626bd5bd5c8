package checkpoint

import (
	"context"
	"os"
	"testing"
	"time"
)

// Notebooks are never kept or restored as files, whoever writes them and whatever an earlier
// version kept, and agents' own files do not belong to the command.
func TestNotebooksAreNeverRestored(t *testing.T) {
	w := newRepo(t)
	w.write("talk.mtm", "{}\n")
	w.write(".mutsumi/other.mtm", "{}\n")
	w.write(".mutsumi/rules/r.md", "rule\n")
	w.sh("git add . && git commit -qm notebooks")
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir, w.path("talk.mtm"))
		w.sh("echo more | tee -a clean.txt talk.mtm .mutsumi/other.mtm .mutsumi/new.MTM .mutsumi/rules/r.md .mutsumi/.mutsumi-1-X.tmp .mutsumi-1-Y.tmp")
		c.After()
		w.edit("talk.mtm", "{}\n\n")(turn)
		w.edit(".mutsumi/rules/s.md", "by a tool\n")(turn) // which no command did
	})
	w.expect(w.said(w.plan("nb", "c1")), ".mutsumi/rules/s.md remove, clean.txt rewrite?")
	// As an earlier version wrote it.
	log, err := os.ReadFile(w.s.logs() + "/" + w.s.of("nb")[0].id + ".log")
	w.ok(err)
	old, err := parseTurn("x", append(log, `{"before":{"path":"`+w.path("talk.mtm")+`","state":{"kind":"absent"}}}`+"\n"...))
	w.ok(err)
	if old.last[w.path("talk.mtm")] != nil {
		t.Error("a notebook that was kept once is still restored")
	}
}

// The person saves a file while a command of an agent runs: unless they choose otherwise, only
// files that the command names as written are restored.
func TestWhatThePersonSavedDuringACommandIsLeft(t *testing.T) {
	w := newRepo(t)
	w.write("notes.txt", "old\n")
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir, w.path("clean.txt"), w.path("sub"), w.path("link"))
		w.sh("echo two >> clean.txt; rm -r sub; echo x > link")
		w.write("notes.txt", "an hour of work\n")
		w.write("sub2/new.txt", "mine as well\n")
		c.After()
	})
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite, notes.txt rewrite?, sub/clean.txt recreate, sub2/new.txt remove?")
	a := w.apply(p, nil)
	w.expect(w.tree()["notes.txt"], "644 an hour of work\n")
	w.expect(w.tree()["sub2/new.txt"], "644 mine as well\n")
	w.expect(w.tree()["clean.txt"], "644 clean\n")
	w.expect(w.tree()["sub/clean.txt"], "644 clean too\n")
	if len(a.Left) != 2 || a.Left[0].Why != "" {
		t.Errorf("%+v", a.Left)
	}
	// By choice it is restored, and the restore undone.
	p = w.plan("nb", "c1")
	w.expect(w.said(p), "notes.txt rewrite?, sub2/new.txt remove?")
	a = w.apply(p, all(p))
	w.expect(w.tree()["notes.txt"], "644 old\n")
	undo, err := w.s.PlanUndo(a.ID)
	w.ok(err)
	w.expect(w.said(undo), "notes.txt rewrite, sub2/new.txt recreate")
	w.apply(undo, nil)
	w.expect(w.tree()["notes.txt"], "644 an hour of work\n")
}

// A change after the command is a conflict, even if the command names the file.
func TestWhatChangedAfterTheCommandIsAConflict(t *testing.T) {
	w := newRepo(t)
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir, w.path("clean.txt"))
		w.sh("echo two >> clean.txt; echo two >> dirty.txt")
		c.After()
	})
	w.write("clean.txt", "mine\n")
	w.write("dirty.txt", "mine\n")
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite!, dirty.txt rewrite?!")
	w.apply(p, nil)
	w.expect(w.tree()["clean.txt"]+w.tree()["dirty.txt"], "644 mine\n644 mine\n")
}

// Two agents run commands at the same time, in one process or in two: what
// neither or both name may be of either.
func TestCommandsOfTwoAgentsAtOnce(t *testing.T) {
	for name, apart := range map[string]bool{"one process": false, "two processes": true} {
		t.Run(name, func(t *testing.T) {
			w := newRepo(t)
			second := w.s
			if apart {
				var err error
				second, err = Open(w.cache, w.limits, func() time.Time { return w.at })
				w.ok(err)
			}
			one, err := w.s.Begin("one", "x")
			w.ok(err)
			two, err := second.Begin("two", "y")
			w.ok(err)
			first := one.BeforeCommand(context.Background(), w.dir, w.path("a.txt"), w.path("both.txt"))
			other := two.BeforeCommand(context.Background(), w.dir, w.path("b.txt"), w.path("both.txt"))
			w.sh("for f in a b both neither; do echo x > $f.txt; done")
			w.at = w.at.Add(time.Second)
			other.After()
			w.ok(two.End())
			first.After()
			w.ok(one.End())
			p := w.plan("one", "x")
			w.expect(w.said(p), "a.txt remove, b.txt remove?two, both.txt remove?two, neither.txt remove?two")
			w.expect(w.said(w.plan("two", "y")), "a.txt remove?one, b.txt remove, both.txt remove?one, neither.txt remove?one")
			if want := DoubtCommand.why(); p.Files[1].Why != want {
				t.Errorf("got %q", p.Files[1].Why)
			}
			w.apply(p, nil)
			w.expect(w.said(w.plan("one", "x")), "b.txt remove?two, both.txt remove?two, neither.txt remove?two")
		})
	}
}

// A tool of another agent writes a file that the command changes, too.
func TestAnotherAgentsToolDuringACommand(t *testing.T) {
	w := newRepo(t)
	other, err := w.s.Begin("other", "x")
	w.ok(err)
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir, w.path("clean.txt"))
		w.edit("clean.txt", "by the other\n")(other)
		w.sh("echo more >> clean.txt")
		c.After()
	})
	w.ok(other.End())
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite?other")
	w.expect(p.Files[0].Why, DoubtWritten.why())
}

// A person's restore through the program while a command runs belongs to the person.
func TestARestoreDuringACommandIsNotTheCommands(t *testing.T) {
	w := newRepo(t)
	w.turn("other", "x", w.edit("made.txt", "by the other\n"))
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir)
		w.apply(w.plan("other", "x"), nil)
		w.sh("echo x > clean.txt")
		c.After()
	})
	w.expect(w.said(w.plan("nb", "c1")), "clean.txt rewrite?")
}

// A tool of the agent itself writes while its own command runs: both are one
// change, and no conflict.
func TestTheAgentsOwnToolDuringItsCommand(t *testing.T) {
	w := newRepo(t)
	w.turn("nb", "c1", func(turn *Recorder) {
		c := turn.BeforeCommand(context.Background(), w.dir)
		w.edit("clean.txt", "by the tool\n")(turn)
		w.edit("tool.txt", "by the tool\n")(turn)
		w.sh("echo more >> clean.txt")
		c.After()
	})
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "clean.txt rewrite?, tool.txt remove")
	w.apply(p, all(p))
	w.expect(w.tree()["clean.txt"], "644 clean\n")
}
