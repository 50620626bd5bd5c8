package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// world is a person's folder and the store of it.
type world struct {
	*testing.T
	dir, cache string
	s          *Store
	limits     Limits
	at         time.Time
}

func newWorld(t *testing.T) *world {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, cache: filepath.Join(t.TempDir(), "checkpoints", ID(dir)), at: time.Now()}
	w.restart()
	return w
}

// restart opens the store as a new process does.
func (w *world) restart() {
	w.Helper()
	s, err := Open(w.cache, w.limits, func() time.Time { return w.at })
	w.ok(err)
	w.s = s
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// die ends the process of a turn: its file is closed, and nothing more.
func (w *world) die(t *Turn) {
	w.Helper()
	w.ok(t.file.Close())
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.Helper()
	w.ok(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	w.ok(os.WriteFile(w.path(name), []byte(text), 0o644))
}

// tree reads the folder: names with what is there.
func (w *world) tree() map[string]string {
	w.Helper()
	out := map[string]string{}
	w.ok(filepath.WalkDir(w.dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(w.dir, p)
		rel = filepath.ToSlash(rel)
		if err != nil || rel == "." {
			return err
		}
		if rel == ".git" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			out[rel] = "folder"
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			out[rel] = "-> " + target
			return err
		default:
			b, err := os.ReadFile(p)
			out[rel] = fmt.Sprintf("%o %s", info.Mode().Perm(), b)
			return err
		}
		return nil
	}))
	return out
}

func (w *world) same(what string, got, want map[string]string) {
	w.Helper()
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			w.Errorf("%s: %s is %.60q, want %.60q", what, k, got[k], want[k])
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			w.Errorf("%s: %s should not be there", what, k)
		}
	}
}

// turn is a turn of an agent that changes files as tools do.
func (w *world) turn(notebook, cell string, edits ...func(*Turn)) *Turn {
	w.Helper()
	w.at = w.at.Add(time.Second)
	t, err := w.s.Begin(notebook, cell)
	w.ok(err)
	for _, e := range edits {
		e(t)
	}
	w.ok(t.End())
	return t
}

func (w *world) does(name string, do func(path string) error) func(*Turn) {
	return func(t *Turn) {
		w.Helper()
		w.ok(t.Before(w.path(name)))
		w.ok(do(w.path(name)))
		w.ok(t.After(w.path(name)))
	}
}

func (w *world) edit(name, text string) func(*Turn) {
	return w.does(name, func(p string) error {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		return os.WriteFile(p, []byte(text), 0o644)
	})
}

func (w *world) plan(notebook, cell string) Plan {
	w.Helper()
	p, err := w.s.Plan(notebook, cell)
	w.ok(err)
	return p
}

// said is a plan in short: names with what happens to them.
func (w *world) said(p Plan) string {
	var out []string
	for _, r := range p.Files {
		rel, _ := filepath.Rel(w.dir, r.Path)
		s := filepath.ToSlash(rel) + " " + string(r.Action)
		if r.Conflict {
			s += "!" + r.By
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func (w *world) apply(p Plan, choices map[string]Choice) Applied {
	w.Helper()
	a, err := w.s.Apply(p, choices)
	w.ok(err)
	return a
}

func (w *world) expect(got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("got  %s\nwant %s", got, want)
	}
}

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
	w.apply(w.plan("nb", "c1"), nil) // what was taken back and put back can be taken back
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

// What a person wrote between a restore and the next run is not the agent's to take.
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

// A restore to a prompt that was taken back already leaves what an earlier
// restore did as it is.
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
	if len(a.Restored) != 0 || len(a.Left) != 2 || a.Left[0].Why != "it was changed just now" || !strings.Contains(a.Left[1].Why, "folder on the way") {
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

func TestLargeFile(t *testing.T) {
	w := newWorld(t)
	w.limits.File = 1000
	w.restart()
	w.write("big", strings.Repeat("x", 1001))
	w.write("fits", strings.Repeat("x", 1000))
	w.turn("nb", "c1", w.edit("big", "small"), w.edit("fits", "small"), w.edit("grows", strings.Repeat("y", 5000)))
	w.restart()
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "big unable, fits rewrite, grows remove")
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "are not kept") {
		t.Errorf("%q", p.Notes)
	}
	w.apply(p, map[string]Choice{w.path("big"): Take})
	w.same("what fits", w.tree(), map[string]string{"big": "644 small", "fits": "644 " + strings.Repeat("x", 1000)})
	if entries, _ := os.ReadDir(w.s.objects.dir); len(entries) > 3 {
		t.Errorf("%d objects", len(entries))
	}
}

func TestOddNames(t *testing.T) {
	w := newWorld(t)
	names := []string{"with space", "quote\"'\\", "new\nline", "ünï", "日本"}
	if runtime.GOOS == "linux" {
		names = append(names, "not\xff\xfeutf8", "\xff")
	}
	for _, n := range names {
		w.write(n, "0")
	}
	start := w.tree()
	for _, n := range names {
		w.turn("nb", "c1", w.edit(n, "1 "+n))
	}
	w.restart()
	w.apply(w.plan("nb", "c1"), nil)
	w.same("odd names", w.tree(), start)
}

func TestPipesAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	pipe(t, w.path("pipe"))
	w.turn("nb", "c1", w.does("pipe", func(p string) error { return errors.Join(os.Remove(p), os.WriteFile(p, nil, 0o644)) }))
	w.expect(w.said(w.plan("nb", "c1")), "pipe unable")
}

