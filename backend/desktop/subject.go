package desktop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mutsumi/backend/fault"
)

// subject checks the target of an action: it exists and is not a whole disk.
func subject(path string) (string, fs.FileInfo, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", nil, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	info, err := os.Lstat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fault.New(fault.NotFound, "%s: no such file or folder", path)
	}
	if err != nil {
		return "", nil, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	if filepath.Dir(abs) == abs {
		return "", nil, fault.New(fault.Invalid, "%s is a whole disk", path)
	}
	return abs, info, nil
}
