package chat

// CallEnd says why a tool call was not carried out, or not to its end.
type CallEnd string

const (
	CallRejected CallEnd = "rejected" // by the person or one of the person's rules
	CallRefused  CallEnd = "refused"  // it cannot be carried out: bad arguments, or not offered to this agent
	CallStopped  CallEnd = "stopped"  // the run was stopped meanwhile
)

// CallFacts is what a person sees of a tool call at a glance. Models read the
// text of the result instead.
type CallFacts struct {
	End     CallEnd `json:"end,omitempty"`     // "": the tool ran
	Reason  string  `json:"reason,omitempty"`  // why the person rejected it or did not answer, in their words
	Line    string  `json:"line,omitempty"`    // of a failure: the line that tells most
	Exit    int     `json:"exit,omitempty"`    // exit status of a command; 128 and more: a signal
	Output  string  `json:"output,omitempty"`  // names what is kept of a command's output as it came, in colour
	Added   int     `json:"added,omitempty"`   // lines, of a change to a file
	Removed int     `json:"removed,omitempty"` // lines
	Matches *int    `json:"matches,omitempty"` // of a search: lines that match
	Found   *int    `json:"found,omitempty"`   // of a listing: its entries; of a search for names: the files
	More    bool    `json:"more,omitempty"`    // there are more than Matches or Found says
	Answer  string  `json:"answer,omitempty"`  // to a question: what the person said
	// Declined: the person did not answer the question; Reason is why, if they said so.
	Declined bool `json:"declined,omitempty"`
}
