// Package timeline shows when the agents of a tree did what: spans of model time, tools, waiting
// for a person, and the links between a fork and its children. It is pure: it computes them from
// notebooks and from package runner's live reports.
package timeline

// SpanKind is an agent's activity during a span.
type SpanKind string

const (
	Model   SpanKind = "model"   // the model thinks or answers
	Tool    SpanKind = "tool"    // a tool works
	Waiting SpanKind = "waiting" // for the person: an approval, a question, a spent budget
	Forked  SpanKind = "forked"  // for its children
	Queued  SpanKind = "queued"  // for its turn
	Report  SpanKind = "report"  // task_finish: the end of its work
)

// Word is what the program itself says of a span. The interface has a sentence for each, with Text
// as its object.
type Word string

const (
	WordThinking Word = "thinking"
	WordAnswer   Word = "answer"
	WordBoth     Word = "thinkingAnswer" // first one, then the other
	WordReport   Word = "report"
	WordFork     Word = "fork"
	WordQuestion Word = "question"
	WordRead     Word = "read" // a file, as the next ones
	WordWrite    Word = "write"
	WordEdit     Word = "edit"
	WordOutline  Word = "outline"
)

// Span is a piece of an agent's time. Spans of one agent do not overlap, except those of parallel
// tools. A span that ends where it began did not happen: in an event it revokes the report under
// its ID.
type Span struct {
	ID      string   `json:"id"`
	Agent   string   `json:"agent"` // uuid
	Path    string   `json:"path"`
	Cell    string   `json:"cell"`
	Index   int      `json:"index"` // of the message in the answer
	Kind    SpanKind `json:"kind"`
	Word    Word     `json:"word,omitempty"` // what the program says of it; "": Text says it all
	Text    string   `json:"text"`           // the name of a tool or a file, or a command: "grep", "go test ./..."
	StartMs int64    `json:"startMs"`
	EndMs   int64    `json:"endMs"` // 0: it has not ended
	Failed  bool     `json:"failed"`
}

// Link leads from one agent's time to another's: a fork to the child that it
// started, or a child's end to the parent that waited for it. Of each kind
// there is one between two agents: a later one takes its place.
type Link struct {
	From string `json:"from"` // uuid
	To   string `json:"to"`
	AtMs int64  `json:"atMs"`
	Kind string `json:"kind"` // fork, report
}

// Lane is one agent, in the order in which the tree shows them.
type Lane struct {
	Agent string `json:"agent"` // uuid
	Path  string `json:"path"`
	Depth int    `json:"depth"`
	Spans []Span `json:"spans"`         // in the order of their starts
	Cut   bool   `json:"cut,omitempty"` // only the last spans are included
	Ran   bool   `json:"ran,omitempty"` // it has answers, or began to run; without spans their times are not known
}

// View is the timeline of one tree of agents. Its lists are never nil.
type View struct {
	Seq     uint64 `json:"seq"` // the number of the last event that it holds
	Root    string `json:"root"`
	StartMs int64  `json:"startMs"`
	Lanes   []Lane `json:"lanes"`
	Links   []Link `json:"links"`
}
