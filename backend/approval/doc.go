// Package approval decides whether a tool call that changes something may run (SPEC 8). A Policy
// holds grants and denials by tool and pattern, for an agent, a notebook or always; an Inbox holds
// the undecided requests of all agents; Simulate explains how a command would be judged.
//
// Shell commands are parsed, never matched as text. Every program, redirect, substitution and
// assignment of a command is a part, and a grant has to cover each of them. The walk over the
// syntax accepts only constructs that it knows; everything else asks. A denial wins over every
// grant.
//
// A command is read as its shell reads it: where the parser and the shells differ, or sh and bash,
// it is refused (readScript), and a test compares with real shells. A word is a text, one of a few
// possible texts, or several words of any text; no star covers the last. A program has a set of
// folders in which it may start, because a grant holds for a folder.
//
// The package runs nothing and draws nothing. It looks at the disk while it reads a call, to follow links,
// compare patterns of file names and find a folder's repository; judging a call reads nothing. Package runner
// asks it between the agent's loop and the tool, stores what Policy.Save returns, and notifies the interface.
package approval

// Scope is how far a decision reaches.
type Scope string

// The scopes. Grants for Agent are in memory only; those for Notebook are
// kept in the person's state folder, and so are those for Always.
const (
	Once     Scope = "once"
	Agent    Scope = "agent"
	Notebook Scope = "notebook"
	Always   Scope = "always"
)

// Outcome is the decision about a call, or about a part of it.
type Outcome string

const (
	Allow Outcome = "allow" // it runs
	Ask   Outcome = "ask"   // a person decides
	Deny  Outcome = "deny"  // it does not run
)

// Verdict is a policy's judgement of a call. Parts is never nil.
type Verdict struct {
	Outcome Outcome       `json:"outcome"`
	Reason  string        `json:"reason"` // one sentence
	Parts   []PartVerdict `json:"parts"`
}

// PartVerdict is a policy's judgement of one part of a call: a program of a command, a redirect, a
// file.
type PartVerdict struct {
	Text    string  `json:"text"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	Rule    string  `json:"rule"` // the id of the rule that decided, "" for none
}

// Call is a call of a tool as the policy sees it.
type Call struct {
	Tool      string
	Arguments string   // a JSON object, as the tool takes it
	Notebook  string   // what grants of Agent and Notebook are kept under: the notebook's uuid
	Workspace string   // absolute; relative paths and patterns of files start here
	Folder    string   // absolute; where a command runs if its arguments do not say so; "": Workspace
	Roots     []string // absolute folders and files that the agent may touch, as files.Roots.Places gives them
	Scratch   string   // absolute; a folder that may always be written, or ""
	Private   []string // absolute folders of this program's own: never among the allowed ones, unless a root is inside them
	Exposed   bool     // commands are not kept out of Private by the system
	Shell     string   // the program that runs commands: "bash" (also ""), or another one, which is held to be a POSIX shell
}

// Names of the tools whose arguments are read.
const (
	toolShell = "shell"
	toolKill  = "shell_kill"
)
