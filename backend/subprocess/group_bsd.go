//go:build unix && !linux

package subprocess

import "syscall"

// dieWithParent does nothing here: the guard does it, a little later.
func dieWithParent(*syscall.SysProcAttr) {}
