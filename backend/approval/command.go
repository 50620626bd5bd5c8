package approval

import (
	"mutsumi/backend/clip"
)

// Command is a shell command taken apart, for a person to read. Parts is never nil.
type Command struct {
	Text       string `json:"text"`
	Understood bool   `json:"understood"`
	Problem    string `json:"problem"` // the first thing that is not understood, or ""
	Parts      []Part `json:"parts"`   // in the order of the command
}

// Part is one thing that a command does. Kind is one of the Kind constants.
type Part struct {
	Kind       string   `json:"kind"`
	Text       string   `json:"text"`    // as it is written, at most 2,000 bytes
	Program    string   `json:"program"` // of a KindProgram
	Args       []string `json:"args"`    // of a KindProgram, without quotes; values known only at run time are as written
	Target     string   `json:"target"`  // of a redirect: the file
	Depth      int      `json:"depth"`   // how deep it is in substitutions, groups and other programs
	Understood bool     `json:"understood"`
	Note       string   `json:"note"` // what it is, or what is wrong with it, in words
}

// The kinds of parts.
const (
	KindProgram      = "program"
	KindRedirect     = "redirect"
	KindHeredoc      = "heredoc"
	KindAssignment   = "assignment"
	KindSubstitution = "substitution"
	KindPipe         = "pipe"
	KindControl      = "control" // for, if, a group, in the background
	KindUnknown      = "unknown"
)

// command is a parsed command with the facts that the policy needs.
type command struct {
	text  string
	parts []*part
	moved bool // it may change its folder: relative paths are not certain
}

// part is a Part with the facts that the policy needs.
type part struct {
	kind    string
	text    string
	depth   int
	problem string // why it is not understood; "" when it is
	note    string

	program  string
	args     []word   // without options that mean nothing to a pattern
	neutral  bool     // does nothing worth asking about
	via      string   // the program that runs this one: "xargs", "timeout"
	folders  []string // absolute; where the program may start. Empty: not known
	findings []finding

	writes      []string // files that the program is known to write, as patterns see them
	writesMore  bool     // it writes files whose names are known only at run time
	anyFolder   bool     // it does the same wherever it starts
	targetNames []string // of a redirect: the file as patterns see it, links followed or not

	target word // of a redirect
	write  bool // a redirect that writes
}

// finding is something in a program's arguments that a pattern has to name,
// not just allow with a star.
type finding struct {
	arg  int // the argument that covers it by name, or nothingCovers
	risk string
	why  string
}

const nothingCovers = -1

// word is an argument, as far as it is known without running anything.
type word struct {
	text    string // the value when literal, else as written
	literal bool
	prefix  string // a certain prefix of the value
	many    bool   // it can become several words, or none
	tilde   bool   // a home folder, which the shell fills in
	dynamic bool   // it holds the value of a variable or the output of a program
	number  bool   // it begins with digits
	glob    bool   // it holds a pattern of file names
	split   bool   // a pattern's matches are split at blanks
	names   bool   // it expands to names of files inside the allowed folders

	leads  []string // of a literal path: where the links in it lead, from where it is written
	values []string // of a word that is not literal: all texts that it may become, patterns as such; nil: not known
}

// mayBeOption reports whether a word that is not literal could turn out to be
// an option.
func (w word) mayBeOption() bool {
	if w.literal {
		return false
	}
	if w.prefix == "" {
		return !w.tilde && !w.number
	}
	if w.prefix[0] != '-' {
		return false
	}
	for i := 1; i < len(w.prefix); i++ {
		if w.prefix[i] == '=' {
			return false
		}
	}
	return true
}

func (c *command) problem() string {
	for _, p := range c.parts {
		if p.problem != "" {
			return p.problem
		}
	}
	return ""
}

func (c *command) view() Command {
	v := Command{Text: c.text, Problem: c.problem(), Parts: make([]Part, len(c.parts))}
	v.Understood = v.Problem == ""
	for i, p := range c.parts {
		x := Part{Kind: p.kind, Text: clip.Text(p.text, maxShown), Program: p.program, Args: []string{}, Target: p.target.text, Depth: p.depth, Understood: p.problem == "", Note: p.note}
		for _, a := range p.args {
			x.Args = append(x.Args, clip.Text(a.text, maxShown))
		}
		if p.problem != "" {
			x.Note = p.problem
		}
		v.Parts[i] = x
	}
	return v
}

// maxShown is how many bytes of a part are shown.
const maxShown = 2000
