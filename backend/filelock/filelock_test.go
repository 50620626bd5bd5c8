package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestALockIsHeldUntilItsFileIsClosed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if !Try(first) || Try(second) {
		t.Error("two have the lock, or none")
	}
	first.Close()
	if !Try(second) {
		t.Error("the lock outlived its file")
	}
}
