package notebook

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// exchange gives each of two files the other's name, in one step. ErrUnsupported:
// the disk cannot.
func exchange(a, b string) error { return renameWith(a, b, unix.RENAME_SWAP) }

// renameNew renames a file to a name that nothing has yet, in one step.
func renameNew(from, to string) error { return renameWith(from, to, unix.RENAME_EXCL) }

func renameWith(from, to string, flags uint32) error {
	err := unix.RenamexNp(from, to, flags)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return fmt.Errorf("rename %s: %w", from, errors.ErrUnsupported)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}

// beingWritten cannot be determined here.
func beingWritten(string) bool { return false }
