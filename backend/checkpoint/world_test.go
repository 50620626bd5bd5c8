package checkpoint

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
	t.Parallel() // most of the time is the disk's
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
func (w *world) die(t *Recorder) {
	w.Helper()
	w.ok(t.file.Close())
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.Helper()
	w.ok(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	w.ok(os.WriteFile(w.path(name), []byte(text), 0o644))
}

// tree reads the folder: names with their states.
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
func (w *world) turn(notebook, cell string, edits ...func(*Recorder)) *Recorder {
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

func (w *world) does(name string, do func(path string) error) func(*Recorder) {
	return func(t *Recorder) {
		w.Helper()
		w.ok(t.Before(w.path(name)))
		w.ok(do(w.path(name)))
		w.ok(t.After(w.path(name)))
	}
}

func (w *world) edit(name, text string) func(*Recorder) {
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

// said is a plan in short form: names with their actions.
func (w *world) said(p Plan) string {
	var out []string
	for _, r := range p.Files {
		rel, _ := filepath.Rel(w.dir, r.Path)
		s := filepath.ToSlash(rel) + " " + string(r.Action)
		if r.Uncertain {
			s += "?"
		}
		if r.Conflict {
			s += "!"
		}
		s += r.By
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

// all is the choice to restore every path of a plan.
func all(p Plan) map[string]Choice {
	out := map[string]Choice{}
	for _, r := range p.Files {
		out[r.Path] = Take
	}
	return out
}

func (w *world) expect(got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("got  %s\nwant %s", got, want)
	}
}
