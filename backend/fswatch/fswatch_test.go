package fswatch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"mutsumi/backend/fswatch"
)

// Folders that came and went do not count, however often all are added again.
func TestFoldersThatWentDoNotCount(t *testing.T) {
	root := t.TempDir()
	f := fswatch.New(10)
	defer f.Close()
	f.Add(root)
	for i := range 40 {
		dir := filepath.Join(root, fmt.Sprint(i))
		must(t, os.Mkdir(dir, 0o755))
		for range 2 {
			if !f.Add(dir) {
				t.Fatalf("folder %d is not watched", i)
			}
		}
		if f.Count() != 2 {
			t.Fatalf("folder %d: %d are watched, blind %v", i, f.Count(), f.Blind())
		}
		must(t, os.Remove(dir))
		if !f.Drop(dir) || f.Drop(dir) || f.Count() != 1 {
			t.Fatalf("folder %d is gone: %d are watched", i, f.Count())
		}
	}
	if f.Blind() {
		t.Error("blind, with one folder of ten")
	}
}

func TestTooManyFoldersMakeItBlindUntilTheyAreFewer(t *testing.T) {
	root := t.TempDir()
	f := fswatch.New(2)
	defer f.Close()
	dirs := []string{filepath.Join(root, "a"), filepath.Join(root, "b"), filepath.Join(root, "c")}
	for _, dir := range dirs {
		must(t, os.Mkdir(dir, 0o755))
		f.Add(dir)
	}
	if !f.Blind() || f.Count() != 2 {
		t.Errorf("three of two: blind %v, %d watched", f.Blind(), f.Count())
	}
	f.Drop(dirs[0])
	f.See()
	for _, dir := range dirs[1:] {
		f.Add(dir)
	}
	if f.Blind() || f.Count() != 2 {
		t.Errorf("two of two: blind %v, %d watched", f.Blind(), f.Count())
	}
}

// A folder below its parent is deleted and made again: it is followed again.
func TestAFolderThatIsReplacedIsFollowed(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan struct{})
	var told atomic.Int32
	go func() {
		defer close(done)
		fswatch.Follow(ctx, fswatch.Spec{
			Folders:  func() []string { return []string{root} },
			Concerns: func(name string) bool { return filepath.Base(name) == "file" },
			Look:     func() string { return "" },
			Rest:     10 * time.Millisecond,
		}, func() { close(ready) }, func() { told.Add(1) })
	}()
	<-ready
	must(t, os.RemoveAll(root))
	must(t, os.Mkdir(root, 0o755))
	for end := time.Now().Add(time.Minute); ; {
		before := told.Load()
		must(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o644))
		must(t, os.Remove(filepath.Join(root, "file")))
		if time.Sleep(20 * time.Millisecond); before > 1 && told.Load() > before { // the disk has no events of its own to wait for
			break
		}
		if time.Now().After(end) {
			t.Fatal("no event for the recreated folder")
		}
	}
	cancel()
	<-done
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
