package checkpoint

import (
	"errors"
	"os"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

func TestRestore(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "one\n")
	w.write("sub/b.txt", "two\n")
	w.write("run.sh", "#!/bin/sh\n")
	w.write("gone.txt", "still here\n")
	w.write("bin.dat", "\x00\xff\xfe"+strings.Repeat("\x01", 1000))
	w.write("empty", "")
	w.ok(os.Chmod(w.path("run.sh"), 0o754))
	w.ok(os.Symlink("a.txt", w.path("link")))
	w.ok(os.Symlink("nowhere", w.path("dangling")))
	start := w.tree()
	first := w.turn("nb", "c1",
		w.edit("a.txt", "ONE\n"), w.edit("new/deep/n.txt", "new\n"), w.edit("bin.dat", "\x00"), w.edit("empty", "full"),
		w.does("gone.txt", os.Remove), w.does("run.sh", func(p string) error { return os.Chmod(p, 0o600) }))
	middle := w.tree()
	w.turn("nb", "c2",
		w.edit("a.txt", "ONE and more\n"), w.edit("a.txt", "ONE and even more\n"), w.edit("sub/b.txt", "TWO\n"),
		w.does("link", func(p string) error { return errors.Join(os.Remove(p), os.Symlink("sub/b.txt", p)) }),
		w.does("dangling", func(p string) error { return errors.Join(os.Remove(p), os.WriteFile(p, []byte("x"), 0o644)) }))
	end := w.tree()

	w.restart()
	p2, p1 := w.plan("nb", "c2"), w.plan("nb", "c1")
	w.expect(w.said(p2), "a.txt rewrite, dangling rewrite, link rewrite, sub/b.txt rewrite")
	w.expect(w.said(p1), "a.txt rewrite, bin.dat rewrite, dangling rewrite, empty rewrite, gone.txt recreate, link rewrite, new remove, new/deep remove, new/deep/n.txt remove, run.sh chmod, sub/b.txt rewrite")
	if again := w.plan("nb", "c1"); again.Token != p1.Token || p1.Token == p2.Token {
		t.Errorf("tokens: %s %s %s", p1.Token, again.Token, p2.Token)
	}
	w.same("a plan", w.tree(), end)

	done := w.apply(p2, nil)
	w.same("before c2", w.tree(), middle)
	w.restart()
	w.expect(w.said(w.plan("nb", "c2")), "")
	done1 := w.apply(w.plan("nb", "c1"), nil)
	w.same("before c1", w.tree(), start)
	if len(done1.Left) > 0 || len(done1.Restored) != 8 {
		t.Errorf("%+v", done1)
	}

	w.restart()
	for _, undo := range []struct {
		id   string
		want map[string]string
	}{{done1.ID, middle}, {done.ID, end}} {
		p, err := w.s.PlanUndo(undo.id)
		w.ok(err)
		w.apply(p, nil)
		w.same("after the undo of "+undo.id, w.tree(), undo.want)
	}
	w.apply(w.plan("nb", "c1"), nil) // an undone and redone restore can be undone
	w.same("once more", w.tree(), start)

	infos, err := w.s.Turns("nb")
	w.ok(err)
	if len(infos) != 7 || infos[0].ID != first.ID() || infos[0].Cell != "c1" || infos[0].Files != 8 || !infos[0].Ended || infos[0].Restore || !infos[2].Restore {
		t.Errorf("%+v", infos)
	}
	if _, err := w.s.Plan("nb", "c9"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a prompt that did not run: %v", err)
	}
	if _, err := w.s.PlanUndo(first.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("no restore: %v", err)
	}
}

