package desktop

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// home gives the test a home trash of its own.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	return filepath.Join(dir, "Trash")
}

// where reads a .trashinfo according to the specification.
func where(t *testing.T, trash, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(trash, "info", name+".trashinfo"))
	must(t, err)
	lines := strings.Split(string(b), "\n")
	if len(lines) < 3 || lines[0] != "[Trash Info]" {
		t.Fatalf("the info of %s is %q", name, b)
	}
	path, err := url.PathUnescape(strings.TrimPrefix(lines[1], "Path="))
	must(t, err)
	when, err := time.ParseInLocation("2006-01-02T15:04:05", strings.TrimPrefix(lines[2], "DeletionDate="), time.Local)
	if err != nil || time.Since(when) > time.Hour || time.Since(when) < -time.Hour {
		t.Errorf("the date of %s is %v, %v", name, when, err)
	}
	return path
}

func TestTrash(t *testing.T) {
	trash, dir := home(t), t.TempDir()
	for _, name := range []string{"a.mtm", "a b.mtm", "中文.mtm", "100%.mtm", "x=y#z?.mtm", ".hidden", "no ext", "new\nline", strings.Repeat("n", 250), "a:b"} {
		p := filepath.Join(dir, name)
		must(t, os.WriteFile(p, []byte("content of "+name), 0o640))
		if err := Trash(p); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if _, err := os.Lstat(p); err == nil {
			t.Errorf("%q is still there", name)
		}
		entries, err := os.ReadDir(filepath.Join(trash, "files"))
		must(t, err)
		found := false
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(trash, "files", e.Name()))
			must(t, err)
			if string(b) == "content of "+name {
				found = true
				if got := where(t, trash, e.Name()); got != p {
					t.Errorf("%q is noted as %q", name, got)
				}
			}
		}
		if !found {
			t.Errorf("%q is not in the trash", name)
		}
	}
}

func TestTrashNeverOverwrites(t *testing.T) {
	trash, dir := home(t), t.TempDir()
	// Something from another program, without its info, and one with only an info.
	must(t, os.MkdirAll(filepath.Join(trash, "files"), 0o700))
	must(t, os.MkdirAll(filepath.Join(trash, "info"), 0o700))
	must(t, os.WriteFile(filepath.Join(trash, "files", "a.mtm"), []byte("theirs"), 0o600))
	must(t, os.WriteFile(filepath.Join(trash, "info", "a.2.mtm.trashinfo"), []byte("theirs"), 0o600))
	var wg sync.WaitGroup
	for i := range 20 {
		sub := filepath.Join(dir, fmt.Sprint(i))
		must(t, os.Mkdir(sub, 0o755))
		p := filepath.Join(sub, "a.mtm")
		must(t, os.WriteFile(p, fmt.Append(nil, i), 0o600))
		wg.Go(func() {
			if err := Trash(p); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(trash, "files"))
	must(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(trash, "files", e.Name()))
		must(t, err)
		seen[string(b)] = true
		if string(b) != "theirs" && filepath.Base(filepath.Dir(where(t, trash, e.Name()))) != string(b) {
			t.Errorf("%s holds %q, noted as %s", e.Name(), b, where(t, trash, e.Name()))
		}
	}
	if len(seen) != 21 {
		t.Errorf("%d different files in the trash", len(seen))
	}
}

func TestTrashLinksAndFolders(t *testing.T) {
	trash, dir := home(t), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "tree", "deep"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "tree", "deep", "f"), []byte("x"), 0o600))
	must(t, os.Symlink("tree", filepath.Join(dir, "link")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "broken")))
	for _, name := range []string{"link", "broken", "tree"} {
		must(t, Trash(filepath.Join(dir, name)))
	}
	if target, err := os.Readlink(filepath.Join(trash, "files", "link")); err != nil || target != "tree" {
		t.Errorf("the link is %s, %v", target, err)
	}
	if _, err := os.Stat(filepath.Join(trash, "files", "tree", "deep", "f")); err != nil {
		t.Errorf("the folder's content: %v", err)
	}
	if err := Trash(filepath.Join(dir, "gone")); !fault.Is(err, fault.NotFound) {
		t.Errorf("a missing file: %v", err)
	}
	if err := Trash("/"); !fault.Is(err, fault.Invalid) {
		t.Errorf("the whole disk: %v", err)
	}
}

// TestTrashRefused: when no trash can be made, nothing is lost.
func TestTrashRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "file"))
	p := filepath.Join(dir, "a.mtm")
	must(t, os.WriteFile(p, []byte("x"), 0o600))
	if err := Trash(p); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), p) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(p); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

