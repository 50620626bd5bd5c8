package notebook

import (
	"errors"
	"io/fs"
	"os"
)

const withoutWaiting = 0

// Windows identifies files by handle only; time and size are compared instead.
func inode(fs.FileInfo) uint64 { return 0 }

func keepOwner(*os.File, fs.FileInfo) {}

// closeEarly closes the file: Windows cannot rename an open file.
func (t *tempFile) closeEarly() error { return t.close() }

func tryLock(*os.File) error { return errors.ErrUnsupported }

// abandoned reports whether process pid has ended. Windows does not remove open files.
func abandoned(_ string, pid int) bool {
	if pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	p.Release()
	return false
}

func holdFile(string) *os.File { return nil }

func isQuota(error) bool { return false }

// syncDir has nothing to do: NTFS journals renames.
func syncDir(string) {}
