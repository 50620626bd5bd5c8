// Package git reads repositories through a git folder of its own, so that no
// program which they name is run, and limits the size of git's output. Which
// commands are run is up to the callers.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

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
	cmd.Stdout, cmd.Stderr = &bounded{w: &printed, left: maxAnswer}, &bounded{w: &said, left: maxComplaint, drop: true}
	if err = cmd.Run(); err == nil {
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
