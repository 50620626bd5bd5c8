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

// Catalog holds one field for each kind of event; its JSON name is the
// event's type on the wire. A bound method that nobody calls returns it, so
// that the generated TypeScript has every kind.
type Catalog struct {
	TreeChanged      *TreeChanged      `json:"treeChanged,omitempty"`
	CellsSpliced     *CellsSpliced     `json:"cellsSpliced,omitempty"`
	NotebookReloaded *NotebookReloaded `json:"notebookReloaded,omitempty"`
	NotebookMoved    *NotebookMoved    `json:"notebookMoved,omitempty"`
	NotebookSaved    *NotebookSaved    `json:"notebookSaved,omitempty"`
	DiskConflict     *DiskConflict     `json:"diskConflict,omitempty"`
	RunQueued        *RunQueued        `json:"runQueued,omitempty"`
	RunStarted       *RunStarted       `json:"runStarted,omitempty"`
	Delta            *Delta            `json:"delta,omitempty"`
	MessagePut       *MessagePut       `json:"messagePut,omitempty"`
	RunWaiting       *RunWaiting       `json:"runWaiting,omitempty"`
	RunFinished      *RunFinished      `json:"runFinished,omitempty"`
	CallProgress     *CallProgress     `json:"callProgress,omitempty"`
	SettingsChanged  *SettingsChanged  `json:"settingsChanged,omitempty"`
	ConnectionTested *ConnectionTested `json:"connectionTested,omitempty"`
	ApprovalsChanged *ApprovalsChanged `json:"approvalsChanged,omitempty"`
	GrantsChanged    *GrantsChanged    `json:"grantsChanged,omitempty"`
	FilesChanged     *FilesChanged     `json:"filesChanged,omitempty"`
	TaskChanged      *TaskChanged      `json:"taskChanged,omitempty"`
	ContextChanged   *ContextChanged   `json:"contextChanged,omitempty"`
	Compaction       *Compaction       `json:"compaction,omitempty"`
	TrustChanged     *TrustChanged     `json:"trustChanged,omitempty"`
	FolderScanned    *FolderScanned    `json:"folderScanned,omitempty"`
	PathsDropped     *PathsDropped     `json:"pathsDropped,omitempty"`
	TimelineChanged  *TimelineChanged  `json:"timelineChanged,omitempty"`
	KindsChanged     *KindsChanged     `json:"kindsChanged,omitempty"`
	PausedChanged    *PausedChanged    `json:"pausedChanged,omitempty"`
	CellWanted       *CellWanted       `json:"cellWanted,omitempty"`
	ServersChanged   *ServersChanged   `json:"serversChanged,omitempty"`
	SignInWanted     *SignInWanted     `json:"signInWanted,omitempty"`
	ToolsHeld        *ToolsHeld        `json:"toolsHeld,omitempty"`
}

// TreeChanged returns the nodes that are new or different and the files that
// are gone. Computed status is in the nodes.
type TreeChanged struct {
	Nodes   []agenttree.Node `json:"nodes"`
	Removed []string         `json:"removed"` // files, relative to the folder
}

// CellsSpliced replaces Remove cells at index At of the notebook by Cells. A
// cell whose Body is missing is one the interface has already (same id, same
// rev) or can fetch when it is shown. Origin is that of the call which caused
// it, so that a window does not overwrite what it is typing.
type CellsSpliced struct {
	Path   string              `json:"path"`
	Rev    int                 `json:"rev"`
	Origin string              `json:"origin,omitempty"`
	At     int                 `json:"at"`
	Remove int                 `json:"remove"`
	Cells  []notebook.CellView `json:"cells"`
	State  notebook.DocState   `json:"state"`
	Meta   notebook.MetaView   `json:"meta"`
}

// NotebookReloaded says that the whole notebook is to be loaded again: it
// changed on disk, was restored, became readable or unreadable.
type NotebookReloaded struct {
	Path string `json:"path"`
}

// NotebookMoved says that the file of an open notebook has another name. What
// follows of the notebook names the new one.
type NotebookMoved struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// NotebookSaved reports every save. Fault is set when it failed; what was to
// be saved is still in memory and is tried again.
type NotebookSaved struct {
	Path  string       `json:"path"`
	AtMs  int64        `json:"atMs"` // Unix time in milliseconds
	Fault *fault.Error `json:"fault,omitempty"`
}

// DiskConflict says that the file changed on disk while there are local
// changes: the person chooses (SPEC 1.4).
type DiskConflict struct {
	Path string `json:"path"`
	Gone bool   `json:"gone"` // the file was deleted or moved away
}

// RunQueued says that a run waits for the one before it in its notebook.
// RunStarted or RunFinished follows. It is sent again when the user asks to send
// the prompt now.
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

