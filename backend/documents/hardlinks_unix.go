//go:build unix

package documents

import (
	"io/fs"
	"syscall"
)

// fileID identifies a file independently of its name.
func fileID(info fs.FileInfo) (id fileNumber, names uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return fileNumber{}, 0
	}
	return fileNumber{uint64(st.Dev), uint64(st.Ino)}, uint64(st.Nlink)
}
