// Package commands tracks the shell commands of a folder's agents for the person: which ones are
// running, their output, and how to end them. Package tool/builtin runs them.
package commands

import (
	"sync"
	"time"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
)

// Commands tracks the commands of a folder's agents. It is safe for concurrent use.
type Commands struct {
	registry *documents.Registry
	tasks    *builtin.Tasks
	sandbox  string // the program that confines a command, this one; "": commands are not confined
	settings *settings.Store
	kept     *agentfiles.Store
	out      *event.Outbox
	printed  sync.Map // uuid of a notebook -> when a command of its agent printed last
	at       lock.Guarded[atWork]
}

// atWork holds the running commands, and when one last ended.
type atWork struct {
	running map[string]bool // by their ids
	ended   time.Time
}

// New returns the Commands of a folder, confined by the program sandbox unless that
// is "".
func New(reg *documents.Registry, sandbox string, s *settings.Store, kept *agentfiles.Store, out *event.Outbox) *Commands {
	cs := &Commands{registry: reg, sandbox: sandbox, settings: s, kept: kept, out: out}
	cs.tasks = builtin.NewTasks(cs.changed)
	return cs
}

// Calls lets the interface list commands, read their output and end them. Package workspace embeds
// it.
type Calls struct{ commands *Commands }

// Calls returns the calls of the interface.
func (cs *Commands) Calls() *Calls { return &Calls{cs} }

// ShellFor returns the Shell for the tools of the agent with a uuid.
func (cs *Commands) ShellFor(uuid string) *builtin.Shell {
	return &builtin.Shell{
		Tasks: cs.tasks, Owner: uuid, Sandbox: cs.sandbox, Show: cs.settings.Preferences().CommandEnv,
		Keep: func(raw string) string { return cs.kept.KeepOutput(uuid, raw) },
		Temp: sync.OnceValue(func() string { return cs.kept.Temp(uuid) }), Private: cs.settings.Private(),
	}
}

// Exposed reports whether commands can reach the program's own folders.
func (cs *Commands) Exposed() bool { return cs.sandbox == "" || !builtin.SandboxStatus().Hides }

// changed publishes a command that began, printed or ended.
func (cs *Commands) changed(c builtin.TaskChange) {
	cs.printed.Store(c.Task.Notebook, time.Now())
	cs.at.Do(func(w *atWork) {
		if c.Task.EndedMs == 0 && !c.Removed {
			if w.running == nil {
				w.running = map[string]bool{}
			}
			w.running[c.Task.ID] = true
		} else if w.running[c.Task.ID] {
			delete(w.running, c.Task.ID)
			w.ended = time.Now()
		}
	})
	cs.out.Emit(event.TaskChanged{Task: event.Task(c.Task), Removed: c.Removed})
}

// Tasks lists the commands that run, and the background commands that have ended,
// oldest first.
func (c *Calls) Tasks() ([]event.Task, error) {
	list := []event.Task{}
	for _, t := range c.commands.tasks.List() {
		list = append(list, event.Task(t))
	}
	return list, nil
}

// TaskOutput returns a command's output from an offset on, at most maxBytes of it (0: all that is
// kept).
func (c *Calls) TaskOutput(id string, from int64, maxBytes int) (builtin.TaskOutput, error) {
	return c.commands.tasks.Output(id, from, maxBytes)
}

// KillTask ends a command and every process that it started.
func (c *Calls) KillTask(id string) error { return c.commands.tasks.Kill(id) }

// RemoveTask removes a command that has ended from the list.
func (c *Calls) RemoveTask(id string) error { return c.commands.tasks.Remove(id) }

// Sandbox returns how commands are confined on this system.
func (c *Calls) Sandbox() (builtin.Status, error) { return builtin.SandboxStatus(), nil }

// CommandOutput returns the raw output of a command, by the name of its file in the
// facts of the call. NotFound: it is not kept.
func (c *Calls) CommandOutput(path, name string) (string, error) {
	uuid := ""
	err := c.commands.registry.Open(path, func(tx *documents.Tx) error {
		if tx.Notebook() != nil {
			uuid = tx.Agent().UUID
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return c.commands.kept.Output(uuid, name)
}

// Printed returns when a command of the agent with a uuid printed last; false: none
// did.
func (cs *Commands) Printed(uuid string) (at time.Time, ok bool) {
	v, ok := cs.printed.Load(uuid)
	if !ok {
		return at, false
	}
	return v.(time.Time), true
}

// RanSince reports whether a command of any agent ran at t or later.
func (cs *Commands) RanSince(t time.Time) (ran bool) {
	cs.at.Do(func(w *atWork) { ran = len(w.running) > 0 || !w.ended.Before(t) })
	return ran
}

// KillAllOf ends every command of an agent.
func (cs *Commands) KillAllOf(uuid string) { cs.tasks.KillAll(uuid) }

// Close ends every command and waits until they have ended.
func (cs *Commands) Close() { cs.tasks.Close() }

// Output returns what a command printed so far, as far as it is kept.
func (cs *Commands) Output(id string) string {
	out, err := cs.tasks.Output(id, 0, 0)
	if err != nil {
		return ""
	}
	return out.Raw
}

// Ended returns a channel that is closed when a command has ended.
func (cs *Commands) Ended(id string) <-chan struct{} { return cs.tasks.Ended(id) }

// Exit returns the exit status of a command that has ended; -1: it was stopped, or is gone.
func (cs *Commands) Exit(id string) int {
	for _, t := range cs.tasks.List() {
		if t.ID == id {
			return t.ExitCode
		}
	}
	return -1
}

// Kill ends a command with everything it started.
func (cs *Commands) Kill(id string) { cs.tasks.Kill(id) }
