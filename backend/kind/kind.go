// Package kind is what sorts of agents there are: a role, the tools that it is
// offered, the model that it prefers and the kinds that it may start. They
// come from the program and from Markdown files with front matter in
// `.mutsumi/agents` of a folder; a folder's kind replaces the program's of the
// same name.
//
// It decides nothing while an agent runs: package workspace asks it which
// tools to offer and what to say in the system message.
package kind

// Kind is a sort of agent. Its lists are never nil.
type Kind struct {
	Name        string   `json:"name"` // what agentType of a notebook holds
	Description string   `json:"description"`
	Model       string   `json:"model"`    // "provider/model" or "model"; "": the person's choice
	Tools       []string `json:"tools"`    // names of tools, and the groups read, change, shell and agents
	Rules       []string `json:"rules"`    // file names of rules that reach it; empty: all
	Children    []string `json:"children"` // names of the kinds that it may start; empty: none
	Role        string   `json:"role"`     // Markdown, for the system message
	Source      string   `json:"source"`   // the file, relative to the folder; "" for the program's own
	Problem     string   `json:"problem"`  // what is wrong with the file; such a kind cannot be chosen
	Changes     bool     `json:"changes"`  // it is offered a tool that changes something
	Inert       bool     `json:"inert"`    // the folder is not trusted: it is shown and cannot be chosen
}
