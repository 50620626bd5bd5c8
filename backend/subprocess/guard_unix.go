//go:build unix

package subprocess

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"

	"mutsumi/backend/lock"
)

// guarding is a process of this program's own that lives as long as servers do. When the
// program is killed, nobody is left to end what its servers started: this process notices that
// its input ends, and does so. It receives the process groups of the servers, one per line.
var guarding guard

type guard struct {
	mu     lock.Mutex
	groups map[int]bool
	in     io.WriteCloser // nil: it does not run
	cmd    *exec.Cmd
}

// script collects the groups that it reads, and kills them once its input ends. Servers that watch
// their input have had time to end on their own by then.
const script = `
groups=
while read -r what group; do
	case $what in
	begins) groups="$groups $group" ;;
	ended)
		left=
		for g in $groups; do [ "$g" = "$group" ] || left="$left $g"; done
		groups=$left
		;;
	esac
done
[ -z "$groups" ] && exit
sleep 1
for g in $groups; do kill -KILL -- "-$g" 2>/dev/null || kill -9 "-$g" 2>/dev/null; done
`

// begins records a group. Without a shell there is no guard: the servers see their input end.
func (g *guard) begins(group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.in == nil {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a key at the terminal ends the program, and not this
		cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin"}, "/"
		in, err := cmd.StdinPipe()
		if err != nil || cmd.Start() != nil {
			return
		}
		g.in, g.cmd, g.groups = in, cmd, map[int]bool{}
	}
	g.groups[group] = true
	fmt.Fprintln(g.in, "begins", group) // the guard may be gone
}

// ended records that a group is gone. With the last one the guard ends.
func (g *guard) ended(group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.groups[group] {
		return
	}
	delete(g.groups, group)
	fmt.Fprintln(g.in, "ended", group)
	if len(g.groups) == 0 {
		g.in.Close()
		g.cmd.Wait() // it has nothing left to do
		g.in, g.cmd = nil, nil
	}
}
