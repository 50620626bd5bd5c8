// Package subprocess runs a program that talks with ours on its standard input and output: an MCP
// server (SPEC 13.1) or an agent (SPEC 14.1). It runs it in its own process group, with few
// environment variables or all of the person's, keeps the last lines of its log and limits how much
// it may write. Nothing of it outlives Close or the program, also when the program is killed. The
// package knows no protocol.
package subprocess

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Command is a command to start.
type Command struct {
	Program string
	Args    []string
	Env     map[string]string // in addition to the usual variables
	AllEnv  bool              // it gets all of this program's variables, as from a terminal
	Dir     string
	Log     io.Writer // gets what the process writes to standard error; it must not block
}

// grace is how long a process has to exit after its input was closed, and again after it was asked
// to exit.
const grace = 2 * time.Second

// Process is the program's process. It is safe for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	group  *group // the process and what it starts
	in     io.WriteCloser
	out    io.ReadCloser
	done   chan struct{} // closed when the process and what it started have ended
	failed error         // how it ended; read after done
	gone   chan struct{} // closed when this program has no record of it either
	close  sync.Once
}

// Start starts a command.
func Start(c Command) (*Process, error) {
	p := &Process{cmd: exec.Command(c.Program, c.Args...), done: make(chan struct{}), gone: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = c.Dir, Environment(os.Environ(), c.Env)
	if c.AllEnv {
		p.cmd.Env = allEnvironment(os.Environ(), c.Env)
	}
	// Use a pipe of our own: children that the process leaves behind may hold the other end open,
	// and Wait would wait for them.
	out, outEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		out.Close()
		outEnd.Close()
		return nil, err
	}
	p.out, p.cmd.Stdout = out, outEnd
	p.cmd.Stderr, p.cmd.WaitDelay = c.Log, time.Second
	ownGroup(p.cmd)
	err = p.cmd.Start()
	outEnd.Close()
	if err != nil {
		p.in.Close()
		out.Close()
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("there is no program %q in the PATH: install it, or write its whole path", c.Program)
		}
		return nil, err
	}
	if p.group, err = joinGroup(p.cmd.Process); err != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		out.Close()
		return nil, err
	}
	go func() {
		p.failed = p.cmd.Wait()
		p.group.release()
		close(p.done)
		p.group.forget()
		close(p.gone)
	}()
	return p, nil
}

// Reader returns the messages that the process writes. It fails once the process writes too much,
// and calls refused first.
func (p *Process) Reader(refused func(error)) io.ReadCloser {
	return newMessages(Counted(p.out, refused), p.cmd.Stderr)
}

// Writer returns the input of the process.
func (p *Process) Writer() io.WriteCloser { return p.in }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// How says in a few words how the process ended. Call it after Done.
func (p *Process) How() string {
	if p.failed == nil || errors.Is(p.failed, exec.ErrWaitDelay) {
		return "it ended by itself"
	}
	return "it ended: " + p.failed.Error()
}

// Close ends the process and everything it started: it closes the input, then asks the process to
// exit, then kills it. It returns when nothing is left; with hurry it kills at once.
func (p *Process) Close(hurry bool) {
	p.close.Do(func() {
		p.in.Close()
		defer p.out.Close()
		ended := !hurry && p.ended(grace)
		for _, kill := range []bool{hurry, true} {
			if !ended {
				p.group.end(kill)
				ended = p.ended(grace)
			}
		}
		if ended {
			<-p.gone
		}
	})
}

func (p *Process) ended(within time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(within):
		return false
	}
}

// given are the variables that every server gets; none of them holds a key. Others have to be named
// in the server's configuration.
var given = []string{
	"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NO_PROXY", "no_proxy",
	"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "PROGRAMDATA", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "COMSPEC", "WINDIR",
}

// Environment returns a server's environment: the usual variables and its own.
func Environment(from []string, own map[string]string) []string {
	var out []string
	for _, kv := range from {
		name, _, _ := strings.Cut(kv, "=")
		same := func(known string) bool {
			return known == name || runtime.GOOS == "windows" && strings.EqualFold(known, name)
		}
		if _, replaced := own[name]; !replaced && slices.ContainsFunc(given, same) {
			out = append(out, kv)
		}
	}
	for name, value := range own {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// allEnvironment returns from with the values of own, which replace those of the same name.
func allEnvironment(from []string, own map[string]string) []string {
	out := slices.Clone(from)
	for name, value := range own {
		out = append(out, name+"="+value) // the last one counts
	}
	return out
}