func TestWriters(t *testing.T) {
	w := newWorld(t)
	a, _ := w.s.Begin("one", "c1")
	w.at = w.at.Add(time.Second)
	b, _ := w.s.Begin("two", "c2")
	w.edit("a", "1")(a)
	w.edit("a", "2")(b)
	w.edit("a", "3")(a)
	w.edit("b", "1")(b)
	w.ok(a.End())
	w.ok(b.End())
	w.restart()
	got, err := w.s.Writers(w.path("a"))
	w.ok(err)
	if len(got) != 2 || got[0].Notebook != "one" || got[1].Notebook != "two" || got[1].Cell != "c2" || got[0].Turn != a.ID() {
		t.Errorf("%+v", got)
	}
	w.expect(w.said(w.plan("one", "c1")), "a remove!two")
	w.expect(w.said(w.plan("two", "c2")), "a rewrite!one, b remove")
	changes, err := w.s.Changes("two")
	w.ok(err)
	if len(changes) != 2 || !changes[0].Mixed || !slices.Equal(changes[0].Others, []string{"one"}) || changes[1].Mixed || changes[1].Others != nil {
		t.Errorf("%+v", changes)
	}
	w.apply(w.plan("two", "c2"), map[string]Choice{w.path("a"): Take})
	if got, _ = w.s.Writers(w.path("a")); len(got) != 1 || got[0].Notebook != "one" {
		t.Errorf("after a restore: %+v", got)
	}
}

// A turn that was cut off: what is known is used, what is not is asked.
func TestTurnThatDidNotEnd(t *testing.T) {
	w := newWorld(t)
	for _, n := range []string{"done", "kept", "half", "twice"} {
		w.write(n, "0")
	}
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	w.edit("done", "1")(turn)
	w.edit("twice", "1")(turn)
	for _, n := range []string{"kept", "half", "twice"} {
		w.ok(turn.Before(w.path(n)))
	}
	w.write("half", "1")
	w.die(turn)
	w.restart()
	p := w.plan("nb", "c1")
	w.expect(w.said(p), "done rewrite, half rewrite!, twice rewrite")
	w.expect(p.Files[1].Why, "The program ended while the agent changed it, so it is not known what the agent left.")
	w.write("kept", "mine") // after the program started again: nobody takes it for the agent's
	w.restart()
	w.expect(w.said(w.plan("nb", "c1")), "done rewrite, half rewrite!, kept rewrite!, twice rewrite")
	infos, err := w.s.Turns("nb")
	w.ok(err)
	if len(infos) != 1 || infos[0].Ended {
		t.Errorf("%+v", infos)
	}
}

// Every place at which a log can be cut off is a valid state.
func TestLogCutAnywhere(t *testing.T) {
	w := newWorld(t)
	w.write("a", "0")
	turn := w.turn("nb", "c1", w.edit("a", "1"), w.edit("b", "1"))
	file := filepath.Join(w.s.logs(), turn.ID()+".log")
	whole, err := os.ReadFile(file)
	w.ok(err)
	whole = whole[:bytes.LastIndex(whole, []byte(`{"endMs"`))]
	seen := map[string]bool{}
	for n := range len(whole) + 1 {
		w.ok(os.WriteFile(file, whole[:n], 0o600))
		w.restart()
		p, err := w.s.Plan("nb", "c1")
		if fault.Is(err, fault.NotFound) {
			seen["none"] = true
			continue
		}
		w.ok(err)
		seen[w.said(p)] = true
		w.restart() // what was settled stays so
		w.expect(w.said(w.plan("nb", "c1")), w.said(p))
	}
	for _, want := range []string{"none", "", "a rewrite!", "a rewrite", "a rewrite, b remove!", "a rewrite, b remove"} {
		if !seen[want] {
			t.Errorf("%q was not seen", want)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%q", slices.Collect(maps.Keys(seen)))
	}
}

func TestDamagedContent(t *testing.T) {
	w := newWorld(t)
	w.write("a", strings.Repeat("precious\n", 100))
	w.write("b", "small")
	w.turn("nb", "c1", w.edit("a", "1"), w.edit("b", "1"))
	w.ok(filepath.WalkDir(w.s.objects.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		b[len(b)/2] ^= 0x10
		return errors.Join(err, os.WriteFile(p, b, 0o600))
	}))
	w.restart()
	there := w.tree()
	a := w.apply(w.plan("nb", "c1"), nil)
	if len(a.Restored) != 0 || len(a.Left) != 2 || a.Left[0].Why != "what was kept is damaged on the disk" {
		t.Errorf("%+v", a)
	}
	w.same("nothing is written", w.tree(), there)
	// the same content kept anew mends it
	w.write("a", strings.Repeat("precious\n", 100))
	w.turn("nb", "c2", w.edit("a", "2"))
	w.apply(w.plan("nb", "c2"), nil)
	w.expect(w.tree()["a"], "644 "+strings.Repeat("precious\n", 100))
}

