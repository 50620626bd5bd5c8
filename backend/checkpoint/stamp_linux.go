package checkpoint

import (
	"io/fs"
	"syscall"
)

// inodeOf returns what no program can set back: the file's number and when it
// was last changed in any way, in nanoseconds.
func inodeOf(info fs.FileInfo) (ino uint64, changedNs int64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino), s.Ctim.Nano()
	}
	return 0, info.ModTime().UnixNano()
}
