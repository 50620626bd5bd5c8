package subprocess

import (
	"os"
	"os/exec"
	"syscall"

	"mutsumi/backend/jobobject"
)

// ownGroup makes a command start in its own process group, and wait for joinGroup.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: jobobject.Flags}
}

// group is a server's process and everything that it starts.
type group struct{ job *jobobject.Job }

// joinGroup returns the group of a process that was just started.
func joinGroup(p *os.Process) (*group, error) {
	job, err := jobobject.Start(p)
	return &group{job}, err
}

// end kills the group.
func (g *group) end(bool) { g.job.Kill() }

// release ends what the process left behind, once it has ended.
func (g *group) release() { g.job.Close() }

// forget is called after release.
func (g *group) forget() {}
