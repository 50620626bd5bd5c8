// Package agenttree computes the tree of agents that the sidebar shows from
// the summaries of the notebooks: who is whose child, and each one's state. It is
// pure: it reads no file and knows no clock.
package agenttree

// Status is an agent's computed state (SPEC 9).
type Status string

const (
	Standby  Status = "standby"  // not running, not a child
	Running  Status = "running"  // a run is under way
	Pending  Status = "pending"  // a child that has not run to its end
	Finished Status = "finished" // task_finish was called
)

// Mark is what a status alone does not say.
type Mark string

const (
	NeedsYou Mark = "needsYou" // an approval or a question waits
	Failed   Mark = "failed"   // the last run failed, or the file is not a notebook
	Queued   Mark = "queued"   // waits for its turn to run

	Interrupted Mark = "interrupted" // the program ended while it ran: "resume" continues it
	Stuck       Mark = "stuck"       // it goes round in circles, or nothing comes; Advice says more
)

// Summary is what is known of a notebook without loading it whole.
type Summary struct {
	File       string // relative to the folder, with slashes
	UUID       string
	Name       string
	ParentID   string
	CreatedAt  string
	ModifiedMs int64
	Finished   bool
	Failed     bool   // the last run failed or broke
	EndedMs    int64  // when the last run ended by itself; 0: it did not
	Problem    string // not empty: the file is not a notebook
	Prompts    int    // number of prompt cells; -1 when unknown

	Interrupted bool   // the last run has no end
	Elsewhere   string // not empty: another process runs it, in a few words
	Kind        string
	TimeMs      int64 // of all runs
	Spent       Total // of all answers
}

// Live is what runs right now, by file.
type Live struct {
	Running      bool
	Queued       bool
	WaitsForSlot bool // it runs and waits for its turn to continue, behind other agents
	NeedsYou     bool
	Failed       bool
	StartedMs    int64
	Action       string // "thinking", "reading a.go": a few words
	Advice       string // not empty: it is stuck, and what to do about it
	Spent        Total  // of the run under way, which no answer of the file counts yet
}

// Total is what answers used and cost. It adds up.
type Total struct {
	Tokens    int   `json:"tokens"` // input and output
	Input     int   `json:"input,omitempty"`
	Cached    int   `json:"cached,omitempty"` // of the input: what a server had kept
	Cost      int64 `json:"cost"`             // billionths of a dollar
	Estimated bool  `json:"estimated"`        // or a price is not known
}

// Node is a row of the sidebar.
type Node struct {
	UUID       string `json:"uuid"`
	Name       string `json:"name"`
	ParentID   string `json:"parentId,omitempty"` // "" at the top; a parent that is not there counts as none
	File       string `json:"file"`
	Status     Status `json:"status"`
	Marks      []Mark `json:"marks"`
	CreatedAt  string `json:"createdAt"`
	ModifiedMs int64  `json:"modifiedMs"`
	StartedMs  int64  `json:"startedMs,omitempty"` // of the run under way
	EndedMs    int64  `json:"endedMs,omitempty"`   // when the last run ended by itself, finished or failed
	Action     string `json:"action,omitempty"`
	Problem    string `json:"problem,omitempty"`

	Kind    string `json:"kind,omitempty"` // name of package kind's; "" is chat
	Advice  string `json:"advice,omitempty"`
	TimeMs  int64  `json:"timeMs"`  // of the runs that have ended
	Own     Total  `json:"own"`     // what its answers used, the one under way with them
	Subtree Total  `json:"subtree"` // with those of its children and theirs
}
