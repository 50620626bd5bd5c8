// Package event is the one list of all events that the interface gets.
// Each kind is a Go struct; Catalog names them all, and the TypeScript union
// is generated from it, so that the two sides cannot drift.
//
// Events are numbered by the Outbox in the order they were emitted. The
// interface loads a state that carries the number it holds for, then applies
// the events after it, and loads again when there is a gap.
package event

import (
	"mutsumi/backend/access"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
)

// Event is one of the structs of Catalog; nothing outside this package can be one.
type Event interface{ event() }

// Catalog has one field for each kind of event; its JSON name is the event's type on the wire. An
// unused bound method returns it, so that the generated TypeScript has every kind.
type Catalog struct {
	TreeChanged       *TreeChanged       `json:"treeChanged,omitempty"`
	CellsSpliced      *CellsSpliced      `json:"cellsSpliced,omitempty"`
	NotebookReloaded  *NotebookReloaded  `json:"notebookReloaded,omitempty"`
	NotebookMoved     *NotebookMoved     `json:"notebookMoved,omitempty"`
	NotebookSaved     *NotebookSaved     `json:"notebookSaved,omitempty"`
	DiskConflict      *DiskConflict      `json:"diskConflict,omitempty"`
	RunQueued         *RunQueued         `json:"runQueued,omitempty"`
	RunStarted        *RunStarted        `json:"runStarted,omitempty"`
	Delta             *Delta             `json:"delta,omitempty"`
	MessagePut        *MessagePut        `json:"messagePut,omitempty"`
	RunWaiting        *RunWaiting        `json:"runWaiting,omitempty"`
	RunFinished       *RunFinished       `json:"runFinished,omitempty"`
	CallProgress      *CallProgress      `json:"callProgress,omitempty"`
	SettingsChanged   *SettingsChanged   `json:"settingsChanged,omitempty"`
	ConnectionTested  *ConnectionTested  `json:"connectionTested,omitempty"`
	ApprovalsChanged  *ApprovalsChanged  `json:"approvalsChanged,omitempty"`
	GrantsChanged     *GrantsChanged     `json:"grantsChanged,omitempty"`
	FilesChanged      *FilesChanged      `json:"filesChanged,omitempty"`
	TaskChanged       *TaskChanged       `json:"taskChanged,omitempty"`
	ContextChanged    *ContextChanged    `json:"contextChanged,omitempty"`
	Compaction        *Compaction        `json:"compaction,omitempty"`
	TrustChanged      *TrustChanged      `json:"trustChanged,omitempty"`
	FolderScanned     *FolderScanned     `json:"folderScanned,omitempty"`
	PathsDropped      *PathsDropped      `json:"pathsDropped,omitempty"`
	TimelineChanged   *TimelineChanged   `json:"timelineChanged,omitempty"`
	KindsChanged      *KindsChanged      `json:"kindsChanged,omitempty"`
	PausedChanged     *PausedChanged     `json:"pausedChanged,omitempty"`
	CellWanted        *CellWanted        `json:"cellWanted,omitempty"`
	ServersChanged    *ServersChanged    `json:"serversChanged,omitempty"`
	ACPAgentsChanged  *ACPAgentsChanged  `json:"acpAgentsChanged,omitempty"`
	ACPSessionChanged *ACPSessionChanged `json:"acpSessionChanged,omitempty"`
	SignInWanted      *SignInWanted      `json:"signInWanted,omitempty"`
	ToolsHeld         *ToolsHeld         `json:"toolsHeld,omitempty"`
}

// TreeChanged returns the nodes that are new or different and the files that
// are gone. Computed status is in the nodes.
type TreeChanged struct {
	Nodes   []agenttree.Node `json:"nodes"`
	Removed []string         `json:"removed"` // files, relative to the folder
}

// CellsSpliced replaces Remove cells at index At of the notebook by Cells. If a cell's Body is
// missing, the interface has it already (same id, same rev) or can fetch it when it is shown.
// Origin is that of the call that caused it, so that a window does not overwrite its own typing.
type CellsSpliced struct {
	Path   string              `json:"path"`
	Rev    int                 `json:"rev"`
	Origin string              `json:"origin,omitempty"`
	Typed  bool                `json:"typed,omitempty"` // see notebook.Change
	At     int                 `json:"at"`
	Remove int                 `json:"remove"`
	Cells  []notebook.CellView `json:"cells"`
	State  notebook.DocState   `json:"state"`
	Meta   notebook.MetaView   `json:"meta"`
}

// NotebookReloaded asks to reload the whole notebook: it changed on disk, was restored, became
// readable or unreadable.
type NotebookReloaded struct {
	Path string `json:"path"`
}

