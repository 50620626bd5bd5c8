package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// becomeFile replaces a folder by a file in one step: at no time are the files in it merely missing,
// which would be a conflict.
func becomeFile(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, file, unix.RENAME_EXCHANGE); err != nil {
		t.Fatal(err)
	}
}
