package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks f without waiting. False means that another open file holds the lock. On a disk without
// locks, such as some network disks, it returns true. The locked byte is far beyond the end, so
// that the file can be read.
func Try(f *os.File) bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
