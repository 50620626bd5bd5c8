package acp

import (
	"context"
	"encoding/json"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
)

// Turn is one prompt for an agent to answer.
type Turn struct {
	Agent    string // id
	Notebook string // uuid
	Dir      string // absolute: where the agent works

	// Session is the agent's session that knows exactly the conversation before the prompt; its ID
	// is "" if none does. Before returns that conversation as text, for a new session; "": nothing
	// was said.
	Session Session
	Before  func() string

	Prompt chat.Content // text, images, documents
	Index  int          // of the first message that comes in the cell's answer
	Host   Host
	Emit   func(agent.Update) // see agent.Run: called in order, by one goroutine at a time

	// Allowed returns why the agent may not work now; nil: it may. It is called before its process
	// starts, and again when DropAll would end that. ctx is that of the turn. Nil: always.
	Allowed func(ctx context.Context) error

	// NextStep reports whether the agent should continue after the result of a call; false ends the
	// turn as Done. It may block, and ends soon after the context does. Nil: always true.
	NextStep func() bool
}

// refusal returns why the agent may not work now; nil: it may.
func (t Turn) refusal(ctx context.Context) error {
	if t.Allowed == nil {
		return nil
	}
	return t.Allowed(ctx)
}

// reason returns why an agent did not get ready for a turn, of which err is what was seen: DropAll
// ends an agent that may not work any more.
func (t Turn) reason(ctx context.Context, err error) error {
	if no := t.refusal(ctx); no != nil {
		return no
	}
	return err
}

// Session is a session of an agent.
type Session struct {
	ID     string
	Micros int // what it cost so far, in millionths of a dollar, as the agent reports it
}

// Host does what an agent asks the program for, under the rules of its notebook. Its methods are
// called from several goroutines; ctx ends with the turn.
type Host interface {
	// ReadFile returns lines of a file that the agent may read; line 0 is the first, limit 0 is all.
	// The path is absolute.
	ReadFile(ctx context.Context, path string, line, limit int) (string, error)
	// WriteFile writes a file after its approval.
	WriteFile(ctx context.Context, path, text string) error
	// Run starts a command after its approval.
	Run(ctx context.Context, c TerminalCommand) (Terminal, error)
	// Permit asks whether a call may run. It returns the id of one of the options; "": the turn
	// ends.
	Permit(ctx context.Context, p Permission) (option string, err error)
	// Begins is called when a call is announced and when it changes, before its result: the files
	// that it will change can still be kept.
	Begins(c ToolCall)
	// Ends is called when the agent says that a call, by its id, completed or failed: what it changes
	// should be done. It is called once, and not for a call of which the agent does not say this.
	Ends(id string)
}

// ToolCall is a call that an agent makes with a tool of its own: hostile text.
type ToolCall struct {
	ID        string // as in the notebook
	Kind      string // read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Title     string
	Input     json.RawMessage // a JSON object as the agent's tool takes it; nil: it does not say
	Locations []Location
	Changes   []Change
	Text      string // what it says about the call, as text
}

// Location is a place that a call reads or changes.
type Location struct {
	Path string // absolute
	Line int    // 0: the whole file
}

// Change is what a call does to a file, as the agent says.
type Change struct {
	Path   string // absolute
	Before string // "" for a new file; it may be a part of the file only
	After  string
	New    bool
}

// Permission is a call about which an agent asks the person.
type Permission struct {
	Call    ToolCall
	Why     string // the last sentence that the agent wrote before the call
	Options []PermissionOption
}

// PermissionOption is one answer that the agent accepts.
type PermissionOption struct {
	ID   string
	Name string
	Kind string // allow_once, allow_always, reject_once, reject_always
}

// TerminalCommand is a command that an agent wants to run.
type TerminalCommand struct {
	Command string // a program, or a line for the shell if there are no arguments
	Args    []string
	Env     map[string]string
	Dir     string // absolute; "": the turn's
}

// Terminal is a command that runs, or ran.
type Terminal interface {
	// Output returns what it printed so far, in order.
	Output() string
	// Done is closed when it has ended.
	Done() <-chan struct{}
	// Exit returns its exit status after Done; signal is a name, "" if none ended it.
	Exit() (code int, signal string)
	Kill()
}
