package acp

// From is how the program knows an agent.
type From string

const (
	Found    From = "found"    // a known agent whose program is in the PATH, or could be
	Settings From = "settings" // the person's own (SPEC 14.1)
)

// State is whether an agent can answer.
type State string

const (
	Ready   State = "ready"
	Missing State = "missing" // its program is not on this computer
	SignIn  State = "signIn"  // the person has to sign in first
	Broken  State = "broken"  // it did not start, or speaks no version of the protocol that we do; see Problem
)

// View is an agent as the interface shows it.
type View struct {
	ID      string         `json:"id"` // what notebooks name
	Name    string         `json:"name"`
	From    From           `json:"from"`
	Line    string         `json:"line"`    // the command that starts it
	Version string         `json:"version"` // as it says; "": it has not run yet
	State   State          `json:"state"`
	Problem string         `json:"problem"` // why it cannot answer, for a person; "": nothing known
	Home    string         `json:"home"`    // address of the page that says how to install it; "": not known
	SignIns []SignInMethod `json:"signIns"` // of an agent that needs one; never nil
}

// SignInMethod is a way to sign in to an agent: hostile text.
type SignInMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Input is an agent as the person sets it up.
type Input struct {
	ID      string            `json:"id"` // "" makes a new one
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// SessionView is what an agent offers for a notebook, and says about its session: hostile text. Its
// lists are never nil.
type SessionView struct {
	Agent    string    `json:"agent"`   // id; "": no agent answers the notebook
	Session  string    `json:"session"` // its id, as the agent names it; "": none yet
	Live     bool      `json:"live"`    // the agent's process runs
	Options  []Option  `json:"options"`
	Commands []Command `json:"commands"` // that a prompt may begin with, as /name
	Used     int       `json:"used"`     // tokens of its context; 0: not known
	Size     int       `json:"size"`     // of its context; 0: not known
	Cost     float64   `json:"cost"`     // of the session, as it reports it
	Currency string    `json:"currency"` // of Cost; "": it reports none
}

// Option is a choice that an agent offers for a session: its mode, its model, or another one.
type Option struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Category    string   `json:"category"` // mode, model, thought_level, or the agent's own
	Value       string   `json:"value"`    // id of the current choice
	Choices     []Choice `json:"choices"`  // never nil
}

// Choice is one value of an Option.
type Choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Command is a command that an agent offers.
type Command struct {
	Name        string `json:"name"` // without the slash
	Description string `json:"description"`
	Hint        string `json:"hint"` // what to write after it; "": nothing
}
