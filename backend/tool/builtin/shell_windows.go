package builtin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"mutsumi/backend/jobobject"
)

// process is a command with everything it started. There is no terminal here: its output comes
// through pipes.
type process struct {
	cmd      *exec.Cmd
	confined bool
	job      *jobobject.Job
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
	p.cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: jobobject.Flags}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	if p.job, err = jobobject.Start(p.cmd.Process); err != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		return nil, err
	}
	return p, nil
}

func (p *process) wait() int {
	err := p.cmd.Wait()
	p.job.Close() // what it left behind
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return 127
}

func (p *process) kill() { p.job.Kill() }
