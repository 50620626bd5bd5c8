package process

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that has ended and waits to be collected.
const zombie = 5

// startOf returns when a process began; "" if it does not exist.
func startOf(pid int) string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_stat == zombie {
		return ""
	}
	t := p.Proc.P_starttime
	return strconv.FormatInt(t.Sec, 10) + "." + strconv.FormatInt(int64(t.Usec), 10)
}

func boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