// NotebookMoved reports that the file of an open notebook was renamed. Later events use the new
// name.
type NotebookMoved struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// NotebookSaved reports every save. Fault is set if it failed; the changes are still in memory and
// are saved again later.
type NotebookSaved struct {
	Path  string       `json:"path"`
	AtMs  int64        `json:"atMs"` // Unix time in milliseconds
	Fault *fault.Error `json:"fault,omitempty"`
}

// DiskConflict reports that the file changed on disk while there are local changes: the person
// chooses (SPEC 1.4).
type DiskConflict struct {
	Path string `json:"path"`
	Gone bool   `json:"gone"` // the file was deleted or moved away
}

// RunQueued reports that a run waits for the previous one in its notebook. RunStarted or
// RunFinished follows. It is sent again when the user asks to send the prompt now.
type RunQueued struct {
	RunID string `json:"runId"`
	Path  string `json:"path"`
	Cell  string `json:"cell"`
	Now   bool   `json:"now"` // it is given to the running agent at its next step
}

// RunStarted opens a run; every later event of it carries RunID.
type RunStarted struct {
	RunID string `json:"runId"`
	Path  string `json:"path"`
	Cell  string `json:"cell"`
	AtMs  int64  `json:"atMs"`
	Model string `json:"model"`
}

// Delta adds to message Index of the cell's answer. A delta for an index that
// does not exist yet starts an assistant message.
type Delta struct {
	RunID     string          `json:"runId"`
	Path      string          `json:"path"`
	Cell      string          `json:"cell"`
	Index     int             `json:"index"`
	Text      string          `json:"text,omitempty"`
	Reasoning string          `json:"reasoning,omitempty"`
	ToolCalls []ToolCallDelta `json:"toolCalls,omitempty"`
}

