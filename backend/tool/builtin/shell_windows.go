package builtin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"mutsumi/backend/lock"
)

// process is a command with everything it started. There is no terminal here: its output comes
// through pipes.
type process struct {
	cmd      *exec.Cmd
	confined bool
	mu       lock.Mutex
	over     bool
}

// findShell returns the shell that commands are written for: the one that comes with Git. The
// system's own shells would read commands differently from what the person was shown.
func findShell() (string, error) {
	if path, err := exec.LookPath("bash.exe"); err == nil {
		return path, nil
	}
	for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("LocalAppData") + `\Programs`} {
		path := root + `\Git\bin\bash.exe`
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no bash was found: install Git for Windows, which brings it")
}

func startProcess(c command, id string, out io.Writer) (*process, error) {
	sh, err := findShell()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(sh, "-c", c.Text)}
	p.cmd.Dir = c.Folder
	p.cmd.Env = environment(os.Environ(), c.Shell, id)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	return p, nil
}

func (p *process) wait() int {
	err := p.cmd.Wait()
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return 127
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run()
	p.cmd.Process.Kill()
}
