package notebook

import (
	"io/fs"
	"os"
)

// Windows tells files apart by handle only; time and size have to do.
func inode(fs.FileInfo) uint64 { return 0 }

func keepOwner(*os.File, fs.FileInfo) {}

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}

func isQuota(error) bool { return false }

// syncDir has nothing to do: NTFS journals renames.
func syncDir(string) {}
