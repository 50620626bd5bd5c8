package notebook

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mutsumi/backend/fault"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// leftovers returns the files of a folder that are not notebooks.
func leftovers(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".mtm") {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	d := filled(t, 2)
	s := d.Encoded()
	stamp, err := Save(path, s, Stamp{})
	must(t, err)
	d.MarkSaved(s.Rev())
	if d.Dirty() {
		t.Error("dirty after saving")
	}
	loaded, same, err := Load(path)
	must(t, err)
	if got := contents(t, path); got != encoded(loaded) || got != encoded(d) {
		t.Errorf("the file holds %s", got)
	}
	if same.sum != stamp.sum || same.inode != stamp.inode {
		t.Errorf("stamp of the save %+v, of the load %+v", stamp, same)
	}
	loaded.SetName("other")
	if _, err := Save(path, loaded.Encoded(), same); err != nil {
		t.Error(err)
	}
	if left := leftovers(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if _, _, err := Load(filepath.Join(dir, "no.mtm")); !fault.Is(err, fault.NotFound) {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := Load(dir); !fault.Is(err, fault.Invalid) {
		t.Errorf("a folder: %v", err)
	}
}

func TestSaveNeverOverwritesAnotherVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtm")
	d := filled(t, 1)
	refused := func(what string, expect Stamp) {
		t.Helper()
		before, _ := os.ReadFile(path)
		if _, err := Save(path, d.Encoded(), expect); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", what, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed", what)
		}
	}
	write(t, path, "somebody's")
	refused("a new notebook over a file", Stamp{})

	must(t, os.Remove(path))
	stamp, err := Save(path, d.Encoded(), Stamp{})
	must(t, err)
	size := len(contents(t, path))
	write(t, path, strings.Repeat("x", size)) // at once and of the same size
	refused("changed in place", stamp)

	write(t, path+"2", strings.Repeat("y", size))
	must(t, os.Rename(path+"2", path))
	refused("replaced", stamp)

	must(t, os.Remove(path))
	refused("deleted", stamp)

	stamp, err = Save(path, d.Encoded(), Stamp{})
	must(t, err)
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(path, later, later))
	if changed, err := Changed(path, stamp); changed || err != nil {
		t.Errorf("touched, but the same text: changed %v, %v", changed, err)
	}
	if _, err := Save(path, d.Encoded(), stamp); err != nil {
		t.Errorf("touched, but the same text: %v", err)
	}
	must(t, os.Remove(path))
	if changed, err := Changed(path, stamp); !changed || !fault.Is(err, fault.NotFound) {
		t.Errorf("gone: changed %v, %v", changed, err)
	}
}

func TestSaveKeepsModeAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes and links")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.mtm"), filepath.Join(dir, "l.mtm")
	d := filled(t, 1)
	write(t, path, encoded(d))
	must(t, os.Chmod(path, 0o640))
	must(t, os.Symlink("a.mtm", link))
	loaded, stamp, err := Load(link)
	must(t, err)
	loaded.SetName("by the link")
	_, err = Save(link, loaded.Encoded(), stamp)
	must(t, err)
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info.Mode(), err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if got := contents(t, path); got != encoded(loaded) {
		t.Errorf("the target holds %s", got)
	}
	must(t, os.Chmod(path, 0o440))
	_, stamp, err = Load(path)
	must(t, err)
	if _, err := Save(path, d.Encoded(), stamp); !fault.Is(err, fault.Denied) {
		t.Errorf("a read-only file: %v", err)
	}
	dangling := filepath.Join(dir, "d.mtm")
	must(t, os.Symlink("new.mtm", dangling))
	_, err = Save(dangling, d.Encoded(), Stamp{})
	must(t, err)
	if got := contents(t, filepath.Join(dir, "new.mtm")); got != encoded(d) {
		t.Errorf("a link to a new file: %s", got)
	}
	must(t, os.Symlink("round.mtm", filepath.Join(dir, "round.mtm")))
	if _, err := Save(filepath.Join(dir, "round.mtm"), d.Encoded(), Stamp{}); err == nil {
		t.Error("a link to itself was saved")
	}
}

func TestSaveAsideNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.mtm")
	at := time.Date(2026, 11, 21, 10, 15, 59, 0, time.UTC)
	for i, want := range []string{"plan (conflict 2026-11-21 10.15).mtm", "plan (conflict 2026-11-21 10.15) 2.mtm", "plan (conflict 2026-11-21 10.15) 3.mtm"} {
		text := strings.Repeat("x", i)
		got, _, err := SaveAside(path, "conflict", at, strings.NewReader(text))
		if err != nil || got != filepath.Join(dir, want) || contents(t, got) != text {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if left := leftovers(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

type failing struct{ text string }

func (f failing) WriteTo(w io.Writer) (int64, error) {
	n, _ := w.Write([]byte(f.text))
	return int64(n), errors.New("kaboom")
}

func TestAFailedSaveLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	write(t, path, "old")
	_, stamp, _ := Load(path)
	if _, err := Save(path, failing{"half"}, stamp); err == nil || contents(t, path) != "old" || leftovers(t, dir) != nil {
		t.Errorf("%v, %q, %v", err, contents(t, path), leftovers(t, dir))
	}
}

func TestTempsOfTheDeadAreCleaned(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Minute)
	for name, age := range map[string]bool{".mutsumi-999999999-A.tmp": true, ".mutsumi-999999998-B.tmp": false, ".mutsumi-x-C.tmp": true, "mine.tmp": true} {
		write(t, filepath.Join(dir, name), "")
		if age {
			must(t, os.Chtimes(filepath.Join(dir, name), old, old))
		}
	}
	_, err := Save(filepath.Join(dir, "a.mtm"), filled(t, 1).Encoded(), Stamp{})
	must(t, err)
	if got, want := strings.Join(leftovers(t, dir), " "), ".mutsumi-999999998-B.tmp .mutsumi-x-C.tmp mine.tmp"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
}

// suite returns the files of JSONTestSuite. The package that they come from
// turned bytes that are not UTF-8 into U+FFFD; a second version has them back.
func suite(t *testing.T) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader("testdata/jsontestsuite.zip")
	must(t, err)
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		if f.Name == "LICENSE" {
			continue
		}
		r, err := f.Open()
		must(t, err)
		b, err := io.ReadAll(r)
		must(t, err)
		files[f.Name] = b
		if bytes.Contains(b, []byte("\uFFFD")) {
			files[f.Name+" (raw)"] = bytes.ReplaceAll(b, []byte("\uFFFD"), []byte{0xFF})
		}
	}
	if len(files) < 360 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// No file of the suite is a notebook. No operation changes it.
func TestJSONTestSuiteIsNeverOverwritten(t *testing.T) {
	for name, text := range suite(t) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.mtm")
		must(t, os.WriteFile(path, text, 0o644))
		d, stamp, err := Load(path)
		if damage, ok := errors.AsType[*DamagedError](err); d != nil || !ok || damage.Problem.Line < 1 || damage.Problem.Column < 1 {
			t.Errorf("%s: loaded as a notebook: %v", name, err)
		}
		if _, err := Save(path, filled(t, 1).Encoded(), Stamp{}); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: a new notebook in its place: %v", name, err)
		}
		if h, err := ReadSummary(path); err != nil || h.Problem == "" {
			t.Errorf("%s: summary %+v, %v", name, h, err)
		}
		if aside, _, err := SaveRepaired(path, time.Now()); err == nil {
			if _, _, err := Load(aside); err != nil {
				t.Errorf("%s: the repaired copy: %v", name, err)
			}
		}
		if changed, err := Changed(path, stamp); changed || err != nil {
			t.Errorf("%s: changed %v, %v", name, changed, err)
		}
		if got := contents(t, path); got != string(text) {
			t.Errorf("%s was overwritten with %q", name, got)
		}
	}
}

// As a value inside a notebook, each file is kept exactly or refused.
func TestJSONTestSuiteInsideANotebook(t *testing.T) {
	accepted := 0
	for name, value := range suite(t) {
		text := []byte(`{"metadata":{"x":` + string(value) + `},"context":[{"role":"user","content":"q","x":` + string(value) + `}]}`)
		d, err := Parse(text)
		valid := json.Valid(text) && utf8.Valid(text)
		if (err == nil) != valid {
			t.Errorf("%s: %v, valid %v", name, err, valid)
		}
		if strings.HasPrefix(name, "parsing/y_") && err != nil || strings.HasPrefix(name, "parsing/n_") && err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			accepted++
			if got := compacted(d.Encoded().Bytes()); !bytes.Equal(got, compacted(text)) {
				t.Errorf("%s: became %s", name, got)
			}
		}
	}
	if accepted < 100 {
		t.Errorf("only %d were accepted", accepted)
	}
}
