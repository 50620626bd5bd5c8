//go:build unix

package notebook

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// withoutWaiting opens a pipe at once.
const withoutWaiting = syscall.O_NONBLOCK

func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}

// keepOwner lets a file written by root stay its owner's. Others cannot give
// files away, and need not.
func keepOwner(f *os.File, old fs.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}

// closeEarly has nothing to do: the file is open, and locked, until it has its name.
func (t *tempFile) closeEarly() error { return nil }

// tryLock takes the lock of a file; closing the file releases it.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// abandoned reports whether no process holds a temporary file of process pid.
func abandoned(name string, pid int) bool {
	f, _, err := OpenRegular(name)
	if err != nil {
		return false
	}
	defer f.Close()
	switch err := tryLock(f); {
	case err == nil:
		return true
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false
	}
	return pid != os.Getpid() && syscall.Kill(pid, 0) == syscall.ESRCH // a disk without locks
}

// holdFile keeps another process from taking the file for an abandoned one
// when it is under a temporary name.
func holdFile(path string) *os.File {
	f, _, err := OpenRegular(path)
	if err != nil {
		return nil // closing that does nothing
	}
	_ = tryLock(f)
	return f
}

func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) }

// syncDir makes a rename last. It cannot fail: the file has its new name
// already, and some file systems and folders allow no sync.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