// otherDisk returns a folder on another file system than the home trash.
func otherDisk(t *testing.T, trash string) (dir, top string) {
	t.Helper()
	must(t, os.MkdirAll(trash, 0o700))
	a, err := os.Stat(trash)
	must(t, err)
	dir, err = os.MkdirTemp("/dev/shm", "mutsumi-test")
	if err != nil {
		t.Skipf("there is no second file system: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b, err := os.Stat(dir)
	must(t, err)
	if device(a) == device(b) {
		t.Skip("/dev/shm is on the same file system")
	}
	top, err = mountTop(filepath.Join(dir, "x"), device(b))
	must(t, err)
	for _, name := range []string{".Trash", fmt.Sprintf(".Trash-%d", os.Getuid())} {
		if _, err := os.Lstat(filepath.Join(top, name)); err == nil {
			t.Skipf("%s has a trash of its own already", top)
		}
		t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(top, name)) })
	}
	return dir, top
}

func TestTrashOnOtherDisk(t *testing.T) {
	trash := home(t)
	dir, top := otherDisk(t, trash)
	uid := fmt.Sprint(os.Getuid())
	rel, err := filepath.Rel(top, dir)
	must(t, err)
	make := func(name string) string {
		p := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Join(p, "sub"), 0o750))
		must(t, os.WriteFile(filepath.Join(p, "sub", "f"), []byte(name), 0o640))
		must(t, os.Symlink("sub/f", filepath.Join(p, "link")))
		return p
	}
	check := func(trash, name, recorded string) {
		t.Helper()
		if got := where(t, trash, name); got != recorded {
			t.Errorf("%s is noted as %q, want %q", name, got, recorded)
		}
		for _, f := range []string{"sub/f", "link"} {
			if b, err := os.ReadFile(filepath.Join(trash, "files", name, f)); err != nil || string(b) != name {
				t.Errorf("%s/%s: %q, %v", name, f, b, err)
			}
		}
		if info, err := os.Stat(filepath.Join(trash, "files", name, "sub", "f")); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: the permissions are %v, %v", name, info.Mode(), err)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	must(t, Trash(make("own")))
	check(filepath.Join(top, ".Trash-"+uid), "own", filepath.Join(rel, "own"))

	// An administrator's trash comes first, if it has the sticky bit.
	must(t, os.Mkdir(filepath.Join(top, ".Trash"), 0o777))
	must(t, Trash(make("loose")))
	check(filepath.Join(top, ".Trash-"+uid), "loose", filepath.Join(rel, "loose"))
	must(t, os.Chmod(filepath.Join(top, ".Trash"), 0o777|os.ModeSticky))
	must(t, Trash(make("shared")))
	check(filepath.Join(top, ".Trash", uid), "shared", filepath.Join(rel, "shared"))

	// Links of others in their places are not followed: a copy goes home.
	must(t, os.RemoveAll(filepath.Join(top, ".Trash")))
	must(t, os.RemoveAll(filepath.Join(top, ".Trash-"+uid)))
	elsewhere := t.TempDir()
	must(t, os.Symlink(elsewhere, filepath.Join(top, ".Trash")))
	must(t, os.Symlink(elsewhere, filepath.Join(top, ".Trash-"+uid)))
	p := make("copied")
	must(t, Trash(p))
	check(trash, "copied", p)
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 0 {
		t.Errorf("the links were followed: %v, %v", entries, err)
	}

	// A file that cannot be copied stays, and no partial copy is left.
	p = make("stuck")
	must(t, syscall.Mkfifo(filepath.Join(p, "sub", "pipe"), 0o600))
	if err := Trash(p); !fault.Is(err, fault.Invalid) {
		t.Errorf("a pipe was copied: %v", err)
	}
	if _, err := os.Stat(filepath.Join(p, "sub", "f")); err != nil {
		t.Errorf("the original is gone: %v", err)
	}
	for _, left := range []string{"files/stuck", "info/stuck.trashinfo"} {
		if _, err := os.Lstat(filepath.Join(trash, left)); err == nil {
			t.Errorf("%s is left over", left)
		}
	}
}

func BenchmarkTrash(b *testing.B) {
	b.Setenv("XDG_DATA_HOME", b.TempDir())
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		p := filepath.Join(dir, fmt.Sprintf("%d.mtm", i))
		must(b, os.WriteFile(p, nil, 0o600))
		must(b, Trash(p))
	}
}
