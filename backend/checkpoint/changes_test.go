package checkpoint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/linediff"
)

func (w *world) changes(notebook string) []Change {
	w.Helper()
	c, err := w.s.Changes(notebook)
	w.ok(err)
	return c
}

func numbered(n int, swap map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if s, ok := swap[i]; ok {
			b.WriteString(s)
		} else {
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	return b.String()
}

func TestChanges(t *testing.T) {
	w := newWorld(t)
	w.write("a", numbered(40, nil))
	w.write("bin", "\x00a")
	w.write("mode", "x")
	w.write("same", "x")
	w.write("gone", "1\n2\n")
	w.turn("nb", "c1", w.edit("a", "all else\n"), w.edit("bin", "\x00b"), w.edit("same", "y"), w.edit("new", "1\n2\n3"), w.does("gone", os.Remove),
		w.does("mode", func(p string) error { return os.Chmod(p, 0o600) }), w.does("link", func(p string) error { return os.Symlink("a", p) }))
	w.turn("nb", "c2", w.edit("a", numbered(40, map[int]string{3: "three\n", 20: "", 21: "twenty-one\ntwenty-one and a half\n"})), w.edit("same", "x"))
	w.restart()
	var got []string
	for _, c := range w.changes("nb") {
		got = append(got, fmt.Sprintf("%s %s>%s +%d -%d %d%s", c.Path[len(w.dir)+1:], c.Start.Kind, c.Now.Kind, c.Added, c.Removed, len(c.Hunks), c.Plain))
		if c.Mixed || c.Others != nil {
			t.Errorf("%+v", c)
		}
	}
	want := []string{"a file>file +3 -3 2", "bin file>file +0 -0 0binary", "gone file>absent +0 -2 1", "link absent>link +0 -0 0link", "mode file>file +0 -0 0mode", "new absent>file +3 -0 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	h := w.changes("nb")[0].Hunks
	if text := strings.Join(h[1].Lines, "|"); h[1].From != 17 || h[1].FromN != 8 || h[1].To != 17 || h[1].ToN != 8 ||
		text != " line 17| line 18| line 19|-line 20|-line 21|+twenty-one|+twenty-one and a half| line 22| line 23| line 24" {
		t.Errorf("%+v", h[1])
	}
	if n := w.changes("nb")[5].Hunks[0]; n.From != 0 || n.FromN != 0 || n.To != 1 || n.ToN != 3 || !n.NoLast {
		t.Errorf("%+v", n)
	}
	if text, err := w.s.Content(w.changes("nb")[0].Start); err != nil || string(text) != numbered(40, nil) {
		t.Errorf("%q %v", text, err)
	}
}

func TestReject(t *testing.T) {
	w := newWorld(t)
	w.write("a", numbered(40, nil))
	w.ok(os.Chmod(w.path("a"), 0o640))
	start := w.tree()
	w.turn("nb", "c1", w.edit("a", numbered(40, map[int]string{3: "three\n", 30: "thirty\n"})), w.edit("new", "new\n"))
	all := w.changes("nb")
	second := all[0].Hunks[1].ID
	content, on, err := w.s.RejectHunk("nb", w.path("a"), second)
	w.ok(err)
	if string(content) != numbered(40, map[int]string{3: "three\n"}) || on != all[0].Now {
		t.Errorf("%q", content)
	}
	w.reject("a", second)
	w.expect(w.tree()["a"], "640 "+string(content))
	if _, err := w.s.Reject("nb", w.path("a"), second); !fault.Is(err, fault.Conflict) {
		t.Errorf("twice: %v", err)
	}
	w.restart()
	rest := w.changes("nb")
	if len(rest) != 2 || len(rest[0].Hunks) != 1 || rest[0].Mixed {
		t.Errorf("%+v", rest)
	}
	w.expect(w.said(w.plan("nb", "c1")), "a rewrite, new remove") // a person rejected it: no conflict

	w.write("a", "1\n"+strings.TrimPrefix(w.tree()["a"], "640 "))
	if _, err := w.s.Reject("nb", w.path("a"), rest[0].Hunks[0].ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("on another text: %v", err)
	}
	if _, err := w.s.Reject("nb", w.path("other"), "x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("no change: %v", err)
	}
	for range 3 {
		if all := w.changes("nb"); len(all) > 0 {
			w.rejected(w.s.Reject("nb", all[0].Path, all[0].Hunks[0].ID))
		}
	}
	w.same("all rejected", w.tree(), start)
	if left := w.changes("nb"); len(left) != 0 {
		t.Errorf("%+v", left)
	}
}

func TestRejectBringsBackADeletedFile(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n2")
	w.ok(os.Chmod(w.path("a"), 0o755))
	start := w.tree()
	w.turn("nb", "c1", w.does("a", os.Remove))
	w.reject("a", w.changes("nb")[0].Hunks[0].ID)
	w.same("it is back", w.tree(), start)
}

// A restore that could not be done leaves the change to be restored later.
func TestRestoreThatFails(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		// root may write everywhere: a folder in place of the temporary file stops it as well
		w := newWorld(t)
		w.write("a", "0")
		w.turn("nb", "c1", w.edit("a", "1"))
		p := w.plan("nb", "c1")
		turn, err := w.s.begin(header{Kind: kindRestore, Notebook: "nb"})
		w.ok(err)
		w.ok(os.MkdirAll(tempName(w.path("a"), turn.ID())+"/x", 0o755))
		if errs := turn.restore(p.Files); errs[0] == nil {
			t.Error("it was written through a folder")
		}
		w.ok(turn.End())
		w.expect(w.said(w.plan("nb", "c1")), "a rewrite")
		return
	}
	w := newWorld(t)
	w.write("d/a", "0")
	w.turn("nb", "c1", w.edit("d/a", "1"))
	w.ok(os.Chmod(w.path("d"), 0o555))
	a := w.apply(w.plan("nb", "c1"), nil)
	w.ok(os.Chmod(w.path("d"), 0o755))
	if len(a.Left) != 1 || a.Left[0].Why != "permission denied" {
		t.Errorf("%+v", a)
	}
	w.expect(w.said(w.plan("nb", "c1")), "d/a rewrite")
}

func TestLargeDifferences(t *testing.T) {
	w := newWorld(t)
	w.write("many", numbered(20_000, nil))
	swap := map[int]string{}
	for i := 1; i < 20_000; i += 10 {
		swap[i] = "changed\n"
	}
	w.write("huge", strings.Repeat("x\n", maxDiff))
	w.write("all", numbered(20_000, nil))
	w.turn("nb", "c1", w.edit("many", numbered(20_000, swap)), w.edit("huge", "small"), w.edit("all", strings.ReplaceAll(numbered(20_000, nil), "line", "row")))
	for _, c := range w.changes("nb") {
		lines := 0
		for _, h := range c.Hunks {
			lines += len(h.Lines)
		}
		if len(c.Hunks) > maxHunks || lines > maxShown || (c.Plain == "") == (len(c.Hunks) == 0) || c.Plain == "" && c.More == 0 {
			t.Errorf("%s: %d hunks of %d lines, %q, %d more", c.Path, len(c.Hunks), lines, c.Plain, c.More)
		}
	}
}

// mangle makes another text of a text, as edits do.
func mangle(r *rand.Rand, text string) string {
	all := linediff.Lines(text)
	for range r.IntN(6) {
		at := r.IntN(len(all) + 1)
		switch n := r.IntN(4); {
		case n == 0 || at == len(all):
			all = slices.Insert(all, at, fmt.Sprint("new ", r.IntN(5), "\n"))
		case n == 1:
			all = slices.Delete(all, at, min(len(all), at+1+r.IntN(3)))
		case n == 2:
			all[at] = fmt.Sprint("other ", r.IntN(5), "\n")
		default:
			all[at] = strings.TrimSuffix(all[at], "\n") + "\r\n"
		}
	}
	out := strings.Join(all, "")
	if r.IntN(4) == 0 {
		out = strings.TrimSuffix(out, "\n")
	}
	return out
}

// For any texts, the diff leads from one to the other, and rejecting its hunks one by one, in any
// order, leads back.
func TestRejectEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 4000 {
		n := r.IntN(30)
		if round%500 == 0 {
			n = 1200 // beyond the size up to which the shortest diff is computed
		}
		before := mangle(r, numbered(n, nil))
		after := before
		for range 1 + r.IntN(3) {
			after = mangle(r, after)
		}
		a := linediff.Lines(before)
		now := after
		for range 1000 {
			all, added, removed := hunks(a, linediff.Lines(now))
			if len(all) == 0 {
				break
			}
			if added-removed != len(linediff.Lines(now))-len(a) {
				t.Fatalf("+%d -%d for %q and %q", added, removed, before, now)
			}
			h := all[r.IntN(len(all))]
			now = h.without(a, linediff.Lines(now))
		}
		if now != before {
			t.Fatalf("%q\n%q\nbecame %q", before, after, now)
		}
	}
}

