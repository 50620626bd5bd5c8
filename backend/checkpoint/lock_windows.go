package checkpoint

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock reports whether there is nothing to wait for: the lock is taken, or
// the disk has none. The byte that is locked is far behind the end, so that the
// file can be read.
func tryLock(f *os.File) bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
