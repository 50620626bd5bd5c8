package builtin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
)

// Tasks are the commands of all agents that run, and those in the background
// that have ended. It is safe for concurrent use.
type Tasks struct {
	changed func(TaskChange)
	now     func() time.Time

	mu     lock.Mutex
	tasks  []*task          // oldest first
	left   map[string]*task // no longer listed, but their output may still be fetched
	next   int
	closed bool
	wg     sync.WaitGroup
}

// TaskView is a command as the interface shows it.
type TaskView struct {
	ID         string `json:"id"` // "t1"
	Notebook   string `json:"notebook"`
	CallID     string `json:"callId"`
	Command    string `json:"command"`
	Folder     string `json:"folder"` // absolute
	Background bool   `json:"background"`
	StartedMs  int64  `json:"startedMs"` // Unix milliseconds
	EndedMs    int64  `json:"endedMs"`   // 0 while it runs
	ExitCode   int    `json:"exitCode"`  // 128 and more: a signal; -1: it was stopped
	Bytes      int64  `json:"bytes"`     // of output, as it came
	Confined   bool   `json:"confined"`  // the system keeps it from writing elsewhere
}

// TaskChange reports that a task was added, changed, or printed something (Removed false), or is no
// longer listed.
type TaskChange struct {
	Task    TaskView `json:"task"`
	Removed bool     `json:"removed"`
}

// TaskOutput is a part of the raw output of a command, with terminal sequences. Begin is greater
// than the requested offset if the beginning is no longer kept.
type TaskOutput struct {
	Raw   string `json:"raw"`
	Begin int64  `json:"begin"`
	Next  int64  `json:"next"`
	Ended bool   `json:"ended"`
}

const (
	keepEnded  = 50                     // ended background commands
	linger     = 5 * time.Second        // how long the output of a task that is no longer listed can be fetched
	maxRunning = 32                     // commands at once
	tellEvery  = 100 * time.Millisecond // about new output
)

// NewTasks returns an empty registry. changed is called for each change, from any goroutine and
// with no lock held, for output at most ten times a second for each task; it may be nil.
func NewTasks(changed func(TaskChange)) *Tasks {
	return &Tasks{changed: changed, now: time.Now, left: map[string]*task{}}
}

// List lists the tasks, oldest first. It is never nil.
func (r *Tasks) List() []TaskView {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]TaskView, len(r.tasks))
	for i, t := range r.tasks {
		out[i] = t.view()
	}
	return out
}

// Output returns a task's output from an offset on, at most `most` bytes (0: all that is kept),
// even shortly after the task has left the list. The error is NotFound if there is no such task.
func (r *Tasks) Output(id string, from int64, most int) (TaskOutput, error) {
	t, err := r.get(id)
	if err != nil {
		r.mu.Lock()
		t = r.left[id]
		r.mu.Unlock()
	}
	if t == nil {
		return TaskOutput{Raw: ""}, err
	}
	ended := t.ended()
	raw, begin, next := t.out.since(from, most)
	return TaskOutput{Raw: raw, Begin: begin, Next: next, Ended: ended}, nil
}

// Kill ends a task with everything it started, and returns when it has ended.
func (r *Tasks) Kill(id string) error {
	t, err := r.get(id)
	if err != nil {
		return err
	}
	t.kill()
	<-t.done
	return nil
}

// Remove takes an ended task off the list.
func (r *Tasks) Remove(id string) error {
	t, err := r.get(id)
	if err != nil {
		return err
	}
	if !t.ended() {
		return fault.New(fault.Conflict, "%s still runs: end it first", id)
	}
	r.forget(t)
	return nil
}

// KillAll ends the tasks of a notebook, all of them for "", and returns when
// they have ended.
func (r *Tasks) KillAll(notebook string) {
	r.mu.Lock()
	tasks := slices.Clone(r.tasks)
	r.mu.Unlock()
	tasks = slices.DeleteFunc(tasks, func(t *task) bool { return notebook != "" && t.view().Notebook != notebook })
	for _, t := range tasks {
		t.kill()
	}
	for _, t := range tasks {
		<-t.done
	}
}

// Close ends all tasks; none can be started afterwards.
func (r *Tasks) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.KillAll("")
	r.wg.Wait()
}

