package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

func TestRoots(t *testing.T) {
	ws := folder(t, map[string]string{"a/x": "1", "b/y": "2", "single.txt": "3", "other.txt": "4"})
	more := folder(t, map[string]string{"z": "5"})
	r := open(t, ws, "a", "file://"+more, "single.txt", "gone", filepath.Join(ws, "single.txt"))
	for p, want := range map[string]bool{
		"a/x": true, "a": true, filepath.Join(more, "z"): true, ToURI(filepath.Join(more, "z")): true, "single.txt": true,
		"b/y": false, "other.txt": false, ".": false, "a/new": true, "a/new/deeper": true, "b/new": false, "gone": false, "gone/x": false, "single.txt/x": false,
	} {
		if got := r.Allowed(p); got != want {
			t.Errorf("Allowed(%s) is %v", p, got)
		}
	}
	if m := r.Missing(); len(m) != 1 || m[0] != "gone" {
		t.Errorf("missing: %v", m)
	}
	if got, err := r.Read("single.txt", 10); err != nil || got != "3" {
		t.Errorf("an allowed file: %q, %v", got, err)
	}
	if _, err := r.List("single.txt"); !fault.Is(err, fault.Invalid) {
		t.Errorf("listing an allowed file: %v", err)
	}
	if _, err := r.Read("b/y", 10); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "b/y") {
		t.Errorf("outside: %v", err)
	}
	none, err := New(ws, nil)
	must(t, err)
	if _, err := none.Read("a/x", 10); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("nothing is allowed: %v", err)
	}
	if _, err := New(filepath.Join(ws, "gone"), nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("a workspace that is gone: %v", err)
	}
	if _, err := New(ws, []string{"file://other/x"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a root on another machine: %v", err)
	}
}

func TestRootsThroughLinks(t *testing.T) {
	real := folder(t, map[string]string{"f": "1", "sub/g": "2"})
	link := filepath.Join(t.TempDir(), "ws")
	must(t, os.Symlink(real, link))
	r := open(t, link)
	for _, p := range []string{"f", link + "/f", real + "/f", "sub/../f"} {
		if got, err := r.Read(p, 10); err != nil || got != "1" {
			t.Errorf("Read(%s) is %q, %v", p, got, err)
		}
		if rel := r.Rel(p); rel != "f" {
			t.Errorf("Rel(%s) is %s", p, rel)
		}
	}
	// A link from one allowed folder into another is inside.
	must(t, os.Symlink(filepath.Join(real, "f"), filepath.Join(real, "sub", "h")))
	if got, err := open(t, real, "sub", "f").Read("sub/h", 10); err != nil || got != "1" {
		t.Errorf("a link between allowed places: %q, %v", got, err)
	}
	if _, err := open(t, real, "sub").Read("sub/h", 10); !fault.Is(err, fault.Denied) {
		t.Errorf("a link out of the only allowed place: %v", err)
	}
}

func TestNarrow(t *testing.T) {
	ws := folder(t, map[string]string{"a/x": "1", "a/b/y": "2", "c/z": "3"})
	parent := open(t, ws, "a")
	child, err := parent.Narrow([]string{"a/b"})
	must(t, err)
	if !child.Allowed("a/b/y") || child.Allowed("a/x") {
		t.Error("the child lacks the requested place")
	}
	for _, ask := range [][]string{{"c"}, {"."}, {"a/b", "c"}, {"/"}, {"a/../c"}} {
		if _, err := parent.Narrow(ask); !fault.Is(err, fault.Denied) {
			t.Errorf("a child got %v: %v", ask, err)
		}
	}
}

func TestWrite(t *testing.T) {
	ws := folder(t, map[string]string{"a.txt": "old", "run.sh": "old"})
	must(t, os.Chmod(filepath.Join(ws, "run.sh"), 0o755))
	must(t, os.Symlink("a.txt", filepath.Join(ws, "link")))
	must(t, os.Symlink("nowhere", filepath.Join(ws, "broken")))
	must(t, os.Symlink("nowhere", filepath.Join(ws, "brokendir")))
	r := open(t, ws)
	for _, p := range []string{"a.txt", "run.sh", "new.txt", "deep/er/new.txt", "link"} {
		if err := r.Write(p, []byte("new "+p)); err != nil {
			t.Errorf("Write(%s): %v", p, err)
		}
		if got, err := r.Read(p, 100); err != nil || got != "new "+p {
			t.Errorf("%s holds %q, %v", p, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(ws, "run.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("permissions are %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(filepath.Join(ws, "link")); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	for _, p := range []string{"broken", "brokendir/x", "deep", "a.txt/x", "../x"} {
		if err := r.Write(p, nil); err == nil {
			t.Errorf("Write(%s) did something", p)
		}
	}
	must(t, r.Mkdir("m/n/o"))
	must(t, r.Mkdir("m/n/o"))
	if err := r.Mkdir("a.txt"); err == nil {
		t.Error("a folder replaced a file")
	}
	left, err := filepath.Glob(filepath.Join(ws, ".mutsumi-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestURI(t *testing.T) {
	for _, p := range []string{"/a b/c.txt", "/中文/é", "/100%/x#y?z", "/(a)[b]{c}", "/a'b\"c", "/~/x", "/nl\n"} {
		uri := ToURI(p)
		if strings.ContainsAny(uri[7:], " ()[]{}\"'#?\n") {
			t.Errorf("%q is not encoded: %s", p, uri)
		}
		if back, err := FromURI(uri); err != nil || back != p {
			t.Errorf("%q comes back as %q, %v", p, back, err)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "../x", "file:///etc", "file://h/x", "a/../../b", "sub/up", "\x00", "%2e%2e"} {
		f.Add(s)
	}
	base := f.TempDir()
	ws := filepath.Join(base, "ws")
	must(f, os.MkdirAll(filepath.Join(ws, "sub"), 0o755))
	must(f, os.WriteFile(filepath.Join(base, "x"), []byte("outside"), 0o644))
	must(f, os.Symlink("../..", filepath.Join(ws, "sub", "up")))
	r := open(f, ws)
	f.Fuzz(func(t *testing.T, p string) {
		if real, err := r.Path(p); err == nil {
			if _, ok := inside(r.Workspace(), real); !ok {
				t.Fatalf("%q leads to %q", p, real)
			}
		}
	})
}
