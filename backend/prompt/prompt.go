// Package prompt builds the messages for a model: the system message, the history, the
// prompt, and the block with rules, files and tool results (SPEC 5).
//
// Build saves nothing. It reads files through package files and runs tools through
// Input.Tools. What must be saved if the cell runs (macros, context items, results of
// tools) is in the Result, and package runner saves it. Runs, previews and `mutsumi
// context` call the same Build.
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
	"mutsumi/backend/slashcommand"
	"mutsumi/backend/tokens"
)

// Placement is the place of context in a request (SPEC 5.5).
type Placement string

const (
	Ghost         Placement = "ghost"   // a block at the end of the last user message; the default
	MessageBefore Placement = "message" // a user message of its own before the prompt
	// Versioned repeats the block of every earlier prompt as it was sent, and adds only new and
	// changed entries, so that the server's prompt cache stays valid.
	Versioned Placement = "versioned"
)

// Input is everything that a build depends on.
type Input struct {
	Workspace string           // absolute folder
	Roots     *files.Roots     // what the agent may touch; nil: made from Workspace and Meta.AllowedURIs
	Meta      Meta             // of the notebook
	History   []HistoryMessage // the messages before the prompt, repaired (SPEC 1.5)
	Prompt    chat.Content     // as typed; a list of parts keeps its images
	Cell      string           // id of the prompt's cell, for Part.Cell; may be ""

	// Foreign reports whether a tool call of the prompt, as it is written between
	// its brackets, came with a file instead of being typed here. It may then only
	// read, and only in a trusted folder. nil: the person typed every call.
	Foreign   func(call string) bool
	FromAgent bool // another agent wrote the foreign calls: they have no effect (SPEC 9)

	// Command returns the folder's command for a prompt `/name`. NotFound: there is none, and the
	// prompt is plain text; so it is with any other error, which becomes a warning. nil: there are
	// no commands.
	Command func(name string) (slashcommand.Command, error)

	// ServerPrompt returns an MCP server's answer for a prompt `/server:prompt arguments`; foreign:
	// nobody typed it here. Errors are those of Command. nil: there are no servers.
	ServerPrompt func(name, arguments string, foreign bool) (SentCommand, error)

	Role Role // of the agent's kind
	Asks bool // the agent can ask the person

	Skills     []Skill     // of the folder and the person, in the order in which they are offered
	UsesSkills bool        // the agent has the tool that reads them
	SkillTexts []SkillText // skills that the agent read in messages that a summary replaces
	Found      string      // definitions of tools that it found in such messages; "": none

	Rules []rules.Rule    // of the folder, as rules.List returns them
	Held  map[string]bool // names of rules that came or changed since the folder was trusted: they have no effect
	// Nested returns the AGENTS.md files, as rules, for the folders of files that this notebook
	// touched, given by their paths relative to the workspace, if counts reports that they apply;
	// and those that joined it before, by the names of their rules. nil: there are none.
	Nested    func(touched []string, counts func(path string) bool, joined []string) []rules.Rule
	Trusted   bool                // without it, rules and tool calls of files have no effect (SPEC 4.2)
	Preview   bool                // runs no tool that changes something (SPEC 4.3)
	Tools     assemble.ToolCaller // nil: there are no tools
	Placement Placement           // "": Ghost

	Resources assemble.Resources // of MCP servers; nil: none
	// TypedBefore reports whether a reference to a resource, as it is written between its
	// brackets, was typed here in an earlier prompt, named by its cell. nil: none was.
	TypedBefore func(cell, call string) bool

	RemoteImages bool            // http(s) images become parts (SPEC 5.6)
	ImageLimits  media.Limits    // the model's limits; zero: media.DefaultLimits
	Folder       string          // whose notebooks' pasted images can be read; "": none
	Images       *media.Cache    // kept by the caller between builds; nil: none
	Documents    chat.Documents  // which PDF documents the model accepts
	Model        string          // determines how the tokens of images are counted
	Tokens       *tokens.Counter // counts tokens for the model; nil: estimates
	OnlyMessages bool            // the parts and what to save are not needed: the result has neither

	Now   time.Time       // the date in the system message
	OS    string          // runtime.GOOS of the machine the tools run on
	Cache *assemble.Cache // kept by the caller between builds; nil: none
}

// Role is a kind's addition to its agents' system message.
type Role struct {
	Name   string // of the kind
	Text   string // Markdown; "" adds nothing
	Source string // its file, relative to the workspace; "" when it is the program's own
}

// Meta is the part of a notebook's metadata that a build needs. The JSON names are the file's.
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
	Sent    Sent   // for a prompt: how it was sent
	Plain   bool   // not typed by a person (a summary, an internal message): sent without following references
}

// Sent records how a prompt was sent, in the metadata of its message.
type Sent struct {
	Tools []ToolRun `json:"tools,omitempty"`
	// Resources are those read from MCP servers.
	Resources []ResourceRead `json:"resources,omitempty"`
	Command   *SentCommand   `json:"command,omitempty"`
	// Block and Entries are set with the placement Versioned only.
	Block   string      `json:"block,omitempty"`
	Entries []SentEntry `json:"entries,omitempty"`
}