// CallProgress says how far a call of a run is, as its tool says. It is gone when the call
// has a result.
type CallProgress struct {
	RunID  string  `json:"runId"`
	Path   string  `json:"path"`
	Cell   string  `json:"cell"`
	CallID string  `json:"callId"`
	Done   float64 `json:"done"`
	Total  float64 `json:"total"` // 0: not known
	Text   string  `json:"text"`  // hostile, with nothing hidden in it
}

// RunWaiting says that the request failed and is tried again at UntilMs.
// UntilMs 0 ends the wait: the attempt is under way.
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

// SettingsChanged says that settings are to be loaded again.
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

// ApprovalsChanged returns the requests that came and the id of one that is gone.
type ApprovalsChanged struct {
	Added   []approval.Request `json:"added"`
	Removed string             `json:"removed,omitempty"`
}

// GrantsChanged says that the rules of approval are to be loaded again: those
// of a notebook, or with "" those for always.
type GrantsChanged struct {
	Notebook string `json:"notebook"` // uuid
}

// FilesChanged says that the list of files which a notebook's agent changed is
// to be loaded again.
type FilesChanged struct {
	Path string `json:"path"`
}

// TaskChanged says that a command of an agent is there, changed or printed
// something, or that it is not listed any more.
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

// ContextChanged says that what a next request would hold may be another now:
// a rule or a file changed on disk, or the notebook's switches, macros or
// allowed folders did. Path "" means every notebook.
type ContextChanged struct {
	Path  string `json:"path"`
	Rules bool   `json:"rules"` // the list of rules too, or what else the folder brings
}

// Compaction says that a summary of a notebook is being made by the person's wish,
// or came to its end: then Cell is the summary, or Fault says why there is none.
type Compaction struct {
	Path    string       `json:"path"`
	Running bool         `json:"running"`
	Cell    string       `json:"cell,omitempty"`
	Fault   *fault.Error `json:"fault,omitempty"`
}

// TrustChanged says that the person trusts the folder, or does not any more,
// or that it brings other files than before.
type TrustChanged struct {
	Trust access.TrustView `json:"trust"`
}

// FolderScanned says that every notebook of the folder has been read once:
// the nodes are complete, and what the folder brings is known.
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

// TimelineChanged returns spans that are new or went on, by their ids, and links.
// Past names a notebook of which other spans are shown from now on, because its
// cells changed: the timeline has to be loaded again where it is shown.
type TimelineChanged struct {
	Spans []timeline.Span `json:"spans"`
	Links []timeline.Link `json:"links"`
	Past  string          `json:"past,omitempty"` // path
}

// KindsChanged returns the kinds of agents after a file of one changed.
type KindsChanged struct {
	Kinds []kind.Kind `json:"kinds"`
}

// PausedChanged says that the person holds all agents before their next
// request, or lets them continue.
type PausedChanged struct {
	Paused bool `json:"paused"`
}

// CellWanted asks the window to show a cell: its notification was clicked.
type CellWanted struct {
	Path string `json:"path"`
	Cell string `json:"cell"` // "": the notebook's end
}

// ServersChanged says that the state of an MCP server, what it offers, or which servers are
// set up is another now: they are to be loaded again where they are shown.
type ServersChanged struct {
	Server string `json:"server"` // "": which are set up
}

// SignInWanted says that an agent needs an MCP server to which the person has to sign in. It
// is said once, until they did.
type SignInWanted struct {
	Server string `json:"server"`
}

// ToolsHeld says that tools of an MCP server changed since the person allowed them: no agent is
// offered them until the person accepts the change. It is said once for each change.
type ToolsHeld struct {
	Server string   `json:"server"`
	Tools  []string `json:"tools"` // the server's names: hostile text
}

func (TreeChanged) event()      {}
func (CellsSpliced) event()     {}
func (NotebookReloaded) event() {}
func (NotebookMoved) event()    {}
func (NotebookSaved) event()    {}
func (DiskConflict) event()     {}
func (RunQueued) event()        {}
func (RunStarted) event()       {}
func (Delta) event()            {}
func (MessagePut) event()       {}
func (RunWaiting) event()       {}
func (RunFinished) event()      {}
func (CallProgress) event()     {}
func (SettingsChanged) event()  {}
func (ConnectionTested) event() {}
func (ApprovalsChanged) event() {}
func (GrantsChanged) event()    {}
func (FilesChanged) event()     {}
func (TaskChanged) event()      {}
func (ContextChanged) event()   {}
func (Compaction) event()       {}
func (TrustChanged) event()     {}
func (FolderScanned) event()    {}
func (PathsDropped) event()     {}
func (TimelineChanged) event()  {}
func (KindsChanged) event()     {}
func (PausedChanged) event()    {}
func (CellWanted) event()       {}
func (ServersChanged) event()   {}
func (SignInWanted) event()     {}
func (ToolsHeld) event()        {}
