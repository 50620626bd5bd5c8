//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks f without waiting. False means that another open file holds the lock. On a disk without
// locks, such as some network disks, it returns true.
func Try(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR)
}
