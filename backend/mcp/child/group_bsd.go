//go:build unix && !linux

package child

import "syscall"

// dieWithParent does nothing here: a server notices that its input ended.
func dieWithParent(*syscall.SysProcAttr) {}
