package chat

// CallEnd is the reason why a tool call was not carried out, or not completed.
type CallEnd string

const (
	CallRejected CallEnd = "rejected" // by the person or one of the person's rules
	CallRefused  CallEnd = "refused"  // it cannot be carried out: bad arguments, or not offered to this agent
	CallStopped  CallEnd = "stopped"  // the run was stopped
)

// CallFacts are the short facts about a tool call that a person sees. Models read the text of the
// result instead.
type CallFacts struct {
	End     CallEnd `json:"end,omitempty"`     // "": the tool ran
	Reason  string  `json:"reason,omitempty"`  // why the person rejected it or did not answer, in their words
	Line    string  `json:"line,omitempty"`    // of a failure: the most informative line
	Exit    int     `json:"exit,omitempty"`    // exit status of a command; 128 and more: a signal
	Output  string  `json:"output,omitempty"`  // names the kept raw output of a command, in colour
	Added   int     `json:"added,omitempty"`   // lines, of a change to a file
	Removed int     `json:"removed,omitempty"` // lines
	Matches *int    `json:"matches,omitempty"` // of a search: lines that match
	Found   *int    `json:"found,omitempty"`   // of a listing: its entries; of a search for names: the files
	More    bool    `json:"more,omitempty"`    // there are more than Matches or Found
	Answer  string  `json:"answer,omitempty"`  // the person's answer to a question
	// Declined: the person did not answer the question; Reason is their reason, if given.
	Declined bool `json:"declined,omitempty"`
}
