package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/tool"
)

// Shell is what the shell tools of one agent work with.
type Shell struct {
	Tasks *Tasks // shared by all agents; never nil
	Owner string // the owner of the tasks: the notebook's uuid

	// Temp makes an absolute folder for temporary files and caches of commands, which they may
	// write in addition to the allowed folders; "": there is none. It is called when a command
	// runs, and more than once. nil: there is none.
	Temp func() string

	Writable []string // absolute folders that commands may write too, from the settings
	Private  []string // absolute folders of this program's own, which commands find empty where the system can hide them
	Hide     []string // names of environment variables to omit, in addition to those that look like secrets
	Show     []string // names of those that the person lets through although they look like secrets

	// Keep keeps the output of a command that ran in the foreground as it came,
	// where that is more than its text, and returns a name for it; "" when it
	// could not. nil keeps nothing.
	Keep func(raw string) string

	// Sandbox is how this program is started as the keeper of a command: its
	// own path, usually os.Executable(). The program has to call RunSandbox
	// first thing. "" runs commands without a keeper, and not confined.
	Sandbox string
}

func (s *Shell) temp() string {
	if s.Temp == nil {
		return ""
	}
	return s.Temp()
}

// Limits of the shell tool, in seconds.
const (
	defaultTimeout = 120
	maxTimeout     = 600
	maxWait        = 60
)

type shellIn struct {
	Command        string `json:"command" jsonschema:"what to run, as bash reads it"`
	Folder         string `json:"folder,omitempty" jsonschema:"where it runs: relative to the workspace or absolute"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"when to end it, at most 600"`
	Background     bool   `json:"background,omitempty" jsonschema:"let it go on after the call"`
}

func (in shellIn) Action() string {
	line := strings.Join(strings.Fields(in.Command), " ")
	if len(line) > 60 {
		line = strings.ToValidUTF8(line[:57], "") + "..."
	}
	return "running " + line
}

func (in shellIn) Check() error {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return errors.New("the command is empty")
	case strings.ContainsRune(in.Command, 0):
		return errors.New("the command holds a NUL character")
	case len(in.Command) > 64<<10:
		return errors.New("the command is longer than 64 KB: write a script with write_file and run that")
	case in.TimeoutSeconds < 0 || in.TimeoutSeconds > maxTimeout:
		return fmt.Errorf("timeout_seconds goes from 1 to %d; what takes longer runs with background", maxTimeout)
	}
	return nil
}

// shellTools makes shell, shell_output and shell_kill.
// ShellName is the name of the program that reads commands: "bash", or "sh"
// on a system without it.
func ShellName() string {
	path, err := findShell()
	if err != nil {
		return "bash"
	}
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

func shellTools(o Options) []tool.Tool {
	return []tool.Tool{shell(o), shellOutput(o), shellKill(o)}
}

func shell(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "shell", Aliases: []string{"bash", "run_command", "execute_command", "run_shell_command"}, Description: describe("shell"),
		Arguments: map[string]string{
			"cmd": "command", "script": "command", "cwd": "folder", "dir": "folder", "workdir": "folder", "working_directory": "folder", "directory": "folder",
			"timeout": "timeout_seconds", "run_in_background": "background", "is_background": "background",
		},
	}, func(ctx context.Context, env tool.Env, in shellIn) tool.Result {
		folder := in.Folder
		if folder == "" {
			folder = "."
		}
		dir, err := o.Roots.Path(folder)
		if err != nil {
			return tool.Error(err.Error())
		}
		if info, err := o.Roots.Stat(folder); err != nil || !info.IsDir() {
			return tool.Error(in.Folder + " is not a folder that a command can run in")
		}
		seconds := in.TimeoutSeconds
		if seconds == 0 {
			seconds = defaultTimeout
		}
		start := command{
			Shell: *o.Shell, Text: in.Command, Folder: dir, Places: o.Roots.Places(), CallID: env.CallID,
			Background: in.Background, Scratch: env.Scratch, Limit: env.Limit.Or(),
		}
		if in.Background {
			return runInBackground(ctx, o, start)
		}
		return runInForeground(ctx, o, start, time.Duration(seconds)*time.Second)
	})
}

func runInForeground(ctx context.Context, o Options, start command, limit time.Duration) tool.Result {
	t, err := o.Shell.Tasks.start(start)
	if err != nil {
		return tool.Error(err.Error())
	}
	defer o.Shell.Tasks.forget(t)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	note, late := "", false
	select {
	case <-t.done:
	case <-timer.C:
		note, late = fmt.Sprintf("[It was ended after %s. Use a larger timeout_seconds, or background for what does not end by itself.]", limit), true
		t.kill()
		<-t.done
	case <-ctx.Done():
		t.kill()
		<-t.done
		note = "[It was stopped.]"
	}
	text := t.out.report(start.Limit)
	if note == "" {
		note = t.ending()
	}
	res := tool.Result{Content: withNote(text, note), IsError: t.failed() || ctx.Err() != nil, Bounded: true}
	facts := t.facts(text)
	if late {
		facts.End, facts.Line = "", fmt.Sprintf("It did not end within %s", limit)
	}
	if facts != (chat.CallFacts{}) {
		res.Facts = &facts
	}
	return res
}

