package notebook

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/process"
)

// View is a notebook as the interface loads it. When Problem is set the file
// is not a notebook: there are no cells, the text is read with RawText, and
// nothing is ever written to the file (SPEC 1.4).
type View struct {
	Seq      uint64     `json:"seq"` // the number of the last event that this state holds
	Path     string     `json:"path"`
	Rev      int        `json:"rev"`
	Meta     MetaView   `json:"meta"`
	Cells    []CellView `json:"cells"` // bodies only for the last few; the rest is fetched when shown
	State    DocState   `json:"state"`
	Problem  *Problem   `json:"problem,omitempty"`
	Conflict bool       `json:"conflict"` // the file on disk is another one (SPEC 1.4)
	Running  []RunView  `json:"running"`
}

// RunView is a run that is under way in a notebook.
type RunView struct {
	RunID       string `json:"runId"`
	Cell        string `json:"cell"`
	AtMs        int64  `json:"atMs"`
	Queued      bool   `json:"queued"` // waits for the run before it
	Now         bool   `json:"now"`    // waits to be given to the running agent at its next step
	WaitUntilMs int64  `json:"waitUntilMs,omitempty"`
	WaitReason  string `json:"waitReason,omitempty"`
}

// Problem is the reason why a file is not a notebook, and the place. Line and Column count from 1;
// Column counts characters. Repairable: "save a repaired copy" works.
type Problem struct {
	Message    string `json:"message"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Repairable bool   `json:"repairable"`
}

// MetaView is the metadata that the interface shows.
type MetaView struct {
	UUID       string   `json:"uuid"`
	Name       string   `json:"name"`
	CreatedAt  string   `json:"createdAt"`
	ParentID   string   `json:"parentId,omitempty"`
	Allowed    []string `json:"allowed"`
	Finished   bool     `json:"finished"`
	Model      string   `json:"model,omitempty"`
	Provider   string   `json:"provider,omitempty"`
	AgentType  string   `json:"agentType,omitempty"`
	FinishText string   `json:"finishText,omitempty"` // the text passed to task_finish (SPEC 1.6)
}

// DocState is the state that changes with every edit.
type DocState struct {
	CanUndo  bool         `json:"canUndo"`
	CanRedo  bool         `json:"canRedo"`
	UndoName string       `json:"undoName,omitempty"` // "delete cell", for the menu
	RedoName string       `json:"redoName,omitempty"`
	Dirty    bool         `json:"dirty"` // not saved yet
	Branches []BranchView `json:"branches"`
	Spent    Spent        `json:"spent"` // of all answers, including removed ones; filled in by package documents
}

// Spent is the usage and cost of answers.
type Spent struct {
	Input     int     `json:"input"`
	Cached    int     `json:"cached"`
	Output    int     `json:"output"`
	Reasoning int     `json:"reasoning"`
	Requests  int     `json:"requests"`
	Cost      string  `json:"cost"`      // "$0.31"; "" when no price is known
	Unpriced  int     `json:"unpriced"`  // requests with unknown prices: Cost excludes them
	Counted   bool    `json:"counted"`   // the tokens are the servers' own count, not an estimate
	Estimated bool    `json:"estimated"` // tokens or prices were estimated: Cost is about right
	Budget    float64 `json:"budget"`    // dollars that the notebook may cost; 0: no bound
	Percent   int     `json:"percent"`   // of the budget
}

// BranchView is a tail of the notebook that was put aside when an earlier prompt was run again; it
// can be restored.
type BranchView struct {
	ID       string `json:"id"`
	Cell     string `json:"cell"` // the cell that it followed
	AtMs     int64  `json:"atMs"`
	Cells    int    `json:"cells"` // how many cells it holds
	Messages int    `json:"messages"`
	Summary  string `json:"summary"` // first words, for a list
}

// CellView is a cell (SPEC 1.3). Role is that of its first message: user for a
// prompt with its answer, system for a note, assistant for an answer without
// a prompt. Chars and Messages let the interface guess its height unseen.
type CellView struct {
	ID       string    `json:"id"`
	Rev      int       `json:"rev"` // changes whenever Body does
	Role     chat.Role `json:"role"`
	Chars    int       `json:"chars"`    // of the prompt
	Answer   int       `json:"answer"`   // characters of the answer
	Messages int       `json:"messages"` // messages of the answer
	Body     *CellBody `json:"body,omitempty"`

	Compaction *Compaction `json:"compaction,omitempty"` // the cell is a summary of earlier ones
	Pinned     bool        `json:"pinned,omitempty"`     // no summary covers it
	Muted      bool        `json:"muted,omitempty"`      // models do not get it
	MutedCalls []string    `json:"mutedCalls,omitempty"` // calls whose results models do not get

	PinnedCalls []string `json:"pinnedCalls,omitempty"` // calls whose results models get whole
	Carried     *Carried `json:"carried,omitempty"`     // it was carried over from another notebook
	Earlier     int      `json:"earlier,omitempty"`     // texts that the prompt had before, and that were sent
}

// CellBody is the content of a cell.
type CellBody struct {
	Text   string        `json:"text"`  // the prompt or note; images of parts as Markdown links
	Multi  bool          `json:"multi"` // the content is a list of parts: editing the text keeps the images
	Answer []MessageView `json:"answer"`
	Run    *RunInfo      `json:"run,omitempty"` // the record of the run
}

// RunInfo is kept in the prompt message's metadata (SPEC 1.1).
type RunInfo struct {
	StartedAtMs int64        `json:"startedAtMs,omitempty"`
	TookMs      int64        `json:"tookMs,omitempty"`
	Model       string       `json:"model,omitempty"`
	Outcome     Outcome      `json:"outcome,omitempty"`
	Fault       *fault.Error `json:"fault,omitempty"`
	Usage       *chat.Usage  `json:"usage,omitempty"`
	Requests    int          `json:"requests,omitempty"` // that Usage is of; 0: see Count
	Asked       []ModelUsage `json:"asked,omitempty"`    // what agents used that this one asked: not part of Usage
	Cost        string       `json:"cost,omitempty"`     // "$0.0031", not kept: prices change; filled in by package documents

	Cache *CacheMiss `json:"cache,omitempty"` // nil: the server read as much from its cache as was expected, or that is not known

	EarlierMs int64 `json:"earlierMs,omitempty"` // how long the runs took that this one went on with, in milliseconds: not part of TookMs

	QueuedMs int64 `json:"queuedMs,omitempty"` // how long the run waited for its turn, in milliseconds
	LostMs   int64 `json:"lostMs,omitempty"`   // how long its last request took, if that brought nothing, in milliseconds
	HeldMs   int64 `json:"heldMs,omitempty"`   // how long that one waited for the person before, in milliseconds

	process *process.ID // see Process
}

// Count is the number of requests for the answer: at least one, since older files do not record it.
func (r *RunInfo) Count() int { return min(max(r.Requests, 1), maxTokens) }

// WithProcess returns the run with the process that runs it.
func (r RunInfo) WithProcess(id process.ID) RunInfo {
	r.process = &id
	return r
}

// WorkedMs is how long the answer took in all its runs, in milliseconds.
func (r *RunInfo) WorkedMs() int64 {
	return min(min(max(r.TookMs, 0), maxTime)+min(max(r.EarlierMs, 0), maxTime), maxTime)
}

// Process is the process that runs it, or did when it was interrupted; nil
// when that is not known.
func (r *RunInfo) Process() *process.ID { return r.process }

// EndedMs returns when a run ended on its own, in Unix milliseconds; 0 for a run in progress, or
// one that the person stopped or the end of the program cut off.
func (r *RunInfo) EndedMs() int64 {
	switch r.Outcome {
	case Done, TaskDone, Failed, Broken, StepLimit:
		return r.StartedAtMs + max(r.TookMs, 0)
	}
	return 0
}

// Outcome is how a run ended.
type Outcome string

const (
	Done        Outcome = "done"
	TaskDone    Outcome = "taskFinished"
	Stopped     Outcome = "stopped"
	Failed      Outcome = "failed"      // before anything came
	Broken      Outcome = "broken"      // after something came: "continue" resumes it
	StepLimit   Outcome = "stepLimit"   // SPEC 7.1
	Interrupted Outcome = "interrupted" // the program ended while it ran
	Elsewhere   Outcome = "elsewhere"   // another process, which is at work, runs it
)

// MessageView is an assistant or tool message as displayed. At most 64 KB of a tool's Text are
// included; Truncated reports that there is more.
type MessageView struct {
	Role       chat.Role       `json:"role"`
	Text       string          `json:"text"`
	Reasoning  string          `json:"reasoning,omitempty"`
	ToolCalls  []ToolCallView  `json:"toolCalls,omitempty"`
	Forks      []ForkView      `json:"forks,omitempty"` // whom these calls started; filled in by package runner
	ToolCallID string          `json:"toolCallId,omitempty"`
	Name       string          `json:"name,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Facts      *chat.CallFacts `json:"facts,omitempty"` // of a tool's result
	Internal   bool            `json:"internal,omitempty"`
	Truncated  bool            `json:"truncated,omitempty"`
	TookMs     int64           `json:"tookMs,omitempty"`
	Usage      *chat.Usage     `json:"usage,omitempty"`
}

