//go:build unix

package agentfiles

import (
	"io/fs"
	"os"
	"syscall"
)

const onWindows = false

// isOwn reports whether a file belongs to this user.
func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