// facts returns the short facts about an ended command for a person.
func (t *task) facts(text string) (facts chat.CallFacts) {
	t.mu.Lock()
	exit, killed := t.exit, t.killed
	t.mu.Unlock()
	switch {
	case killed:
		facts.End = chat.CallStopped
	case exit != 0:
		facts.Exit, facts.Line = exit, tellingLine(text)
	}
	if t.spec.Keep != nil && t.spec.CallID != "" {
		if raw, _, _ := t.out.since(t.out.rawSize()-keptRaw, 0); killed && raw != "" || inColour.MatchString(raw) {
			facts.Output = t.spec.Keep(raw)
		}
	}
	return facts
}

// keptRaw is how many bytes of a command's output are kept in colour.
const keptRaw = 256 << 10

// inColour finds the sequence of a terminal that sets colours.
var inColour = lazyregexp.New(`\x1b\[[0-9;:]*m`)

// watchTime is how long a background command is watched before the call returns, so that an
// immediate failure is reported.
const watchTime = 300 * time.Millisecond

func runInBackground(ctx context.Context, o Options, start command) tool.Result {
	t, err := o.Shell.Tasks.start(start)
	if err != nil {
		return tool.Error(err.Error())
	}
	select {
	case <-t.done:
	case <-time.After(watchTime):
	case <-ctx.Done():
	}
	text, next := t.out.text(-1, start.Limit.Bytes)
	if ended := t.ended(); ended {
		res := tool.Result{Content: withNote(text, "["+t.id+" ended at once.] "+t.ending()), IsError: t.failed(), Bounded: true, Task: t.id}
		if facts := t.facts(text); facts != (chat.CallFacts{}) {
			res.Facts = &facts
		}
		return res
	}
	return tool.Result{Content: withNote(text, fmt.Sprintf("[It runs in the background as %s. shell_output shows what it prints (from %d on), shell_kill ends it.]", t.id, next)), Bounded: true, Task: t.id}
}

type shellOutputIn struct {
	Task        string `json:"task" jsonschema:"the task, as shell named it: t1"`
	From        *int   `json:"from,omitempty" jsonschema:"where to begin, in bytes; the end of the output unless it is given"`
	WaitSeconds int    `json:"wait_seconds,omitempty" jsonschema:"how long to wait for something new, at most 60"`
}

func (in shellOutputIn) Action() string { return "reading the output of " + base(in.Task) }

func (in shellOutputIn) Check() error {
	switch {
	case in.From != nil && *in.From < 0:
		return errors.New("from is 0 or more")
	case in.WaitSeconds < 0 || in.WaitSeconds > maxWait:
		return fmt.Errorf("wait_seconds goes from 0 to %d", maxWait)
	}
	return nil
}

func shellOutput(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "shell_output", Aliases: []string{"bash_output"}, Description: describe("shell_output"), Reads: true,
		Arguments: map[string]string{"task_id": "task", "id": "task", "bash_id": "task", "since": "from", "wait": "wait_seconds"},
	}, func(ctx context.Context, env tool.Env, in shellOutputIn) tool.Result {
		t, err := o.Shell.Tasks.find(o.Shell.Owner, in.Task)
		if err != nil {
			return tool.Error(err.Error())
		}
		from := int64(-1)
		if in.From != nil {
			from = int64(*in.From)
		}
		if in.WaitSeconds > 0 {
			t.wait(ctx, from, time.Duration(in.WaitSeconds)*time.Second)
		}
		text, next := t.out.text(from, env.Limit.Or().Bytes)
		state := "It still runs."
		if t.ended() {
			state = strings.Trim(t.ending(), "[]")
			if state == "" {
				state = "It ended with exit status 0."
			}
		}
		if text == "" {
			text = "(nothing new)"
		}
		return tool.Result{Content: withNote(text, fmt.Sprintf("[%s: %s The next output begins at %d.]", t.id, state, next)), Bounded: true}
	})
}

type shellKillIn struct {
	Task string `json:"task" jsonschema:"the task, as shell named it: t1"`
}

func (in shellKillIn) Action() string { return "ending " + base(in.Task) }

func shellKill(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "shell_kill", Aliases: []string{"kill_shell"}, Description: describe("shell_kill"),
		Arguments: map[string]string{"task_id": "task", "id": "task", "bash_id": "task", "shell_id": "task"},
	}, func(ctx context.Context, _ tool.Env, in shellKillIn) tool.Result {
		t, err := o.Shell.Tasks.find(o.Shell.Owner, in.Task)
		if err != nil {
			return tool.Error(err.Error())
		}
		if t.ended() {
			return tool.Text(t.id + " had ended already. " + t.ending())
		}
		t.kill()
		select {
		case <-t.done:
		case <-ctx.Done():
		}
		return tool.Text(t.id + " was ended.")
	})
}

func withNote(text, note string) string {
	text = strings.TrimRight(text, "\n")
	switch {
	case note == "" && text == "":
		return "(no output)"
	case note == "":
		return text
	case text == "":
		return note
	}
	return text + "\n" + note
}