func TestThousandFiles(t *testing.T) {
	w := newWorld(t)
	name := func(i int) string { return fmt.Sprintf("d%d/f%d", i%10, i) }
	for i := range 1000 {
		if i%3 > 0 {
			w.write(name(i), strings.Repeat(fmt.Sprintln("line", i), 20))
		}
	}
	start := w.tree()
	turn, err := w.s.Begin("nb", "c1")
	w.ok(err)
	for i := range 1000 {
		if i%3 == 1 {
			w.does(name(i), os.Remove)(turn)
		} else {
			w.edit(name(i), fmt.Sprint("changed ", i))(turn)
		}
	}
	w.ok(turn.End())
	w.restart()
	p := w.plan("nb", "c1")
	if len(p.Files) < 1000 || slices.ContainsFunc(p.Files, func(r Restore) bool { return r.Conflict || r.Action == Unable }) {
		t.Errorf("%d files", len(p.Files))
	}
	w.apply(p, nil)
	w.same("a thousand", w.tree(), start)
}

func TestSeveralAgentsAtOnce(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for a := range 8 {
		all.Go(func() {
			notebook := fmt.Sprint("nb", a)
			for k := range 10 {
				turn, err := w.s.Begin(notebook, fmt.Sprint("c", k))
				if err != nil {
					t.Error(err)
					return
				}
				for _, name := range []string{fmt.Sprint("own", a), "shared"} {
					p := w.path(name)
					err = errors.Join(turn.Before(p), os.WriteFile(p, fmt.Appendf(nil, "%d %d", a, k), 0o644), turn.After(p))
				}
				if _, perr := w.s.Plan(notebook, "c0"); errors.Join(err, perr, turn.End()) != nil {
					t.Error(err, perr)
				}
				_, err = w.s.Sweep()
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	w.restart()
	for a := range 8 {
		p := w.plan(fmt.Sprint("nb", a), "c0")
		if len(p.Files) < 1 || p.Files[0].Conflict || p.Files[0].Action != Remove {
			t.Errorf("%+v", p.Files)
		}
	}
	got, err := w.s.Writers(w.path("shared"))
	w.ok(err)
	if len(got) < 70 {
		t.Errorf("%d turns wrote the shared file", len(got))
	}
}

func TestStoreIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are the folder's there")
	}
	w := newWorld(t)
	w.write("secret", strings.Repeat("a secret\n", 1000))
	w.turn("nb", "c1", w.edit("secret", "x"))
	size := int64(0)
	w.ok(filepath.WalkDir(w.cache, func(p string, d fs.DirEntry, err error) error {
		info, ierr := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			size += info.Size()
		}
		if ierr == nil && info.Mode().Perm() != want {
			t.Errorf("%s has %o", p, info.Mode().Perm())
		}
		return errors.Join(err, ierr)
	}))
	if size > 2000 {
		t.Errorf("%d bytes for 9,000 that repeat", size)
	}
}

func TestObjects(t *testing.T) {
	o := objects{t.TempDir()}
	for _, content := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte("ab"), 500), bytes.Repeat([]byte{0}, 1<<20)} {
		sum, err := o.put(content, true)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.get(sum, int64(len(content)))
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes came back as %d, %v", len(content), len(got), err)
		}
		if _, err := o.get(sum, int64(len(content))-1); len(content) > 256 && err == nil {
			t.Error("more than its size was unpacked")
		}
	}
	for _, bad := range []string{"", "..", strings.Repeat("../", 20) + "etc"} {
		if _, err := o.get(bad, 1); err == nil {
			t.Errorf("%q was found", bad)
		}
	}
}
