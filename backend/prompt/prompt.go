// Package prompt builds what a model gets: the system message, the history,
// the prompt, and the block with rules, files and tool results (SPEC 5).
//
// Build is pure: it reads files through package files and runs tools that only
// read, and writes nothing. What has to be kept if the cell runs (macros,
// context items, results of tools) is in the Result; workspace saves it. The
// preview and `mutsumi context` call the same Build.
package prompt

import (
	"context"
	"encoding/json"
	"time"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/media"
	"mutsumi/backend/rules"
	"mutsumi/backend/tokens"
)

// Placement says where context goes (SPEC 5.5).
type Placement string

const (
	Ghost         Placement = "ghost"   // a block at the end of the last user message; the default
	MessageBefore Placement = "message" // a user message of its own before the prompt
	// Versioned replays the block of every earlier prompt as it was sent, and
	// adds what is new or changed since: all that was sent before stays the
	// same, so that a server can keep it in its cache.
	Versioned Placement = "versioned"
)

// Input is all that a build depends on.
type Input struct {
	Workspace string           // absolute folder
	Roots     *files.Roots     // what the agent may touch; nil: made from Workspace and Meta.AllowedURIs
	Meta      Meta             // of the notebook
	History   []HistoryMessage // what stands before the prompt, repaired (SPEC 1.5)
	Prompt    chat.Content     // as typed; a list of parts keeps its images
	Cell      string           // id of the prompt's cell, for Part.Cell; may be ""

	// Foreign says of a tool call of the prompt, as it is written between its
	// brackets, that the person did not type it here: it came in with a file and
	// may only read, in a folder that is trusted. nil: they typed all.
	Foreign   func(call string) bool
	FromAgent bool // another agent wrote what is foreign: such calls do nothing (SPEC 9)

	Role Role // of the agent's kind
	Asks bool // the agent can ask the person

	Rules     []rules.Rule        // of the folder, as rules.List gives them
	Held      map[string]bool     // names of rules that came or changed since the folder was trusted: they do nothing
	Trusted   bool                // without it rules and tool calls of files do nothing (SPEC 4.2)
	Preview   bool                // runs no tool that changes something (SPEC 4.3)
	Tools     assemble.ToolCaller // nil: there are no tools
	Placement Placement           // "": Ghost

	RemoteImages bool            // http(s) images become parts (SPEC 5.6)
	ImageLimits  media.Limits    // what the model takes; zero: media.DefaultLimits
	Folder       string          // whose notebooks' pasted images can be read; "": none
	Images       *media.Cache    // kept by the caller between builds; nil: none
	Model        string          // its name says by which rule images count
	Tokens       *tokens.Counter // counts tokens for the model; nil: estimates

	Now   time.Time       // the date in the system message
	OS    string          // runtime.GOOS of the machine the tools run on
	Cache *assemble.Cache // kept by the caller between builds; nil: none
}

// Role is what an agent's kind adds to its system message.
type Role struct {
	Name   string // of the kind
	Text   string // Markdown; "" adds nothing
	Source string // its file, relative to the workspace; "" when it is the program's own
}

// Meta is what a build needs of a notebook's metadata. The JSON names are the file's.
type Meta struct {
	Name         string            `json:"name,omitempty"`
	ParentID     string            `json:"parent_agent_id,omitempty"` // "": not a child
	AllowedURIs  []string          `json:"allowed_uris"`              // nil: the workspace
	MacroContext map[string]string `json:"macroContext,omitempty"`
	ContextItems []ContextItem     `json:"contextItems,omitempty"`
	ContextOff   []string          `json:"contextOff,omitempty"` // Part.IDs that the person switched off
}

// HistoryMessage is one message before the prompt.
type HistoryMessage struct {
	Message chat.Message
	Cell    string // id of its cell
	Sent    Sent   // of a prompt: what was kept when it ran
	Plain   bool   // nobody typed it (a summary, an internal message): it is sent as it is and not scanned
}

// Sent is what a prompt's message keeps, in its metadata, of how it was sent.
type Sent struct {
	Tools []ToolRun `json:"tools,omitempty"`
	// Block and Entries are there with the placement Versioned only.
	Block   string      `json:"block,omitempty"`
	Entries []SentEntry `json:"entries,omitempty"`
}

// ToolRun is the result of a tool that a prompt ran beforehand.
type ToolRun struct {
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"` // compact; a JSON string if it was no JSON
	Result  string          `json:"result"`
	IsError bool            `json:"isError,omitempty"`
}

