package notebook

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// exchange gives each of two files the other's name, in one step. ErrUnsupported:
// the kernel or the disk cannot.
func exchange(a, b string) error { return renameWith(a, b, unix.RENAME_EXCHANGE) }

// renameNew renames a file to a name that nothing has yet, in one step.
func renameNew(from, to string) error { return renameWith(from, to, unix.RENAME_NOREPLACE) }

func renameWith(from, to string, flags uint) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return fmt.Errorf("rename %s: %w", from, errors.ErrUnsupported)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}

// beingWritten reports whether some process has the file open for writing, according to the kernel,
// which grants no lease on such a file.
func beingWritten(path string) bool {
	f, _, err := OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
