//go:build unix && !linux

package child

import "syscall"

// dieWithParent does nothing here: a server sees its input end.
func dieWithParent(*syscall.SysProcAttr) {}