// SentEntry is one rule, file or tool result in a Block.
type SentEntry struct {
	ID      string `json:"id"`      // Part.ID
	Version int    `json:"version"` // from 1
	SHA256  string `json:"sha256"`  // of the content
	Start   int    `json:"start"`   // bytes in Block
	End     int    `json:"end"`
}

// Kind says what a part is made of.
type Kind string

const (
	KindSystem  Kind = "system"  // the system message
	KindRole    Kind = "role"    // what the agent's kind adds to it
	KindHistory Kind = "history" // an earlier message
	KindPrompt  Kind = "prompt"  // the prompt's own text
	KindImage   Kind = "image"
	KindRule    Kind = "rule"
	KindFile    Kind = "file"
	KindTool    Kind = "tool"
	KindFrame   Kind = "frame" // the block around rules, files and tools
	// KindDefinition is the definition of a tool that the model may call; KindTool
	// is the result of one that ran beforehand. Build makes no such part: what is
	// offered is added to what it gives.
	KindDefinition Kind = "definition"
)

// Place says in which field of a request a part stands.
type Place string

const (
	PlaceContent   Place = "" // the content of a message
	PlaceReasoning Place = "reasoning"
	PlaceCalls     Place = "calls" // Piece is the index of the call
	PlaceTools     Place = "tools" // of no message; Piece is the index of the definition
)

// Part is a stretch of what is sent and where it came from. All parts
// together are all of it, apart from what lies between messages.
type Part struct {
	ID     string `json:"id"` // kind:source, what ContextOff holds
	Kind   Kind   `json:"kind"`
	Source string `json:"source"` // a path as it was written, a rule's name, a tool, a role
	Bytes  int    `json:"bytes"`  // as it is sent, escapes included; of an image: its data URI
	Tokens int    `json:"tokens"`
	// Estimated: the tokens are not counted by the model's own tokenizer.
	Estimated bool   `json:"estimated,omitempty"`
	Cell      string `json:"cell,omitempty"` // the cell it came from
	// Message is the index in Messages, Piece the index in its content's parts
	// (0 for a string), Start and End bytes in the text of that piece. Message
	// is -1 for a part that is switched off or inert and therefore not sent.
	Place   Place  `json:"place,omitempty"`
	Message int    `json:"message"`
	Piece   int    `json:"piece"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Note    string `json:"note,omitempty"`    // gone, scaled down, not trusted, ...
	State   State  `json:"state,omitempty"`   // of rules, files and tools: against what was sent last
	Version int    `json:"version,omitempty"` // with the placement Versioned, from 1
}

// State says how a rule, file or tool result stands to what was sent last.
type State string

const (
	StateNew     State = "new"     // was not sent before
	StateChanged State = "changed" // is not what was sent last
	StateSame    State = "same"    // is what was sent last
	StateOld     State = "old"     // in the block of an earlier prompt, and replaced by a later one
	StateOff     State = "off"     // switched off by the person: not sent
	StateInert   State = "inert"   // does nothing in a folder that is not trusted: not sent
)

// Warning is something that a person should know; it stops nothing.
type Warning struct {
	File string `json:"file,omitempty"` // a path as it was written, "" for the prompt
	Line int    `json:"line,omitempty"` // from 1; 0: the whole text
	Text string `json:"text"`
	Cell string `json:"cell,omitempty"` // of the prompt it stands in
	// About and Outside are those of macro.Warning.
	About   string `json:"about,omitempty"`
	Outside bool   `json:"outside,omitempty"`
}

// Saved is the metadata that a run keeps in the notebook.
type Saved struct {
	MacroContext map[string]string `json:"macroContext"`
	ContextItems []ContextItem     `json:"contextItems,omitempty"`
}

// Result is what is sent, where it comes from and what to keep.
type Result struct {
	Messages    []chat.Message `json:"messages"`
	AllowedURIs []string       `json:"allowedUris"`
	IsSubAgent  bool           `json:"isSubAgent"`
	Metadata    Saved          `json:"metadata"` // into the notebook's metadata if the cell runs
	Sent        Sent           `json:"-"`        // into the prompt message's metadata if the cell runs
	Parts       []Part         `json:"parts"`
	Warnings    []Warning      `json:"warnings"`
}

// Build makes the messages of a request. It fails only when ctx ends or the
// workspace cannot be opened; whatever else goes wrong is said in its place
// (SPEC 3.6) and in Warnings.
func Build(ctx context.Context, in Input) (Result, error) {
	b, err := newBuild(ctx, in)
	if err != nil {
		return Result{}, err
	}
	return b.run()
}
