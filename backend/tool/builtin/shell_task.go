package builtin

import (
	"context"
	"fmt"
	"time"

	"mutsumi/backend/lock"
	"mutsumi/backend/tool"
)

// command is a command to run.
type command struct {
	Shell
	Text       string
	Folder     string   // absolute
	Places     []string // absolute: the places that the agent may touch
	CallID     string
	Background bool
	Scratch    string
	Limit      tool.Limit
}

// task is a command that was started.
type task struct {
	id   string
	spec command
	out  *buffer
	proc *process
	done chan struct{} // closes when it has ended with everything it started

	mu      lock.Mutex
	startMs int64
	endMs   int64
	exit    int
	killed  bool
	pending bool // a change is about to be published
}

func (t *task) view() TaskView {
	t.mu.Lock()
	defer t.mu.Unlock()
	return TaskView{
		ID: t.id, Notebook: t.spec.Owner, CallID: t.spec.CallID, Command: t.spec.Text, Folder: t.spec.Folder, Background: t.spec.Background,
		StartedMs: t.startMs, EndedMs: t.endMs, ExitCode: t.exit, Bytes: t.out.rawSize(), Confined: t.proc != nil && t.proc.confined,
	}
}

func (t *task) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.endMs != 0
}

// failed reports whether it ended with another status than 0.
func (t *task) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.endMs != 0 && t.exit != 0
}

// kill ends everything that belongs to the task. Done closes soon after.
func (t *task) kill() {
	t.mu.Lock()
	t.killed = true
	t.mu.Unlock()
	t.proc.kill()
}

// ending describes how it ended, for a model; "" on success.
func (t *task) ending() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.endMs == 0 || t.exit == 0 && !t.killed:
		return ""
	case t.killed:
		return "[It was stopped.]"
	case t.exit > 128:
		return fmt.Sprintf("[It was ended by signal %d.]", t.exit-128)
	}
	return fmt.Sprintf("[exit status %d]", t.exit)
}

// wait returns when there is output beyond an offset (the end for a negative
// one), the task ended, or time or ctx is up.
func (t *task) wait(ctx context.Context, from int64, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	if from < 0 {
		from, _ = t.out.size()
	}
	for {
		have, more := t.out.size()
		if have > from || t.ended() {
			return
		}
		select {
		case <-more:
		case <-t.done:
			return
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
