//go:build unix

package kind_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
)

// A link that leads out, a pipe and a folder are no kinds; nothing hangs.
func TestNoFiles(t *testing.T) {
	ws := folder(t, map[string]string{"a.md": "---\n---\n"})
	dir := kind.Folder(ws).Folder()
	out := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(out, []byte("---\nname: chat\n---\nSECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Symlink(out, filepath.Join(dir, "chat.md")), os.Symlink("a.md", filepath.Join(dir, "inside.md")),
		syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644), os.Mkdir(filepath.Join(dir, "folder.md"), 0o755),
	} {
		if err != nil {
			t.Skip(err)
		}
	}
	done := make(chan kind.Set, 1)
	go func() {
		s, _ := new(kind.Cache).Load(program, ws, func(string, string) bool { return true })
		done <- s
	}()
	var s kind.Set
	select {
	case s = <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for the pipe")
	}
	if _, _, err := s.Find("chat"); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a link out: %v", err)
	}
	if _, _, err := s.Find("pipe"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a pipe: %v", err)
	}
	find(t, s, "inside")
	if slices.Contains(names(s.List()), "folder") {
		t.Error("a folder is a kind")
	}
}