// A prompt whose answer touched nothing still has its place in time.
func TestPromptThatTouchedNothing(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1")
	w.turn("nb", "c1")
	w.turn("nb", "c2", w.edit("a", "2"))
	w.restart()
	w.expect(w.said(w.plan("nb", "c1")), "a rewrite")
}

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(w *world) // the two turns
		behind  func(w *world)
		want    string
		why     string
	}{
		{"nobody", nil, nil, "a rewrite", ""},
		{"a person, afterwards", nil, func(w *world) { w.write("a", "mine") }, "a rewrite!", "It was changed since the agent changed it."},
		{"a person, in between", func(w *world) { w.write("a", "mine") }, nil, "a rewrite!", "It was changed by somebody else between two changes of the agent."},
		{"a person deleted it", nil, func(w *world) { w.ok(os.Remove(w.path("a"))) }, "a recreate!", "It was deleted since the agent changed it."},
		{"a person put it back", nil, func(w *world) { w.write("a", "0") }, "", ""},
		{"only its mode", nil, func(w *world) { w.ok(os.Chmod(w.path("a"), 0o600)) }, "a rewrite!", "It was changed since the agent changed it."},
		{"another agent", nil, func(w *world) { w.turn("other", "x", w.edit("a", "theirs")) }, "a rewrite!other", "Another agent changed it, too."},
		{"another agent, in between", func(w *world) { w.turn("other", "x", w.edit("a", "theirs")) }, nil, "a rewrite!other", "Another agent changed it, too."},
		{"a folder is there", nil, func(w *world) { w.ok(os.Remove(w.path("a"))); w.ok(os.Mkdir(w.path("a"), 0o755)) }, "a unable", "There is a folder now."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a", "0")
			start := w.tree()
			w.turn("nb", "c1", w.edit("a", "1"))
			if c.between != nil {
				c.between(w)
			}
			w.turn("nb", "c2", w.edit("a", "2"))
			if c.behind != nil {
				c.behind(w)
			}
			w.restart()
			p := w.plan("nb", "c1")
			w.expect(w.said(p), c.want)
			if len(p.Files) == 0 {
				return
			}
			w.expect(p.Files[0].Why, c.why)
			there := w.tree()
			if p.Files[0].Conflict {
				a := w.apply(p, nil)
				w.same("a conflict is left", w.tree(), there)
				if a.ID != "" || len(a.Left) != 1 {
					t.Errorf("%+v", a)
				}
			}
			a := w.apply(p, map[string]Choice{w.path("a"): Take})
			if p.Files[0].Action == Unable {
				w.same("what cannot be", w.tree(), there)
				return
			}
			w.same("taken all the same", w.tree(), start)
			undo, err := w.s.PlanUndo(a.ID)
			w.ok(err)
			w.apply(undo, nil)
			w.same("and back", w.tree(), there)
		})
	}
}

// A change by a person between a restore and the next run does not count as the agent's.
func TestRunAgainAfterARestore(t *testing.T) {
	w := newWorld(t)
	w.write("a", "0")
	w.turn("nb", "c1", w.edit("a", "1"), w.edit("b", "1"))
	w.apply(w.plan("nb", "c1"), map[string]Choice{w.path("b"): Leave})
	w.write("a", "mine")
	w.turn("nb", "c1", w.edit("a", "2"))
	w.apply(w.plan("nb", "c1"), nil)
	w.same("before the second run", w.tree(), map[string]string{"a": "644 mine", "b": "644 1"})
}

// A restore to a prompt that was already restored leaves the earlier restore's result as it is.
func TestRestoreAcrossARestore(t *testing.T) {
	w := newWorld(t)
	w.write("a", "0")
	start := w.tree()
	w.turn("nb", "c1", w.edit("a", "1"))
	w.turn("nb", "c2", w.edit("a", "2"))
	w.apply(w.plan("nb", "c1"), nil)
	w.turn("nb", "c3", w.edit("a", "3"))
	w.apply(w.plan("nb", "c2"), nil)
	w.same("before c2, which is after the restore", w.tree(), start)
	for _, cell := range []string{"c1", "c2", "c3"} {
		w.expect(w.said(w.plan("nb", cell)), "")
	}
	w.turn("nb", "c4", w.edit("a", "4"))
	w.expect(w.said(w.plan("nb", "c1")), "a rewrite")
}

func TestChangedSinceThePlan(t *testing.T) {
	w := newWorld(t)
	w.write("a", "0")
	w.write("d/b", "0")
	w.turn("nb", "c1", w.edit("a", "1"), w.edit("d/b", "1"))
	p := w.plan("nb", "c1")
	w.write("a", "mine")
	w.ok(os.Rename(w.path("d"), w.path("e")))
	w.ok(os.Symlink("e", w.path("d"))) // d/b still reads the same, and is another file
	a := w.apply(p, nil)
	if len(a.Restored) != 0 || len(a.Left) != 2 || a.Left[0].Why != "it was changed just now" || !strings.Contains(a.Left[1].Why, "folder on the path") {
		t.Errorf("%+v", a)
	}
	w.same("nothing was done", w.tree(), map[string]string{"a": "644 mine", "d": "-> e", "e": "folder", "e/b": "644 1"})
	if q := w.plan("nb", "c1"); q.Token == p.Token {
		t.Error("the token is the same for other files")
	}
}

func TestFolderWithOtherFiles(t *testing.T) {
	w := newWorld(t)
	w.turn("nb", "c1", w.edit("new/a", "1"))
	w.write("new/mine", "mine")
	a := w.apply(w.plan("nb", "c1"), nil)
	w.same("the rest stays", w.tree(), map[string]string{"new": "folder", "new/mine": "644 mine"})
	if len(a.Left) != 1 || a.Left[0].Why != "other files are in this folder" {
		t.Errorf("%+v", a)
	}
}

func TestLinkedFile(t *testing.T) {
	w := newWorld(t)
	w.write("real/a", "0")
	w.ok(os.Symlink("real", w.path("way")))
	w.ok(os.Symlink("way/a", w.path("link")))
	start := w.tree()
	w.turn("nb", "c1", w.edit("link", "1"), w.edit("way/b", "1")) // through the links
	w.restart()
	w.expect(w.said(w.plan("nb", "c1")), "real/a rewrite, real/b remove")
	w.apply(w.plan("nb", "c1"), nil)
	w.same("through links", w.tree(), start)
}
