package files_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"mutsumi/backend/files"
)

// A Reader reads what Roots reads, from any number of folders, and sees a file that
// takes the place of another one.
func TestReader(t *testing.T) {
	ws := t.TempDir()
	roots, err := files.New(ws, []string{ws})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 150 {
		name := filepath.Join("d"+string(rune('a'+i%26))+string(rune('a'+i/26)), "f.txt")
		for _, err := range []error{os.MkdirAll(filepath.Join(ws, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(ws, name), []byte(name), 0o644)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, name)
	}
	r := roots.Reader()
	defer r.Close()
	for range 2 {
		for _, name := range append(names, names[0], filepath.Join(ws, names[1])) {
			real, info, ok := r.Stat(name)
			f, _, err := r.Open(name)
			if err != nil || !ok || f.Name() != real {
				t.Fatalf("%s: %v, %v, %s", name, err, ok, real)
			}
			got, err := io.ReadAll(f)
			f.Close()
			if err != nil || int64(len(got)) != info.Size() || filepath.Base(filepath.Dir(name))+"/f.txt" != filepath.ToSlash(string(got)) {
				t.Errorf("%s holds %q, %v", name, got, err)
			}
		}
	}
	for _, name := range []string{"da", ".", "gone", "daa/gone", "gone/f.txt"} {
		if _, _, ok := r.Stat(name); ok {
			t.Errorf("%s is a regular file", name)
		}
	}
	_, before, _ := r.Stat(names[0])
	if err := os.Remove(filepath.Join(ws, names[0])); err != nil {
		t.Fatal(err)
	}
	if f, _, err := r.Open(names[0]); err == nil {
		f.Close()
		t.Error("a file that is gone was opened")
	}
	if err := os.WriteFile(filepath.Join(ws, names[0]), []byte("another one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, now, ok := r.Stat(names[0]); !ok || now.Size() == before.Size() {
		t.Error("the file before is still there")
	}
}

// If a file is replaced between its description and its opening, it is opened as Roots does:
// another file is described again, a link that leads outside the set is refused.
func TestReaderOpensWhatIsThere(t *testing.T) {
	ws, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	roots, err := files.New(ws, []string{ws})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(ws, "a.txt")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, "secret")
	write(path, "one")
	r := roots.Reader()
	defer r.Close()
	replace := func(put func(path string)) (*os.File, int64, error) {
		t.Helper()
		if _, _, ok := r.Stat("a.txt"); !ok {
			t.Fatal("the file is not there")
		}
		next := filepath.Join(ws, "next")
		put(next)
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
		f, info, err := r.Open("a.txt")
		if err != nil {
			return nil, 0, err
		}
		return f, info.Size(), nil
	}
	f, size, err := replace(func(path string) { write(path, "another") })
	if err != nil || size != int64(len("another")) {
		t.Fatalf("%d bytes, %v", size, err)
	}
	f.Close()
	f, _, err = replace(func(path string) {
		if err := os.Symlink(outside, path); err != nil {
			t.Skip(err)
		}
	})
	if err == nil {
		f.Close()
		t.Error("a file outside of the set was opened")
	}
}
