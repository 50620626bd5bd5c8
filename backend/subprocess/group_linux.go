package subprocess

import "syscall"

// dieWithParent has the system kill the process when this program is killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