func (r *Tasks) get(id string) (*task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tasks {
		if t.id == id {
			return t, nil
		}
	}
	return nil, fault.New(fault.NotFound, "there is no task %q", id)
}

// find is get for an agent, which sees its own tasks only.
func (r *Tasks) find(owner, id string) (*task, error) {
	t, err := r.get(id)
	if err == nil && t.spec.Owner == owner && t.spec.Background {
		return t, nil
	}
	var own []string
	for _, v := range r.List() {
		if v.Notebook == owner && v.Background {
			own = append(own, v.ID)
		}
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("there is no task %q: you have none in the background", id)
	}
	return nil, fmt.Errorf("there is no task %q; yours are %v", id, own)
}

// start runs a command. Errors are for the model.
func (r *Tasks) start(c command) (*task, error) {
	if temp := c.temp(); temp != "" {
		for _, dir := range []string{"tmp", "cache"} {
			if err := os.MkdirAll(filepath.Join(temp, dir), 0o700); err != nil {
				return nil, fmt.Errorf("make a folder for temporary files: %w", err)
			}
		}
	}
	r.mu.Lock()
	running := 0
	for _, t := range r.tasks {
		if !t.ended() {
			running++
		}
	}
	switch {
	case r.closed:
		r.mu.Unlock()
		return nil, errors.New("the program is closing")
	case running >= maxRunning:
		r.mu.Unlock()
		return nil, fmt.Errorf("%d commands run already: end some with shell_kill", running)
	}
	r.next++
	t := &task{id: fmt.Sprintf("t%d", r.next), spec: c, out: newBuffer(c.Scratch, c.Limit), done: make(chan struct{}), startMs: r.now().UnixMilli()}
	proc, err := startProcess(c, t.id, writerFunc(func(p []byte) {
		t.out.Write(p)
		r.publishSoon(t)
	}))
	if err != nil {
		r.mu.Unlock()
		return nil, err
	}
	t.mu.Lock()
	t.proc = proc
	t.mu.Unlock()
	r.tasks = append(r.tasks, t)
	r.wg.Add(1)
	r.mu.Unlock()
	r.publish(t, false)
	go func() {
		defer r.wg.Done()
		exit := proc.wait()
		t.out.close()
		t.mu.Lock()
		if t.killed {
			exit = -1 // whatever the signal
		}
		t.exit, t.endMs = exit, r.now().UnixMilli()
		t.mu.Unlock()
		close(t.done)
		r.publish(t, false)
		r.prune()
	}()
	return t, nil
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

// forget takes a task off the list.
func (r *Tasks) forget(t *task) {
	r.mu.Lock()
	i := slices.Index(r.tasks, t)
	if i >= 0 {
		r.tasks = slices.Delete(r.tasks, i, i+1)
		r.left[t.id] = t
		time.AfterFunc(linger, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.left, t.id)
		})
	}
	r.mu.Unlock()
	if i >= 0 {
		r.publish(t, true)
	}
}

// prune drops the oldest of the ended commands when there are many.
func (r *Tasks) prune() {
	for {
		r.mu.Lock()
		var oldest *task
		n := 0
		for _, t := range r.tasks {
			if t.spec.Background && t.ended() {
				if n++; oldest == nil {
					oldest = t
				}
			}
		}
		r.mu.Unlock()
		if n <= keepEnded {
			return
		}
		r.forget(oldest)
	}
}

func (r *Tasks) publish(t *task, removed bool) {
	if r.changed != nil {
		r.changed(TaskChange{Task: t.view(), Removed: removed})
	}
}

// publishSoon reports output, several pieces at once.
func (r *Tasks) publishSoon(t *task) {
	if r.changed == nil {
		return
	}
	t.mu.Lock()
	first := !t.pending
	t.pending = true
	t.mu.Unlock()
	if !first {
		return
	}
	time.AfterFunc(tellEvery, func() {
		t.mu.Lock()
		t.pending = false
		over := t.endMs != 0 // the end was published with all of the output
		t.mu.Unlock()
		if !over {
			r.publish(t, false)
		}
	})
}

// Ended returns a channel that is closed when a task has ended; at once if there is none with that
// id.
func (r *Tasks) Ended(id string) <-chan struct{} {
	if t, err := r.get(id); err == nil {
		return t.done
	}
	none := make(chan struct{})
	close(none)
	return none
}
