//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command start in a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// endGroup asks a process group to end, or kills it.
func endGroup(pid int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	syscall.Kill(-pid, signal) // it may be gone
}
