//go:build !linux

package checkpoint

import "io/fs"

func inodeOf(info fs.FileInfo) (ino uint64, changedNs int64) {
	return 0, info.ModTime().UnixNano()
}
