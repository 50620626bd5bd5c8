package notebook

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestSaveOnAFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting a small disk needs root; TestSaveBeyondTheLimit fails in the same place")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=300k"); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	defer syscall.Unmount(dir, 0)
	path := filepath.Join(dir, "a.mtm")
	write(t, path, string(workload(180<<10)))
	before := contents(t, path)
	kind, message := ask(t, child("save", path))
	refused(t, path, before, kind, message, "internal", "disk is full")

	// Once there is room, the same save succeeds.
	write(t, path, string(workload(60<<10)))
	if kind, message := ask(t, child("save", path)); kind != "saved" {
		t.Errorf("%s %s", kind, message)
	}
}
