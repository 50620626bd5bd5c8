//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"syscall"
)

// tryLock reports whether there is nothing to wait for: the lock is taken, or
// the disk has none.
func tryLock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR)
}
