//go:build !linux

package workspace_test

import (
	"errors"
	"os"
	"testing"
)

// becomeFile replaces a folder by a file. Only Linux has one call for it.
func becomeFile(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.Rename(dir, dir+"-elsewhere"), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}
