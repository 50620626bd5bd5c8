package child

import (
	"os/exec"
	"strconv"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup kills a process and the processes it started: Windows has no way to ask them to exit.
func endGroup(pid int, _ bool) {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

// There is no guard here: if the program is killed, servers see their input end.
func guardBegins(int) {}
func guardEnded(int)  {}