// ToolCallDelta adds to tool call Index of the message.
type ToolCallDelta struct {
	Index     int    `json:"index"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// MessagePut sets message Index of the cell's answer: the finished form of a
// streamed one, or a tool's result.
type MessagePut struct {
	RunID   string               `json:"runId"`
	Path    string               `json:"path"`
	Cell    string               `json:"cell"`
	Index   int                  `json:"index"`
	Message notebook.MessageView `json:"message"`
}

// CallProgress is a call's progress as its tool reports it. It ends when the call has a result.
type CallProgress struct {
	RunID  string  `json:"runId"`
	Path   string  `json:"path"`
	Cell   string  `json:"cell"`
	CallID string  `json:"callId"`
	Done   float64 `json:"done"`
	Total  float64 `json:"total"` // 0: not known
	Text   string  `json:"text"`  // hostile, with nothing hidden in it
}

// RunWaiting reports that the request failed and is retried at UntilMs. UntilMs 0 ends the wait:
// the attempt has started.
type RunWaiting struct {
	RunID   string `json:"runId"`
	Path    string `json:"path"`
	Cell    string `json:"cell"`
	Attempt int    `json:"attempt"`
	UntilMs int64  `json:"untilMs"`
	Reason  string `json:"reason"`
}

// RunFinished is emitted exactly once for a run, last.
type RunFinished struct {
	RunID   string           `json:"runId"`
	Path    string           `json:"path"`
	Cell    string           `json:"cell"`
	Outcome notebook.Outcome `json:"outcome"`
	Fault   *fault.Error     `json:"fault,omitempty"`
}

// SettingsChanged asks to reload settings.
type SettingsChanged struct {
	File string `json:"file"` // the settings file
}

// ConnectionTested answers a test of a provider or a request for its models.
type ConnectionTested struct {
	ID       string       `json:"id"` // as returned by the call
	Provider string       `json:"provider"`
	Models   []string     `json:"models"`
	TookMs   int64        `json:"tookMs"`
	Fault    *fault.Error `json:"fault,omitempty"`
}

// ApprovalsChanged has the added requests and the id of a removed one.
type ApprovalsChanged struct {
	Added   []approval.Request `json:"added"`
	Removed string             `json:"removed,omitempty"`
}

// GrantsChanged asks to reload the approval rules: those of a notebook, or with "" those for
// always.
type GrantsChanged struct {
	Notebook string `json:"notebook"` // uuid
}

// FilesChanged asks to reload the list of files that a notebook's agent changed.
type FilesChanged struct {
	Path string `json:"path"`
}

// TaskChanged reports that a command of an agent was added, changed or printed something, or is no
// longer listed.
type TaskChanged struct {
	Task    Task `json:"task"`
	Removed bool `json:"removed"`
}

// Task is a command that an agent runs or ran in the background.
type Task struct {
	ID         string `json:"id"`
	Notebook   string `json:"notebook"` // uuid
	CallID     string `json:"callId"`
	Command    string `json:"command"`
	Folder     string `json:"folder"` // absolute
	Background bool   `json:"background"`
	StartedMs  int64  `json:"startedMs"`
	EndedMs    int64  `json:"endedMs"`  // 0 while it runs
	ExitCode   int    `json:"exitCode"` // 128 and more: a signal; -1: it was ended
	Bytes      int64  `json:"bytes"`    // of output
	Confined   bool   `json:"confined"` // the system keeps it from writing elsewhere
}

// ContextChanged reports that the next request may have changed: a rule or a file changed on disk,
// or the notebook's switches, macros or allowed folders did. Path "" means every notebook.
type ContextChanged struct {
	Path  string `json:"path"`
	Rules bool   `json:"rules"` // the list of rules or other files of the folder changed too
}

// Compaction reports that a summary requested by the person is being made, or has ended: then Cell
// is the summary, or Fault says why there is none.
type Compaction struct {
	Path    string       `json:"path"`
	Running bool         `json:"running"`
	Cell    string       `json:"cell,omitempty"`
	Fault   *fault.Error `json:"fault,omitempty"`
}

// TrustChanged reports that the person trusts the folder, or no longer does, or that its files have
// changed.
type TrustChanged struct {
	Trust access.TrustView `json:"trust"`
}

// FolderScanned reports that every notebook of the folder has been read once: the nodes are
// complete, and the folder's files are known.
type FolderScanned struct {
	Trust access.TrustView `json:"trust"`
}

// PathsDropped carries files that were dropped on the window, with the point
// in CSS pixels.
type PathsDropped struct {
	Paths []string `json:"paths"`
	X     int      `json:"x"`
	Y     int      `json:"y"`
}

// TimelineChanged has new or continued spans, by id, and links. Past names a notebook whose spans
// have been replaced because its cells changed: a visible timeline has to be reloaded.
type TimelineChanged struct {
	Spans []timeline.Span `json:"spans"`
	Links []timeline.Link `json:"links"`
	Past  string          `json:"past,omitempty"` // path
}

// KindsChanged has the kinds of agents after a kind's file changed.
type KindsChanged struct {
	Kinds []kind.Kind `json:"kinds"`
}

// PausedChanged reports that the person holds all agents before their next request, or lets them
// continue.
type PausedChanged struct {
	Paused bool `json:"paused"`
}

// CellWanted asks the window to show a cell whose notification was clicked.
type CellWanted struct {
	Path string `json:"path"`
	Cell string `json:"cell"` // "": the notebook's end
}

// ServersChanged reports that the state of an MCP server, its offer, or the list of servers has
// changed: visible lists have to be reloaded.
type ServersChanged struct {
	Server string `json:"server"` // "": which are set up
}

// ACPAgentsChanged reports that the list of agents that can answer notebooks, or the state of one,
// has changed: visible lists have to be reloaded.
type ACPAgentsChanged struct {
	Agent string `json:"agent"` // id; "": which there are
}

// ACPSessionChanged reports that what an agent offers or says about its session for a notebook has
// changed (acp.SessionView).
type ACPSessionChanged struct {
	Path string `json:"path"`
}

// SignInWanted reports that an agent needs an MCP server to which the person has to sign in. It is
// sent once, until they do.
type SignInWanted struct {
	Server string `json:"server"`
}

// ToolsHeld reports that tools of an MCP server have changed since the person allowed them: agents
// do not get them until the person accepts the change. It is sent once for each change.
type ToolsHeld struct {
	Server string   `json:"server"`
	Tools  []string `json:"tools"` // the server's names: hostile text
}

func (TreeChanged) event()       {}
func (CellsSpliced) event()      {}
func (NotebookReloaded) event()  {}
func (NotebookMoved) event()     {}
func (NotebookSaved) event()     {}
func (DiskConflict) event()      {}
func (RunQueued) event()         {}
func (RunStarted) event()        {}
func (Delta) event()             {}
func (MessagePut) event()        {}
func (RunWaiting) event()        {}
func (RunFinished) event()       {}
func (CallProgress) event()      {}
func (SettingsChanged) event()   {}
func (ConnectionTested) event()  {}
func (ApprovalsChanged) event()  {}
func (GrantsChanged) event()     {}
func (FilesChanged) event()      {}
func (TaskChanged) event()       {}
func (ContextChanged) event()    {}
func (Compaction) event()        {}
func (TrustChanged) event()      {}
func (FolderScanned) event()     {}
func (PathsDropped) event()      {}
func (TimelineChanged) event()   {}
func (KindsChanged) event()      {}
func (PausedChanged) event()     {}
func (CellWanted) event()        {}
func (ServersChanged) event()    {}
func (ACPAgentsChanged) event()  {}
func (ACPSessionChanged) event() {}
func (SignInWanted) event()      {}
func (ToolsHeld) event()         {}
