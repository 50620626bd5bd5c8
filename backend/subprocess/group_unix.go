//go:build unix

package subprocess

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes a command start in its own process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// group is the process group of a server, named by the id of its first process.
type group struct{ id int }

// joinGroup returns the group of a process that was just started.
func joinGroup(p *os.Process) (*group, error) {
	guarding.begins(p.Pid)
	return &group{p.Pid}, nil
}

// end asks the group to exit, or kills it.
func (g *group) end(kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	syscall.Kill(-g.id, signal) // it may be gone
}

// release ends what the process left behind, once it has ended.
func (g *group) release() { g.end(true) }

// forget is called after release: the guard need not end the group.
func (g *group) forget() { guarding.ended(g.id) }
