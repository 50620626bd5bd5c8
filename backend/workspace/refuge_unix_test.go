//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/documents"
)

// A named pipe instead of a notebook blocks nothing, with or without a conflict.
func TestAPipeInThePlaceOfANotebook(t *testing.T) {
	t.Parallel()
	d, _ := streamingConflict(t)
	file := filepath.Join(d.folder, "a.mtm")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func() error{
		"conflict":       func() error { _, err := d.Conflict("a.mtm"); return err },
		"text":           func() error { d.RawText("a.mtm"); return nil },
		"repaired copy":  func() error { d.SaveRepairedCopy("a.mtm"); return nil },
		"what it was":    func() error { d.FileChanged("a.mtm"); return nil },
		"choice of mine": func() error { d.ResolveConflict("a.mtm", documents.KeepMine); return nil },
		"choice of disk": func() error { d.ResolveConflict("a.mtm", documents.TakeDisk); return nil },
		"stop":           func() error { return d.Stop("a.mtm") },
	} {
		done := make(chan error, 1)
		go func() { done <- do() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s waits for the pipe", what)
		}
	}
}
