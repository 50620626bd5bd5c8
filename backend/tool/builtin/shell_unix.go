//go:build unix

package builtin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"mutsumi/backend/lock"

	"github.com/creack/pty"
)

// process is a command with its terminal and everything it started.
type process struct {
	cmd      *exec.Cmd
	mark     string // a mark in the environment of its processes
	term     *os.File
	read     chan struct{} // closes when the terminal has been read to its end
	life     *os.File      // the keeper ends everything when this closes
	confined bool

	mu     lock.Mutex
	over   bool // the first process has been waited for: its number is no longer ours
	killed bool
}

// findShell returns the shell that commands are written for.
func findShell() (string, error) {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no shell was found on this system (bash, sh)")
}

// startProcess runs a command on its own terminal and in its own session. Its output goes to out
// until it has ended.
func startProcess(c command, id string, out io.Writer) (*process, error) {
	sh, err := findShell()
	if err != nil {
		return nil, err
	}
	master, tty, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("open a terminal for the command: %w", err)
	}
	defer tty.Close()
	mark := fmt.Sprintf("%d-%s-%d", os.Getpid(), id, time.Now().UnixNano())
	p := &process{mark: mark, term: master, read: make(chan struct{})}
	p.cmd = exec.Command(sh, "-c", c.Text)
	p.cmd.Env = environment(os.Environ(), c.Shell, mark)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	var theirs *os.File
	if c.Sandbox != "" && keeps {
		if theirs, p.life, err = os.Pipe(); err != nil {
			master.Close()
			return nil, err
		}
		defer theirs.Close()
		status := SandboxStatus()
		for _, dir := range c.Private {
			_ = os.MkdirAll(dir, 0o700) // a missing folder cannot be hidden, and a command could create it
		}
		k := keeper{Argv: []string{sh, "-c", c.Text}, Writable: writable(c), Private: c.Private, Dir: c.Folder, Confine: status.Confined, Mounts: status.mounts}
		k.desktop(os.Environ(), c.Show)
		p.cmd = exec.Command(c.Sandbox, k.args()...)
		p.cmd.Env = environment(os.Environ(), c.Shell, mark)
		p.cmd.ExtraFiles = []*os.File{theirs}
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the terminal is the command's
		p.confined = k.Confine
	}
	p.cmd.Dir = c.Folder
	p.cmd.Stdout, p.cmd.Stderr = tty, tty // standard input is empty
	if err := p.cmd.Start(); err != nil {
		master.Close()
		if p.life != nil {
			p.life.Close()
		}
		return nil, fmt.Errorf("start the command: %w", err)
	}
	go func() {
		defer close(p.read)
		buf := make([]byte, 32<<10)
		for {
			n, err := master.Read(buf)
			if n > 0 {
				out.Write(buf[:n])
			}
			if err != nil && !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}()
	return p, nil
}

// openTerminal opens a pair whose first end can be closed while it is being read.
func openTerminal() (master, tty *os.File, err error) {
	m, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	if err := pty.Setsize(m, &pty.Winsize{Rows: 50, Cols: 200}); err != nil {
		tty.Close()
		return nil, nil, err
	}
	fd, err := syscall.Dup(int(m.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		tty.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), m.Name()), tty, nil
}

// drain is how long to wait for the last output.
const drain = 100 * time.Millisecond

// wait returns the exit status when the command, and everything it started,
// has ended and its output has been read. 128 and more is a signal.
func (p *process) wait() int {
	err := p.cmd.Wait()
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.sweep()
	if p.life != nil {
		p.life.Close()
	}
	select {
	case <-p.read:
	case <-time.After(drain):
	}
	p.term.Close()
	<-p.read
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal())
		}
		return exit.ExitCode()
	}
	return 127
}

// kill ends everything at once.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed || p.over {
		return
	}
	p.killed = true
	// Once stopped it starts no more processes, and its number stays its own while its descendants
	// are searched for.
	if p.cmd.Process.Signal(syscall.SIGSTOP) == nil {
		p.killTree(p.cmd.Process.Pid)
	}
	p.cmd.Process.Kill()
}

// sweep ends the processes that the command left behind.
func (p *process) sweep() { p.killTree(0) }
