package approval

import "encoding/json"

// Request is a call that waits for a decision, as the interface shows it. Its
// lists are never nil.
type Request struct {
	ID     string `json:"id"`
	AtMs   int64  `json:"atMs"` // Unix milliseconds of when it was asked
	Tool   string `json:"tool"`
	Action string `json:"action"` // a few words: "editing a.go"
	Why    string `json:"why"`    // the agent's last sentence before the call, or ""

	Path     string `json:"path"`     // of the notebook, relative to the workspace
	Notebook string `json:"notebook"` // its uuid
	Agent    string `json:"agent"`    // its name
	Cell     string `json:"cell"`
	CallID   string `json:"callId"`
	Folder   string `json:"folder"` // absolute: where a command would run

	Arguments   string            `json:"arguments"`           // a JSON object, for the person to edit
	Described   map[string]string `json:"described,omitempty"` // the tool's descriptions of its arguments, by name; "edits.old" in a list of objects
	Command     *Command          `json:"command"`             // nil when the tool runs none
	Changes     []FileChange      `json:"changes"`             // the changes, as far as known
	Suggestions []Suggestion      `json:"suggestions"`
	Warnings    []Warning         `json:"warnings"`
	Verdict     Verdict           `json:"verdict"` // why it asks; set by Inbox.Ask

	Question    *Question       `json:"question,omitempty"` // of ask_user; nil for a call to approve
	Allowed     []string        `json:"allowed"`            // folders that the agent may touch: a child gets no more
	Conflicts   []WriteConflict `json:"conflicts"`          // other agents that wrote a file which this call is about to write
	Held        string          `json:"held"`               // not empty: put aside until the agent of that name is done
	Fingerprint string          `json:"print"`              // identifies what would change, for Decision.Seen; "" when that is not known
	Renewed     *Renewed        `json:"renewed,omitempty"`  // a file changed while this waited, and Changes are others now

	call          Call
	read          subject                                                        // the call as it was read last
	onWait        func()                                                         // About.OnWait
	check         func(arguments string) error                                   // About.Check
	preview       func(arguments string) (Request, error)                        // About.Preview
	without       func(arguments string, hunks []string) (string, string, error) // About.Without
	fingerprintOf func(arguments string) (string, error)                         // About.FingerprintOf
	refresh       func()                                                         // About.Refresh
}

// Question is what an agent asks the person.
type Question struct {
	Text    string   `json:"text"`    // Markdown
	Choices []string `json:"choices"` // empty: the answer is free text, which is always possible
	Several bool     `json:"several"` // more than one choice may be taken
}

// WriteConflict is another agent that wrote a file.
type WriteConflict struct {
	File     string `json:"file"` // relative to the workspace
	Path     string `json:"path"` // of the agent's notebook
	Agent    string `json:"agent"`
	Notebook string `json:"notebook"` // uuid
	AtMs     int64  `json:"atMs"`
	Running  bool   `json:"running"`

	Uncertain bool `json:"uncertain,omitempty"` // the file changed while a command of the agent ran: somebody else may have changed it
}

// wrote describes what an agent did to its file.
func (h WriteConflict) wrote() string {
	if h.Uncertain {
		return "may have written"
	}
	return "wrote"
}

// FileChange is what a call does to one file. Its lists are never nil.
type FileChange struct {
	Path    string   `json:"path"`
	New     bool     `json:"new"`
	Lines   []Line   `json:"lines"`
	Hunks   []string `json:"hunks"`   // the names of the hunks that begin with "@" lines, in their order
	Added   int      `json:"added"`   // lines, including omitted ones
	Removed int      `json:"removed"` // lines, including omitted ones
	More    int      `json:"more"`    // lines that are left out of Lines; Inbox.Preview has them
	Plain   string   `json:"plain"`   // why there are no lines: "binary", "large", or ""
}

// Line is a line of a difference. Op is "+", "-", " " or "@" for where the
// next hunk is.
type Line struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// Suggestion is a set of patterns that together cover a call: one click.
type Suggestion struct {
	Label    string   `json:"label"`
	Patterns []string `json:"patterns"`
}

