// Package agent is the loop: it sends the conversation to a model, streams the answer, runs the
// requested tools and sends again, until the work is done (SPEC 7.1). One call of Run is one run.
//
// It builds no prompt, owns no document and saves nothing: package runner passes it complete
// messages and applies the updates to the notebook. The client (package provider) retries; the
// registry determines the tools and what they may touch.
package agent

import (
	"context"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/tokens"
	"mutsumi/backend/tool"
)

// Model streams one answer. Stream calls fn for every chunk, in order and before it returns; if fn
// returns an error, Stream returns it. Stream ends soon after ctx does. A nil error means that the
// answer is complete; other errors are *fault.Error, and the chunks passed to fn before remain
// valid.
type Model interface {
	Stream(ctx context.Context, req provider.Request, fn func(provider.Chunk) error) error
}

// Approver decides about tool calls that change something. Approve may block until a person
// decides; it returns when ctx ends. An error means that nobody decided, and becomes the result for
// the model.
type Approver interface {
	Approve(ctx context.Context, ask Ask) (Decision, error)
}

// Ask is a call to decide about.
type Ask struct {
	CallID string
	Index  int           // of its result in the answer
	Made   chat.ToolCall // as the model made it
	Call   tool.Call     // checked; nothing has been done yet
	Why    string        // the last sentence that the agent wrote before the call
}

// Effect is a call that is about to change something.
type Effect struct {
	Index int // of the message with the call, in the answer
	Call  chat.ToolCall
}

// Decision is the answer to an Ask. Reason reaches the model when Allow is
// false. Arguments, when not "", replace the model's: the person edited them.
type Decision struct {
	Allow     bool
	Reason    string
	Arguments string
	Note      string // what the model reads about changed arguments; "": the arguments themselves

	// Approved are the changes that the person saw for an allowed call, which makes exactly these
	// (tool.Env.Approved). nil: they were not shown.
	Approved []tool.Change

	// Result is the result of a call that needs no decision because it changes nothing (tool.Idle).
	// nil: somebody decided.
	Result *tool.Result
}

// Config is one run.
type Config struct {
	Model   Model
	Request provider.Request // the template of each request; its Messages and Tools are set by Run

	// Messages is the whole conversation so far, repaired (SPEC 1.5). Run does not change it. If it
	// ends with an answer, the model is asked to continue that answer.
	Messages []chat.Message
	Index    int // of the first message that comes in the cell's answer: more than 0 when an answer continues

	Tools     *tool.Registry // nil: no tools are offered
	Env       tool.Env       // for every call; CallID is set by Run
	Approver  Approver       // nil: tools that change something are refused in words that a model can act on
	StepLimit int            // requests; 0: DefaultStepLimit
	NoImages  bool           // the model takes none: images of tools are left out with a note
	Documents chat.Documents // the documents that the model accepts; others in tool results are replaced by a note

	// Tokens counts for servers that report no usage; nil: estimates. InputTokens is the size of
	// the first request if known; 0: it is counted when needed.
	Tokens      *tokens.Counter
	InputTokens int

	// Fit is called before each request. It returns the conversation to send in
	// the place of c, or c itself; on an error the run ends with it. It is called
	// from Run's goroutine, may block, and ends soon after ctx does. Nil: every
	// request is sent as it is.
	Fit func(ctx context.Context, c Conversation) (Conversation, error)

	// BeforeEffect is called for a call that changes something, after its approval and before its
	// tool starts. It returns once everything that must survive a crash is saved, or soon after ctx
	// ends. On an error the tool does not run, and the error is the call's result. Nil: do not
	// wait.
	BeforeEffect func(ctx context.Context, made Effect) error

	// NextStep reports whether the run makes another request for the results of
	// an answer's calls; false ends it as Done. It is called from Run's
	// goroutine, may block, and ends soon after ctx does. Nil: always true.
	NextStep func() bool
	Now      func() time.Time // nil: time.Now
}

// Conversation is the content of a run's next request, as it is sent.
type Conversation struct {
	Before []chat.Message // what Config.Messages became, see First
	Added  []chat.Message // by the run
	Tokens int            // of both, and of the definitions of tools
	// Changed reports that Before or Added differ from what they were.
	Changed bool
}

// DefaultStepLimit is the maximum number of requests in a run (SPEC 7.1).
const DefaultStepLimit = 50

// Update is an event that Run emits: Asked, Called, Delta, Put, Waiting or Action.
type Update interface{ update() }

// Delta adds to message Index of the answer; the first Delta for an index starts an assistant
// message. Tool calls are numbered from 0 without gaps. Whole is a snapshot of that message so far;
// later chunks do not change it.
type Delta struct {
	Index     int
	Text      string
	Reasoning string
	ToolCalls []provider.ToolCallDelta
	Whole     chat.Message
}

// Put sets message Index of the answer to its final form: a streamed
// assistant message, or a tool's result. Every message is put exactly once,
// in order. Put follows at once when a stream breaks or is stopped.
type Put struct {
	Index   int
	Message chat.Message
	IsError bool            // a tool's result that is a failure
	Facts   *chat.CallFacts // of a tool's result, for people; may be nil
	At      time.Time       // when the request or the tool began; zero: there was none, or the tool never ran
	Took    time.Duration   // of the request, or of the tool
	Usage   *chat.Usage     // of the request; nil for results of tools
	// Internal: the program itself sent it to the model, as a user message.
	Internal bool
}

// Asked reports that a request for message Index is being sent.
type Asked struct{ Index int }

// Called reports that a tool starts to work on a call; message Index will be its result. Parallel
// calls may have to wait their turn.
type Called struct {
	Index int
	Call  chat.ToolCall
}

// Waiting reports that a request failed and will be sent again at Until. A zero Until ends the
// wait.
type Waiting struct {
	Attempt int
	Until   time.Time
	Reason  string
}

// Action describes in a few words what the agent is doing: "thinking", "reading a.go".
type Action struct{ Text string }

func (Asked) update()   {}
func (Called) update()  {}
func (Delta) update()   {}
func (Put) update()     {}
func (Waiting) update() {}
func (Action) update()  {}

// Outcome is how a run ended, as the notebook records it.
type Outcome string

const (
	Done      Outcome = "done"
	TaskDone  Outcome = "taskFinished" // FinishText is set
	Stopped   Outcome = "stopped"      // ctx ended
	Failed    Outcome = "failed"       // nothing came; Fault is set
	Broken    Outcome = "broken"       // something came and is kept; Fault is set
	StepLimit Outcome = "stepLimit"    // Fault explains it to a person
)

// Result is the result of a run.
type Result struct {
	Outcome    Outcome
	Fault      *fault.Error
	Usage      chat.Usage // of all requests
	FinishText string     // the text passed to task_finish
	Steps      int        // answers requested
	Retries    int        `json:",omitempty"` // requests sent again for them, after a failure
}
