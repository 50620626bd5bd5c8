package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes the lock of f without waiting. False means that another open file
// has it. Where the disk has no locks, as some network disks, it is true. The
// byte that is locked is far behind the end, so that the file can be read.
func Try(f *os.File) bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
