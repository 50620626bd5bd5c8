//go:build unix

package media

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// fallbackFolder is used when the usual folder is another user's.
func fallbackFolder() string {
	return filepath.Join(os.TempDir(), folderName+"-"+strconv.Itoa(os.Getuid()))
}
