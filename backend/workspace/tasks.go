package workspace

import (
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/tool/builtin"
)

// shellFor is what the shell tools of a notebook's agent work with.
func (w *Workspace) shellFor(uuid string) *builtin.Shell {
	return &builtin.Shell{
		Tasks: w.commands, Owner: uuid, Sandbox: w.sandbox, Show: w.settings.Preferences().CommandEnv,
		Keep: func(raw string) string { return w.kept.KeepOutput(uuid, raw) },
		Temp: w.kept.Temp(uuid), Private: w.settings.Private(),
	}
}

// exposed reports whether commands could reach this program's own folders.
func (w *Workspace) exposed() bool { return w.sandbox == "" || !builtin.SandboxStatus().Hides }

// taskChanged tells the interface of a command.
func (w *Workspace) taskChanged(c builtin.TaskChange) {
	w.printed.Store(c.Task.Notebook, time.Now())
	w.out.Emit(event.TaskChanged{Task: event.Task(c.Task), Removed: c.Removed})
}

// Tasks lists the commands of agents that run, and those in the background
// that have ended, oldest first.
func (w *Workspace) Tasks() ([]event.Task, error) {
	list := []event.Task{}
	for _, t := range w.commands.List() {
		list = append(list, event.Task(t))
	}
	return list, nil
}

// TaskOutput gives what a command printed, from an offset on, most bytes of it
// at most (0: all that is kept).
func (w *Workspace) TaskOutput(id string, from int64, most int) (builtin.TaskOutput, error) {
	return w.commands.Output(id, from, most)
}

// KillTask ends a command with everything that it started.
func (w *Workspace) KillTask(id string) error { return w.commands.Kill(id) }

// RemoveTask takes a command that has ended off the list.
func (w *Workspace) RemoveTask(id string) error { return w.commands.Remove(id) }

// Sandbox says whether commands are kept from writing elsewhere on this system.
func (w *Workspace) Sandbox() (builtin.Status, error) { return builtin.SandboxStatus(), nil }

// CommandOutput gives the output of a command of a notebook as it came, by the
// name that the facts of its call have for it. NotFound: it is not kept.
func (w *Workspace) CommandOutput(path, name string) (string, error) {
	d, err := w.doc(path)
	if err != nil {
		return "", err
	}
	uuid := ""
	d.do(func(tx *Tx) {
		if tx.Notebook() != nil {
			uuid = tx.Agent().UUID
		}
	})
	return w.kept.Output(uuid, name)
}
