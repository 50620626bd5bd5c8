// Package kind defines the kinds of agents: a role, the tools that it gets, the model that it
// prefers and the kinds that it may start. They come from the program and from Markdown files with
// front matter in `.mutsumi/agents` of a folder; a folder's kind replaces the program's of the same
// name.
//
// A file looks like this; the text below the front matter is the role, which is added to the system
// message unchanged.
//
//	---
//	name: tester            # small letters, digits, - and _; without it the file's name
//	description: Runs the tests and says what fails.
//	model: openai/gpt-5     # optional; a notebook that chose a model keeps its own
//	tools: [read, shell]    # names of tools and groups; without it: read
//	rules: [answering.md]   # optional; without it all of the folder's rules
//	children: [reviewer]    # kinds that it may start, the first by default; without it none
//	---
//	You run the tests ...
//
// The tools of MCP servers are the group mcp. mcp:SERVER are those of one server, and
// mcp:SERVER/TOOL is one of them; a - before it, as in [mcp, -mcp:tracker], excludes it.
// server__tool, the name that models call, is one too, and server__* those of one server.
//
// The other groups of tools are read (read_file, ls, glob, grep, project_outline,
// system_info, get_available_models), change (write_file, edit_file, mkdir),
// shell (shell, shell_output, shell_kill) and agents (self_fork, call_agent).
// Every kind can call task_finish and ask_user.
//
// The package decides nothing while an agent runs: package role asks it which tools to offer and
// what to put into the system message.
package kind

import (
	"slices"
	"strings"

	"mutsumi/backend/mcp/toolname"
)

// Kind is a sort of agent. Its lists are never nil.
type Kind struct {
	Name        string   `json:"name"` // what agentType of a notebook holds
	Description string   `json:"description"`
	Model       string   `json:"model"`    // "provider/model" or "model"; "": the person's choice
	Tools       []string `json:"tools"`    // names of tools, and the groups read, change, shell, agents and mcp
	Rules       []string `json:"rules"`    // file names of rules that reach it; empty: all
	Children    []string `json:"children"` // names of the kinds that it may start; empty: none
	Role        string   `json:"role"`     // Markdown, for the system message
	Source      string   `json:"source"`   // the file, relative to the folder; "" for the program's own
	Problem     string   `json:"problem"`  // what is wrong with the file; such a kind cannot be chosen
	Changes     bool     `json:"changes"`  // it is offered a tool that changes something
	Inert       bool     `json:"inert"`    // the folder is not trusted: it is shown and cannot be chosen
}

// Chat is the name of the kind of a notebook that names none.
const Chat = "chat"

// groups are the tools in each named group.
var groups = map[string][]string{
	"read":   {"read_file", "ls", "glob", "grep", "project_outline", "system_info", "get_available_models", "use_skill"},
	"change": {"write_file", "edit_file", "mkdir"},
	"shell":  {"shell", "shell_output", "shell_kill"},
	"agents": {"self_fork", "call_agent"},
}

// groupNames are the groups in the order in which they are listed.
var groupNames = []string{"read", "change", "shell", "agents", groupMCP}

// GroupOf returns the group that a tool of the program belongs to; "": it is of none, as those
// of every kind.
func GroupOf(tool string) string {
	for name, tools := range groups {
		if slices.Contains(tools, tool) {
			return name
		}
	}
	return ""
}

// groupMCP are the tools of MCP servers, whose names are known only at run time.
const groupMCP = "mcp"

// Marks of entries that name servers and tools as their owners do.
const (
	ofServer = "mcp:"
	leftOut  = "-"
)

// common are the tools of every kind: they change nothing, and without them an agent could neither
// end its work, nor report that it cannot continue, nor continue a long conversation.
var common = []string{"task_finish", "ask_user", "compact_chat_history"}

// changing are the tools that can change something themselves.
var changing = []string{"write_file", "edit_file", "mkdir", "shell"}

// Offers reports whether an agent of this kind is offered a tool. A kind with
// a problem, or of a folder that is not trusted, is offered none.
func (k Kind) Offers(tool string) bool {
	if k.Problem != "" || k.Inert {
		return false
	}
	return k.names(tool)
}

// OffersServers reports whether an agent of this kind is offered tools of MCP servers.
func (k Kind) OffersServers() bool {
	return k.Problem == "" && !k.Inert && slices.ContainsFunc(k.Tools, func(name string) bool {
		return name == groupMCP || fromServer(name) || strings.HasPrefix(name, ofServer)
	})
}

// OffersOf reports whether an agent of this kind is offered a tool of an MCP server, by their
// own names; tool "": any of the server.
func (k Kind) OffersOf(server, tool string) bool {
	if !k.OffersServers() {
		return false
	}
	all, one, call := ofServer+server, ofServer+server+"/"+tool, toolname.Of(server, tool)
	if slices.Contains(k.Tools, leftOut+all) || tool != "" && slices.Contains(k.Tools, leftOut+one) {
		return false
	}
	return slices.ContainsFunc(k.Tools, func(name string) bool {
		switch {
		case name == groupMCP || name == all || name == one || name == call:
			return true
		case tool == "": // a tool of the server
			first, _, _ := strings.Cut(toolname.Of(server, "x"), "__")
			return strings.HasPrefix(name, all+"/") || strings.HasPrefix(name, first+"__") && fromServer(name)
		}
		before, every := strings.CutSuffix(name, "*")
		return every && fromServer(name) && strings.HasPrefix(call, before)
	})
}

// names reports whether the kind's list holds a tool, by its name or a group.
func (k Kind) names(tool string) bool {
	if slices.Contains(common, tool) || slices.Contains(k.Tools, tool) {
		return true
	}
	if tool == toolname.Search || tool == toolname.Call {
		return k.OffersServers()
	}
	return slices.ContainsFunc(k.Tools, func(name string) bool {
		if server, all := strings.CutSuffix(name, "*"); all && fromServer(name) && strings.HasPrefix(tool, server) {
			return true
		}
		return name == groupMCP && toolname.FromServer(tool) || slices.Contains(groups[name], tool)
	})
}

// Reaches reports whether a rule, by its name, reaches agents of this kind.
func (k Kind) Reaches(rule string) bool { return len(k.Rules) == 0 || slices.Contains(k.Rules, rule) }

// isTool reports whether there is a tool or a group of that name.
func isTool(name string) bool {
	if named, is := strings.CutPrefix(strings.TrimPrefix(name, leftOut), ofServer); is {
		server, _, one := strings.Cut(named, "/")
		return server != "" && (!one || !strings.HasSuffix(named, "/"))
	}
	if _, group := groups[name]; group || name == groupMCP || fromServer(name) || slices.Contains(common, name) {
		return true
	}
	for _, tools := range groups {
		if slices.Contains(tools, name) {
			return true
		}
	}
	return false
}

// fromServer reports whether a name is a tool of an MCP server, or all tools of one (server__*).
func fromServer(name string) bool {
	server, all := strings.CutSuffix(name, "__*")
	return toolname.FromServer(name) || all && toolname.FromServer(server+"__x")
}

// normalize fills in derived fields, and leaves no list nil.
func (k *Kind) normalize() {
	k.Changes = slices.ContainsFunc(changing, k.names) || k.OffersServers()
	for _, list := range []*[]string{&k.Tools, &k.Rules, &k.Children} {
		if *list == nil {
			*list = []string{}
		}
	}
}
