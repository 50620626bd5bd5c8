//go:build unix

package notebook

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

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

func alive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) }

// syncDir makes a rename last. It cannot fail: the file has its new name
// already, and some file systems and folders allow no sync.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
