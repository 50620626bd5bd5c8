package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// age makes all kept data look old.
func (w *world) age(by time.Duration) {
	w.Helper()
	then := time.Now().Add(-by)
	w.ok(filepath.WalkDir(w.s.objects.dir, func(p string, d fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(p, then, then))
	}))
}

func TestSweep(t *testing.T) {
	w := newWorld(t)
	w.limits = Limits{Age: 24 * time.Hour, Size: 9000}
	w.restart()
	noise := func(i int) string { // does not get smaller
		var b []byte
		for len(b) < 4000 {
			b = append(b, sumOf(fmt.Append(nil, i, len(b)))...)
		}
		return string(b)
	}
	w.write("shared", "both turns need this")
	w.write("a", noise(0))
	w.turn("nb", "old", w.edit("a", noise(1)), w.edit("shared", "1"))
	w.write("shared", "both turns need this")
	w.at = w.at.Add(25 * time.Hour)
	w.turn("nb", "c1", w.edit("a", noise(2)), w.edit("shared", "2"))
	under, err := w.s.Begin("nb", "c2")
	w.ok(err)
	w.edit("a", noise(3))(under)

	got, err := w.s.Sweep()
	w.ok(err)
	if got.Turns != 1 || got.Objects != 1 {
		t.Errorf("%+v", got)
	}
	w.expect(w.said(w.plan("nb", "c1")), "a rewrite, shared rewrite")

	// too much: the oldest turns are removed, but never one in progress
	w.write("b", noise(9))
	w.edit("b", noise(8))(under)
	got, err = w.s.Sweep()
	w.ok(err)
	if got.Turns != 0 {
		t.Errorf("nothing is too much yet: %+v", got)
	}
	w.s.limits.Size = 100
	got, err = w.s.Sweep()
	w.ok(err)
	if got.Turns != 1 || got.Size < 4000 {
		t.Errorf("%+v", got)
	}
	w.expect(w.said(w.plan("nb", "c2")), "a rewrite, b rewrite")
	for _, r := range w.plan("nb", "c2").Files {
		if _, err := w.s.Content(r.To); err != nil {
			t.Error(err)
		}
	}
	w.ok(under.End())

	// unnamed content is removed only when it is old: it may still get a name
	_, err = w.s.objects.put([]byte("nobody's"), false)
	w.ok(err)
	w.ok(os.WriteFile(filepath.Join(w.s.objects.dir, "new-123"), []byte("half"), 0o600))
	w.s.limits.Size = 1 << 30
	got, err = w.s.Sweep()
	w.ok(err)
	if got.Objects != 0 {
		t.Errorf("%+v", got)
	}
	w.age(2 * time.Hour)
	got, err = w.s.Sweep()
	w.ok(err)
	if got.Objects != 2 {
		t.Errorf("%+v", got)
	}
	w.expect(w.said(w.plan("nb", "c2")), "a rewrite, b rewrite")
	if infos, _ := w.s.Turns("nb"); !slices.ContainsFunc(infos, func(i TurnInfo) bool { return i.Cell == "c2" }) || len(infos) != 1 {
		t.Errorf("%+v", infos)
	}
}