// Warning is something about a call that a person should know. Kind is one of
// the Risk constants.
type Warning struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// The kinds of warnings.
const (
	RiskOutside = "outside" // touches something outside the allowed folders
	RiskNetwork = "network"
	RiskDeletes = "deletes"
	RiskRoot    = "root"    // runs with other rights
	RiskRuns    = "runs"    // runs another program, or code that is not seen
	RiskWrites  = "writes"  // writes a file where one would not expect it
	RiskUnknown = "unknown" // something that is not understood
)

// About holds the facts that NewRequest needs besides the call.
type About struct {
	Action, Why               string
	Path, Agent, Cell, CallID string
	Changes                   []FileChange
	Question                  *Question
	Schema                    json.RawMessage // of the tool's arguments; nil: nothing is known of them
	Allowed                   []string
	Conflicts                 []WriteConflict // a grant does not let the call through while there are some
	Fails                     bool            // as the files are now the call would do nothing

	// Check validates arguments that the person edited. Its error says what is wrong with them; the
	// request then still waits. It is called with no lock held and may read files. nil: every JSON
	// object is valid.
	Check func(arguments string) error

	// OnWait is called once when a person has to decide, before Ask starts to wait, with no lock
	// held. It may be nil.
	OnWait func()

	// Preview returns the request as it would be with other arguments, with all
	// lines of its changes. Its errors are those of Check, and it is called like
	// Check. nil: other arguments cannot be previewed.
	Preview func(arguments string) (Request, error)

	// Without returns the arguments that do the same without some hunks of the
	// changes, and a text for the model about it. It is called like Check. nil:
	// a change is approved whole.
	Without func(arguments string, hunks []string) (rest, note string, err error)

	// Fingerprint identifies exactly what would change; "": that is not known.
	// FingerprintOf returns it as of now for other arguments; its error says why
	// nothing would change. Refresh checks the files again, and renews the request
	// (Inbox.Refresh) or sends it back (Inbox.SendBack) if necessary. They are
	// called like Check; nil: what would change is not known.
	Fingerprint   string
	FingerprintOf func(arguments string) (string, error)
	Refresh       func()
	Renewed       *Renewed
}

// NewRequest makes the request for a call. It parses commands and follows the
// links of paths; it does nothing.
func NewRequest(c Call, about About) Request {
	r := Request{
		Tool: c.Tool, Action: about.Action, Why: about.Why, Path: about.Path, Notebook: c.Notebook, Agent: about.Agent,
		Cell: about.Cell, CallID: about.CallID, Arguments: c.Arguments, Described: described(about.Schema), Changes: append([]FileChange{}, about.Changes...),
		Question: about.Question, Allowed: append([]string{}, about.Allowed...), Conflicts: append([]WriteConflict{}, about.Conflicts...),
		Warnings: []Warning{}, Suggestions: []Suggestion{}, Verdict: Verdict{Outcome: Ask, Parts: []PartVerdict{}}, call: c, check: about.Check, onWait: about.OnWait, preview: about.Preview, without: about.Without,
		Fingerprint: about.Fingerprint, Renewed: about.Renewed, fingerprintOf: about.FingerprintOf, refresh: about.Refresh,
	}
	for i := range r.Changes {
		if r.Changes[i].Lines == nil {
			r.Changes[i].Lines = []Line{}
		}
		if r.Changes[i].Hunks == nil {
			r.Changes[i].Hunks = []string{}
		}
	}
	s := subjectOf(c)
	r.Folder, r.read = s.folder, s
	if s.command != nil {
		view := s.command.view()
		r.Command = &view
	}
	if r.Question != nil {
		return r // a question cannot be granted
	}
	r.Suggestions = append(r.Suggestions, s.suggestions()...)
	if about.Fails {
		r.Warnings = append(r.Warnings, Warning{RiskFails, "As the file is now, nothing will be written: the agent gets the reason."})
	}
	r.Warnings = append(r.Warnings, s.warnings()...)
	return r
}
