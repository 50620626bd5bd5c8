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
	w.at = w.at.Add(time.Minute)
	w.edit("a", "2")(b)
	wrote := w.at.UnixMilli()
	w.at = w.at.Add(time.Minute)
	w.edit("a", "3")(a)
	w.edit("b", "1")(b)
	w.at = w.at.Add(time.Minute)
	w.ok(a.End())
	w.ok(b.End())
	w.restart()
	got, err := w.s.Writers(w.path("a"))
	w.ok(err)
	if got[1].WroteMs != wrote || got[0].WroteMs != wrote+60_000 {
		t.Errorf("written at %+v, two wrote at %d", got, wrote)
	}
	all, err := w.s.Written()
	w.ok(err)
	if len(all) != 2 || !slices.Equal(all[w.path("a")], got) || len(all[w.path("b")]) != 1 {
		t.Errorf("all: %+v", all)
	}
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

// In a turn that was cut off, known states are used, and the person is asked about unknown ones.
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
	w.write("kept", "mine") // after the restart: it does not count as the agent's
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
		w.restart() // settled paths stay settled
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
	// keeping the same content again repairs it
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