// SentCommand is the command of a prompt, as it was at the time.
type SentCommand struct {
	Name string `json:"name"`
	Path string `json:"path"` // of its file, relative to the workspace
	Text string `json:"text"` // before its arguments, directives and references

	Server string      `json:"server,omitempty"` // the MCP server that gave Parts, which are sent as they are; "": it is of the folder
	Parts  []chat.Part `json:"parts,omitempty"`
}

// IsEmpty reports whether there is nothing to keep.
func (s Sent) IsEmpty() bool {
	return len(s.Tools)+len(s.Resources)+len(s.Entries) == 0 && s.Command == nil
}

// ToolRun is the result of a tool that a prompt ran beforehand.
type ToolRun struct {
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"` // compact; a JSON string if they were not JSON
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

// Kind is the kind of content of a part.
type Kind string

const (
	KindSystem  Kind = "system"  // the system message
	KindRole    Kind = "role"    // the kind's addition to it
	KindHistory Kind = "history" // an earlier message
	KindPrompt  Kind = "prompt"  // the prompt's own text
	KindImage   Kind = "image"
	// KindDocument is a PDF document. Text in place of an omitted one has this kind too; its Note
	// says why.
	KindDocument Kind = "document"
	KindSkill    Kind = "skill" // in the system message: its name and description; in the block: its text
	KindRule     Kind = "rule"
	KindFile     Kind = "file"
	KindResource Kind = "resource" // of an MCP server
	KindTool     Kind = "tool"
	KindFrame    Kind = "frame" // the block around rules, files and tools
	// KindDefinition is the definition of a tool that the model may call, while KindTool is the
	// result of one that ran beforehand. Build makes no such part: package inspect adds them.
	KindDefinition Kind = "definition"
)

// Place is the field of a request that contains a part.
type Place string

const (
	PlaceContent   Place = "" // the content of a message
	PlaceReasoning Place = "reasoning"
	PlaceKept      Place = "kept"  // Piece is the index of an item that the model wants back with its answer
	PlaceCalls     Place = "calls" // Piece is the index of the call
	PlaceTools     Place = "tools" // of no message; Piece is the index of the definition
)

// Part is a piece of the sent text, with its source. All parts together are the whole content of
// the messages.
type Part struct {
	ID     string `json:"id"` // kind:source, what ContextOff holds
	Kind   Kind   `json:"kind"`
	Source string `json:"source"` // a path as it was written, a rule's name, a tool, a role
	Bytes  int    `json:"bytes"`  // as it is sent, escapes included; of an image or a document: its data URI
	Tokens int    `json:"tokens"`
	// Estimated reports that Tokens does not come from the model's own tokenizer.
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
	State   State  `json:"state,omitempty"`   // of rules, files and tools: compared with the last sent version
	Version int    `json:"version,omitempty"` // with the placement Versioned, from 1
	Given   bool   `json:"given,omitempty"`   // an image that no link leads to: a server gave it
}

// State compares a rule, file or tool result with the last sent version.
type State string

const (
	StateNew     State = "new"     // was not sent before
	StateChanged State = "changed" // differs from the last sent version
	StateSame    State = "same"    // equals the last sent version
	StateOld     State = "old"     // in the block of an earlier prompt, and replaced by a later one
	StateOff     State = "off"     // switched off by the person: not sent
	StateInert   State = "inert"   // not sent: the folder is not trusted, or the model does not take the document
)

// Warning is something that the person should know. It does not stop a run.
type Warning struct {
	File string `json:"file,omitempty"` // a path as it was written, "" for the prompt
	Line int    `json:"line,omitempty"` // from 1; 0: the whole text
	Text string `json:"text"`
	Cell string `json:"cell,omitempty"` // of the prompt that it belongs to
	// About and Outside are those of macro.Warning.
	About   string `json:"about,omitempty"`
	Outside bool   `json:"outside,omitempty"`
}

// Saved is the metadata that a run saves in the notebook.
type Saved struct {
	MacroContext map[string]string `json:"macroContext"`
	ContextItems []ContextItem     `json:"contextItems,omitempty"`
}

// Result is what to send, its sources, and what to save.
type Result struct {
	Messages    []chat.Message `json:"messages"`
	AllowedURIs []string       `json:"allowedUris"`
	IsSubAgent  bool           `json:"isSubAgent"`
	Metadata    Saved          `json:"metadata"` // into the notebook's metadata if the cell runs
	Sent        Sent           `json:"-"`        // into the prompt message's metadata if the cell runs
	Parts       []Part         `json:"parts"`
	Warnings    []Warning      `json:"warnings"`
}

// Build builds the messages of a request. It fails only if ctx ends or the workspace
// cannot be opened. Any other failure is written where it happened (SPEC 3.6) and added
// to Warnings.
func Build(ctx context.Context, in Input) (Result, error) {
	b, err := newBuild(ctx, in)
	if err != nil {
		return Result{}, err
	}
	defer b.asm.Close()
	return b.run()
}
