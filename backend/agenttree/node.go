// Package agenttree computes the sidebar's tree of agents from the summaries of the notebooks: who
// is whose child, and each one's state. It is pure: it reads no file and no clock.
package agenttree

// Status is an agent's computed state (SPEC 9).
type Status string

const (
	Standby  Status = "standby"  // not running, not a child
	Running  Status = "running"  // a run is under way
	Pending  Status = "pending"  // a child that has not run to its end
	Finished Status = "finished" // task_finish was called
)

// Mark adds what a status alone does not show.
type Mark string

const (
	NeedsYou Mark = "needsYou" // an approval or a question waits
	Failed   Mark = "failed"   // the last run failed, or the file is not a notebook
	Queued   Mark = "queued"   // waits for its turn to run

	Interrupted Mark = "interrupted" // the program ended while it ran: "resume" continues it
	Stuck       Mark = "stuck"       // it goes round in circles, or nothing arrives; see Advice
)

// Summary is what can be known about a notebook without loading it.
type Summary struct {
	File       string // relative to the folder, with slashes
	UUID       string
	Name       string
	ParentID   string
	CreatedAt  string
	ModifiedMs int64
	Finished   bool
	Failed     bool   // the last run failed or broke
	EndedMs    int64  // when the last run ended on its own; 0: it did not
	Problem    string // not empty: the file is not a notebook
	Prompts    int    // number of prompt cells; -1 when unknown

	Interrupted bool   // the last run has no end
	Elsewhere   string // not empty: another process runs it, in a few words
	Kind        string
	AnsweredBy  string // id of the agent that answers it over ACP; "": a model does
	TimeMs      int64  // of all runs
	Spent       Total  // of all answers
}

// Live is the present activity, by file.
type Live struct {
	Running      bool
	Queued       bool
	WaitsForSlot bool // it runs and waits for its turn, after other agents
	NeedsYou     bool
	Failed       bool
	StartedMs    int64
	Action       string // "thinking", "reading a.go": a few words
	Advice       string // not empty: it is stuck, and what to do about it
	Spent        Total  // of the current run, which the file does not include yet
}

// Total is the usage and cost of answers. Totals can be added.
type Total struct {
	Tokens    int   `json:"tokens"` // input and output
	Input     int   `json:"input,omitempty"`
	Cached    int   `json:"cached,omitempty"`   // of the input: tokens from the server's cache
	Guessed   bool  `json:"guessed,omitempty"`  // some of Tokens were reported by no server
	Cost      int64 `json:"cost"`               // billionths of a dollar
	Estimated bool  `json:"estimated"`          // tokens or a price in Cost were estimated
	Unpriced  bool  `json:"unpriced,omitempty"` // Cost lacks requests whose price is not known
}

// Node is a row of the sidebar.
type Node struct {
	UUID       string `json:"uuid"`
	Name       string `json:"name"`
	ParentID   string `json:"parentId,omitempty"` // "" at the top or if the parent is missing
	File       string `json:"file"`
	Status     Status `json:"status"`
	Marks      []Mark `json:"marks"`
	CreatedAt  string `json:"createdAt"`
	ModifiedMs int64  `json:"modifiedMs"`
	StartedMs  int64  `json:"startedMs,omitempty"` // of the run under way
	EndedMs    int64  `json:"endedMs,omitempty"`   // when the last run ended on its own, finished or failed
	Action     string `json:"action,omitempty"`
	Problem    string `json:"problem,omitempty"`

	Kind string `json:"kind,omitempty"` // name of package kind's; "" is chat
	// AnsweredBy is the id of the agent that answers it over ACP (package acp); "": a model does.
	AnsweredBy string `json:"answeredBy,omitempty"`
	Advice     string `json:"advice,omitempty"`
	TimeMs     int64  `json:"timeMs"`  // of the runs that have ended
	Own        Total  `json:"own"`     // usage of its answers, including the current one
	Subtree    Total  `json:"subtree"` // including its descendants
}
