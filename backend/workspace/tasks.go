package workspace

import (
	"sync"
	"time"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/event"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
)

// commands are those that agents run.
type commands struct {
	*notebooks
	tasks    *builtin.Tasks
	sandbox  string // this program as the keeper of a command; "": commands are not confined
	settings *settings.Store
	kept     *agentfiles.Store
	out      *event.Outbox
	printed  sync.Map // uuid of a notebook -> when a command of its agent printed last
}

// newCommands makes what runs commands, confined by sandbox unless that is "".
func newCommands(n *notebooks, sandbox string, s *settings.Store, kept *agentfiles.Store, out *event.Outbox) *commands {
	cs := &commands{notebooks: n, sandbox: sandbox, settings: s, kept: kept, out: out}
	cs.tasks = builtin.NewTasks(cs.changed)
	return cs
}

// shellFor is what the shell tools of a notebook's agent work with.
func (cs *commands) shellFor(uuid string) *builtin.Shell {
	return &builtin.Shell{
		Tasks: cs.tasks, Owner: uuid, Sandbox: cs.sandbox, Show: cs.settings.Preferences().CommandEnv,
		Keep: func(raw string) string { return cs.kept.KeepOutput(uuid, raw) },
		Temp: cs.kept.Temp(uuid), Private: cs.settings.Private(),
	}
}

// exposed reports whether commands could reach this program's own folders.
func (cs *commands) exposed() bool { return cs.sandbox == "" || !builtin.SandboxStatus().Hides }

// changed tells the interface of a command.
func (cs *commands) changed(c builtin.TaskChange) {
	cs.printed.Store(c.Task.Notebook, time.Now())
	cs.out.Emit(event.TaskChanged{Task: event.Task(c.Task), Removed: c.Removed})
}

// Tasks lists the commands of agents that run, and those in the background
// that have ended, oldest first.
func (cs *commands) Tasks() ([]event.Task, error) {
	list := []event.Task{}
	for _, t := range cs.tasks.List() {
		list = append(list, event.Task(t))
	}
	return list, nil
}

// TaskOutput gives what a command printed, from an offset on, most bytes of it
// at most (0: all that is kept).
func (cs *commands) TaskOutput(id string, from int64, most int) (builtin.TaskOutput, error) {
	return cs.tasks.Output(id, from, most)
}

// KillTask ends a command with everything that it started.
func (cs *commands) KillTask(id string) error { return cs.tasks.Kill(id) }

// RemoveTask takes a command that has ended off the list.
func (cs *commands) RemoveTask(id string) error { return cs.tasks.Remove(id) }

// Sandbox says whether commands are kept from writing elsewhere on this system.
func (cs *commands) Sandbox() (builtin.Status, error) { return builtin.SandboxStatus(), nil }

// CommandOutput gives the output of a command of a notebook as it came, by the
// name that the facts of its call have for it. NotFound: it is not kept.
func (cs *commands) CommandOutput(path, name string) (string, error) {
	d, err := cs.doc(path)
	if err != nil {
		return "", err
	}
	uuid := ""
	d.do(func(tx *Tx) {
		if tx.Notebook() != nil {
			uuid = tx.Agent().UUID
		}
	})
	return cs.kept.Output(uuid, name)
}
