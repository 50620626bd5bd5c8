// Package commands keeps the commands that the agents of a folder run: which go
// on, what they print, and how they are ended. Package tool/builtin runs them.
package commands

import (
	"sync"
	"time"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
)

// Commands are those that the agents of a folder run. It is safe for concurrent
// use.
type Commands struct {
	registry *documents.Registry
	tasks    *builtin.Tasks
	sandbox  string // this program as the keeper of a command; "": commands are not confined
	settings *settings.Store
	kept     *agentfiles.Store
	out      *event.Outbox
	printed  sync.Map // uuid of a notebook -> when a command of its agent printed last
}

// New makes what runs commands, confined by sandbox unless that is "".
func New(reg *documents.Registry, sandbox string, s *settings.Store, kept *agentfiles.Store, out *event.Outbox) *Commands {
	cs := &Commands{registry: reg, sandbox: sandbox, settings: s, kept: kept, out: out}
	cs.tasks = builtin.NewTasks(cs.changed)
	return cs
}

// Calls are what the person asks of it. Package workspace embeds them.
type Calls struct{ commands *Commands }

// Calls gives what the person asks of it.
func (cs *Commands) Calls() *Calls { return &Calls{cs} }

// ShellFor is what the shell tools of a notebook's agent work with.
func (cs *Commands) ShellFor(uuid string) *builtin.Shell {
	return &builtin.Shell{
		Tasks: cs.tasks, Owner: uuid, Sandbox: cs.sandbox, Show: cs.settings.Preferences().CommandEnv,
		Keep: func(raw string) string { return cs.kept.KeepOutput(uuid, raw) },
		Temp: cs.kept.Temp(uuid), Private: cs.settings.Private(),
	}
}

// Exposed reports whether commands could reach this program's own folders.
func (cs *Commands) Exposed() bool { return cs.sandbox == "" || !builtin.SandboxStatus().Hides }

// changed tells the interface of a command.
func (cs *Commands) changed(c builtin.TaskChange) {
	cs.printed.Store(c.Task.Notebook, time.Now())
	cs.out.Emit(event.TaskChanged{Task: event.Task(c.Task), Removed: c.Removed})
}

// Tasks lists the commands of agents that run, and those in the background
// that have ended, oldest first.
func (c *Calls) Tasks() ([]event.Task, error) {
	list := []event.Task{}
	for _, t := range c.commands.tasks.List() {
		list = append(list, event.Task(t))
	}
	return list, nil
}

// TaskOutput gives what a command printed, from an offset on, most bytes of it
// at most (0: all that is kept).
func (c *Calls) TaskOutput(id string, from int64, most int) (builtin.TaskOutput, error) {
	return c.commands.tasks.Output(id, from, most)
}

// KillTask ends a command with everything that it started.
func (c *Calls) KillTask(id string) error { return c.commands.tasks.Kill(id) }

// RemoveTask takes a command that has ended off the list.
func (c *Calls) RemoveTask(id string) error { return c.commands.tasks.Remove(id) }

// Sandbox says whether commands are kept from writing elsewhere on this system.
func (c *Calls) Sandbox() (builtin.Status, error) { return builtin.SandboxStatus(), nil }

// CommandOutput gives the output of a command of a notebook as it came, by the
// name that the facts of its call have for it. NotFound: it is not kept.
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

// Printed is when a command of the agent with that uuid printed last; false:
// none has.
func (cs *Commands) Printed(uuid string) (at time.Time, ok bool) {
	v, ok := cs.printed.Load(uuid)
	if !ok {
		return at, false
	}
	return v.(time.Time), true
}

// KillAllOf ends every command of an agent.
func (cs *Commands) KillAllOf(uuid string) { cs.tasks.KillAll(uuid) }

// Close ends every command, and waits for that.
func (cs *Commands) Close() { cs.tasks.Close() }