func TestTurnsOfOthersAreNotListed(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "c1", w.edit("a", "1"))
	infos, err := w.s.Turns("two")
	w.ok(err)
	changes, err := w.s.Changes("two")
	if infos == nil || changes == nil || len(infos)+len(changes) > 0 || errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v %v %v", infos, changes, err)
	}
}

func BenchmarkBefore(b *testing.B) {
	s, err := Open(b.TempDir(), Limits{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	turn, _ := s.Begin("nb", "c")
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		p := fmt.Sprintf("%s/%d", dir, i)
		b.StopTimer()
		err := os.WriteFile(p, []byte(numbered(300, map[int]string{1: p})), 0o644)
		b.StartTimer()
		if err := errors.Join(err, turn.Before(p), turn.After(p)); err != nil {
			b.Fatal(err)
		}
	}
}

// A thousand files that an agent changed: the plan, and the differences.
func benchThousand(b *testing.B) *Store {
	s, err := Open(b.TempDir(), Limits{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	turn, _ := s.Begin("nb", "c")
	dir := b.TempDir()
	for i := range 1000 {
		p := fmt.Sprintf("%s/%d", dir, i)
		err = errors.Join(err, os.WriteFile(p, []byte(numbered(300, map[int]string{1: p})), 0o644))
		sum, perr := s.objects.put([]byte(numbered(300, map[int]string{1: p})), false)
		text := numbered(300, map[int]string{1: p, 100: "other\n", 200: ""})
		before := State{Kind: File, Mode: 0o644, Size: int64(len(numbered(300, map[int]string{1: p}))), Sum: sum}
		after := State{Kind: File, Mode: 0o644, Size: int64(len(text)), Sum: sumOf([]byte(text))}
		err = errors.Join(err, perr, os.WriteFile(p, []byte(text), 0o644),
			turn.write(record{Before: &entry{Path: p, State: before}}, record{After: &entry{Path: p, State: after}}))
	}
	if err := errors.Join(err, turn.End()); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkPlan(b *testing.B) {
	s := benchThousand(b)
	for b.Loop() {
		if p, err := s.Plan("nb", "c"); err != nil || len(p.Files) != 1000 || p.Files[0].Conflict {
			b.Fatal(err, len(p.Files))
		}
	}
}

func BenchmarkChanges(b *testing.B) {
	s := benchThousand(b)
	for b.Loop() {
		if c, err := s.Changes("nb"); err != nil || len(c) != 1000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkDifference(b *testing.B) {
	for _, n := range []int{300, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			swap := map[int]string{}
			for i := 1; i < n; i += n / 50 {
				swap[i] = "changed\n"
			}
			before, after := linediff.Lines(numbered(n, nil)), linediff.Lines(numbered(n, swap))
			for b.Loop() {
				hunks(before, after)
			}
		})
	}
}

func (w *world) reject(name, hunk string) string {
	w.Helper()
	return w.rejected(w.s.Reject("nb", w.path(name), hunk))
}

func (w *world) rejected(id string, err error) string {
	w.Helper()
	w.ok(err)
	return id
}

// A hunk that was rejected is brought again, also from the log of an earlier
// process, unless the file was changed since.
func TestARejectionIsUndone(t *testing.T) {
	w := newWorld(t)
	before := strings.Repeat("line\n", 20)
	w.write("a", before)
	w.turn("nb", "c1", w.edit("a", "first\n"+before+"last\n"))
	hunks := w.changes("nb")[0].Hunks
	id := w.reject("a", hunks[1].ID)
	if got := w.tree()["a"]; got != "644 first\n"+before {
		t.Fatalf("the file is %q", got)
	}
	w.restart()
	plan, err := w.s.PlanUndo(id)
	w.ok(err)
	_, err = w.s.Apply(plan, nil)
	w.ok(err)
	if got := w.changes("nb")[0].Hunks; w.tree()["a"] != "644 first\n"+before+"last\n" || len(got) != 2 || got[1].ID != hunks[1].ID {
		t.Errorf("after the undo %q, %d hunks", w.tree()["a"], len(got))
	}
	id = w.reject("a", hunks[0].ID)
	w.write("a", "mine\n")
	plan, err = w.s.PlanUndo(id)
	w.ok(err)
	if len(plan.Files) != 1 || !plan.Files[0].Conflict {
		t.Errorf("somebody's work would be written over: %+v", plan.Files)
	}
}
