package builtin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
// system's own shells would read commands differently from what the person was shown, and so would
// the bash of WSL, which is another system.
func findShell() (string, error) {
	roots := []string{os.Getenv("ProgramFiles") + `\Git`, os.Getenv("LocalAppData") + `\Programs\Git`}
	if git, err := exec.LookPath("git.exe"); err == nil { // in cmd, bin or mingw64\bin
		dir := filepath.Dir(filepath.Dir(git))
		roots = append([]string{dir, filepath.Dir(dir)}, roots...)
	}
	for _, root := range roots {
		path := root + `\bin\bash.exe`
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	if path, err := exec.LookPath("bash.exe"); err == nil && !ofSystem(path) {
		return path, nil
	}
	return "", errors.New("no bash was found: install Git for Windows, which brings it")
}

// ofSystem reports whether a bash is the one of Windows, which starts WSL.
func ofSystem(path string) bool {
	path = strings.ToLower(path)
	return strings.HasPrefix(path, strings.ToLower(os.Getenv("SystemRoot"))+`\`) || strings.Contains(path, `\microsoft\windowsapps\`)
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
