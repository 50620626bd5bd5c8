//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command start in its own process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// endGroup asks a process group to exit, or kills it.
func endGroup(pid int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	syscall.Kill(-pid, signal) // it may be gone
}
