// Package tool defines tools: a name, a description and a JSON schema for the model, typed
// arguments, and a result that is always a value. The registry prepares and runs calls in one way
// for all callers: the agent loop, and `@[tool{...}]` in prompts.
//
// It holds no tool (see tool/builtin), asks for no approval (package agent does, before it runs
// what Prepare returned) and knows no files.
package tool

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"mutsumi/backend/chat"
)

// Tool is something that a model can call. Implementations are safe for concurrent use. Nearly all
// are made by New; other implementations are for tools whose schema is not a Go type.
type Tool interface {
	Name() string
	Description() string     // Markdown, as the model reads it
	Schema() json.RawMessage // of the arguments: a JSON schema of an object
	Reads() bool             // changes nothing: may run in parallel, without asking

	// Parse checks arguments (one JSON object) without doing anything. Its error is written for the
	// model: what is wrong and what would be right.
	Parse(args json.RawMessage) (Call, error)
}

// Dispatcher is a tool whose calls are calls of other tools: its Parse returns a Call with the
// other tool and its arguments, so that nothing is approved or run under its own name.
type Dispatcher interface {
	Tool
	Dispatches()
}

// Call is a tool with arguments that were found good.
type Call struct {
	Tool   Tool
	Args   json.RawMessage // as parsed: repaired, aliases replaced
	Action string          // a few words for a person: "reading a.go"

	// Do carries it out. It returns soon after ctx ends. It may panic; Run is
	// what callers use.
	Do func(ctx context.Context, env Env) Result

	// Preview returns the changes that Do would make now, without making them. An error is the
	// reason why Do would fail. nil: no file is changed, or the changes cannot be known in advance.
	Preview func(ctx context.Context, env Env) ([]Change, error)

	// Idle returns the result of Do where it would change nothing if it ran now:
	// it fails, or nothing is left to do. It changes nothing either. Idle is
	// what callers use. nil: that cannot be known before.
	Idle func(ctx context.Context, env Env) (res Result, idle bool)
}

// Change is what a call does to one file, to show to a person in advance (SPEC 8).
type Change struct {
	Path   string // as the agent named it
	Before string // the whole text; "" for a new file
	After  string
	New    bool
}

// Env is the environment of a call. The zero value works.
type Env struct {
	CallID  string           // the model's id for the call
	Scratch string           // absolute folder for output past the limits, which the agent can read; "" cuts the output instead
	Limit   Limit            // zero: DefaultLimit
	Now     func() time.Time // nil: time.Now

	// Afresh accepts a file as it is, even if the agent knows another version: a person sees the
	// result.
	Afresh bool

	// Progress receives the progress of the call with an id; it does not block. It may be nil.
	Progress func(callID string, p Progress)

	// Approved are the changes that a person saw. The call makes exactly these, or none. nil: not
	// known.
	Approved []Change
}

// Progress is the progress that a tool reports: hostile text, for people only.
type Progress struct {
	Done, Total float64 // Total 0: not known
	Text        string
}

// Agrees reports whether the person approved a change, if there was a preview to approve.
func (e Env) Agrees(c Change) bool { return e.Approved == nil || slices.Contains(e.Approved, c) }

// Result is the result of a call. A failure is a result like any other: Content then says what is
// wrong and what the model can do about it.
type Result struct {
	Content string
	IsError bool
	Images  []chat.Part     // shown to the model along with Content
	Bounded bool            // the tool itself respected Env.Limit: Run cuts nothing
	Finish  bool            // the agent's work is done; Content is its last word (SPEC 1.6)
	Task    string          // the id of the command that the call started in the background, even if it ended since; "": none
	Facts   *chat.CallFacts // for people; nil: only Content
}

// Text is a result that went well.
func Text(s string) Result { return Result{Content: s} }

// Error is a failed result with a message for the model.
func Error(s string) Result { return Result{Content: s, IsError: true} }