// ToolCallView is a tool call as it is shown.
type ToolCallView struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ForkView is a call of self_fork that started agents, in the order in which
// they were started.
type ForkView struct {
	Call     string      `json:"call"` // its id
	Children []ChildView `json:"children"`
}

// ChildView is an agent that a call started. Name is its name at that time.
type ChildView struct {
	UUID string `json:"uuid"`
	Name string `json:"name"`
}

// Edit is one change that a person makes to a notebook; Apply carries it out.
// Which fields count depends on Kind.
type Edit struct {
	Kind   EditKind `json:"kind"`
	Cell   string   `json:"cell,omitempty"`   // the cell it acts on
	Before string   `json:"before,omitempty"` // insert, move: the cell it goes before; "" is the end
	Text   string   `json:"text,omitempty"`
	Rest   string   `json:"rest,omitempty"`   // split: the text of the second cell, which keeps the answer
	Role   string   `json:"role,omitempty"`   // insert: user (default) or system
	ID     string   `json:"id,omitempty"`     // insert, split: the id of the new cell, chosen by the caller ("" makes one)
	Branch string   `json:"branch,omitempty"` // restore, dropBranch
	Undone bool     `json:"undone,omitempty"` // setText: an editor undid typing, see tx.takeBack
	Seen   uint64   `json:"seen,omitempty"`   // setText, split: the last event with a text of Cell that the editor had; 0: not known
	draft  bool     // insert: see Drafts
	found  bool     // setText: see Texts.Replacements
	by     string   // the window that it comes from, see TypedBy
}

// EditKind is the kind of an Edit.
type EditKind string

const (
	EditInsert     EditKind = "insert"     // Cell Text Role at Before
	EditSetText    EditKind = "setText"    // Text of Cell; successive ones of one cell are one undo step
	EditEarlier    EditKind = "earlier"    // Cell gets the text again that it had until the time Text
	EditDelete     EditKind = "delete"     // Cell with its answer
	EditMove       EditKind = "move"       // Cell to Before
	EditSplit      EditKind = "split"      // Cell keeps Text; a new cell after it has Rest and the answer
	EditClear      EditKind = "clear"      // the answer of Cell is removed
	EditRewind     EditKind = "rewind"     // the answer of Cell and all cells below are put aside as a branch
	EditFork       EditKind = "fork"       // all cells below Cell are put aside as a branch; Cell keeps its answer
	EditRestore    EditKind = "restore"    // Branch is restored; the cells in its place are put aside in turn
	EditDropBranch EditKind = "dropBranch" // Branch is forgotten
	EditRename     EditKind = "rename"     // the notebook's name is Text
	EditModel      EditKind = "model"      // provider is Text, model is Rest
)
