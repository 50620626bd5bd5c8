// Package git reads repositories through a git folder of its own, so that no
// program which they name is run, and limits the size of git's output. Which
// commands are run is up to the callers.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"mutsumi/backend/fault"
)

// Limits of git's output, in bytes: a longer answer is an error, a longer error
// message is cut.
const (
	maxAnswer    = 64 << 20
	maxComplaint = 4 << 10
)

// Run runs a command that was made with ctx and returns its output, even if it failed. The error
// has git's first message; status is then git's exit status, -1 if it did not complete. If ctx ends
// the error is Canceled.
func Run(ctx context.Context, cmd *exec.Cmd) (out string, status int, err error) {
	var printed, said bytes.Buffer
	if err = run(ctx, cmd, &bounded{w: &printed, left: maxAnswer}, &bounded{w: &said, left: maxComplaint, drop: true}); err == nil {
		return printed.String(), 0, nil
	}
	if ctx.Err() != nil {
		return "", -1, fault.New(fault.Canceled, "git took too long")
	}
	status = -1
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n"); line != "" {
		err = fmt.Errorf("git said: %s", line)
	}
	return printed.String(), status, err
}

// After git has exited, its output is read for lateOutput at most: on a busy machine that takes a
// while, and a process that git left behind could keep it open.
var lateOutput = 10 * time.Second

// run runs a command, whose output goes to out and err. It reads the output itself, because
// cmd.WaitDelay limits both how long a command has to die and how long its output is read.
func run(ctx context.Context, cmd *exec.Cmd, stdout, stderr io.Writer) error {
	out, err := newOutput(stdout)
	if err != nil {
		return err
	}
	said, err := newOutput(stderr)
	if err != nil {
		out.end(0)
		return err
	}
	cmd.Stdout, cmd.Stderr = out.write, said.write
	err = cmd.Run()
	wait := lateOutput
	if err != nil && ctx.Err() != nil {
		wait = 0
	}
	unread, unsaid := out.end(wait), said.end(wait)
	return cmp.Or(unread, err, unsaid)
}

// output reads what a command writes, until all ends of its pipe are closed.
type output struct {
	read, write *os.File
	done        chan struct{} // closed when err is set
	err         error
}

func newOutput(to io.Writer) (*output, error) {
	o := &output{done: make(chan struct{})}
	var err error
	if o.read, o.write, err = os.Pipe(); err != nil {
		return nil, err
	}
	go func() {
		defer close(o.done)
		_, o.err = io.Copy(to, o.read)
		o.read.Close() // a command whose output is refused ends
	}()
	return o, nil
}

// end returns when the output has been read, and why it could not be.
func (o *output) end(wait time.Duration) error {
	o.write.Close()
	select {
	case <-o.done:
	case <-time.After(wait):
		o.read.Close()
		if <-o.done; o.err != nil {
			return errors.New("git exited, and another process kept its output open")
		}
	}
	return o.err
}

// bounded passes on the first `left` bytes; more are an error, or dropped.
type bounded struct {
	w    io.Writer
	left int
	drop bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) <= b.left {
		b.left -= len(p)
		return b.w.Write(p)
	}
	if !b.drop {
		return 0, errors.New("git's answer is longer than this program reads")
	}
	_, err := b.w.Write(p[:b.left])
	b.left = 0
	return len(p), err
}
