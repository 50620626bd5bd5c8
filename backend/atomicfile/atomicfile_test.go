package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "a.json")
	check := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("it holds %q, %v", b, err)
		}
		if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
			t.Errorf("next to it is %v, %v", all, err)
		}
	}
	if err := Write(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	check("one")
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("a new file: %v, %v", info, err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	check("two")
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o640) {
		t.Errorf("its permissions went: %v, %v", info, err)
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("it leads to %q, %v", to, err)
	}
	if b, err := os.ReadFile(real); err != nil || string(b) != "two" {
		t.Errorf("it holds %q, %v", b, err)
	}
}

func TestAFailedWriteLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("left behind: %v, %v", all, err)
	}
}

func TestTemporaryFilesOfKilledProcessesGo(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for name, at := range map[string]time.Time{
		"a.json": old, ".a.json.123.tmp": old, ".a.json.456.tmp": time.Now(), // being written
		".b.json.123.tmp": old, ".a.json.x1.tmp": old, "a.json.123.tmp": old, ".a.json.123": old,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "c.json"), nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{".a.json.123", ".a.json.456.tmp", ".a.json.x1.tmp", ".b.json.123.tmp", "a.json", "a.json.123.tmp", "c.json"}
	if !slices.Equal(left, want) {
		t.Errorf("the folder holds %q, want %q", left, want)
	}
}
