//go:build unix && !linux

package builtin

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

const keeps = false

// killTree ends the process group of a process and its descendants in other
// groups, as ps shows them. What lost its parents before is not found here.
func (p *process) killTree(pid int) {
	if pid <= 0 {
		if p.cmd.Process != nil {
			syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		}
		return
	}
	out, err := exec.Command("ps", "-axo", "pid=,ppid=").Output()
	if err == nil {
		children := map[int][]int{}
		for _, line := range strings.Split(string(out), "\n") {
			f := strings.Fields(line)
			if len(f) != 2 {
				continue
			}
			child, err1 := strconv.Atoi(f[0])
			parent, err2 := strconv.Atoi(f[1])
			if err1 == nil && err2 == nil {
				children[parent] = append(children[parent], child)
			}
		}
		for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
			syscall.Kill(queue[0], syscall.SIGKILL)
			queue = append(queue, children[queue[0]]...)
		}
	}
	syscall.Kill(-pid, syscall.SIGKILL)
}
