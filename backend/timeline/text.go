package timeline

import (
	"encoding/json"
	"path"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// textLimit is how long the text of a span is, in characters.
const textLimit = 60

// kindOf is the kind of span for a tool.
func kindOf(tool string) SpanKind {
	switch tool {
	case "self_fork":
		return Forked
	case "ask_user":
		return Waiting
	case "task_finish", "finish_task":
		return Report
	}
	return Tool
}

// finishes reports whether a message ends the agent's work (SPEC 1.6).
func finishes(calls []chat.ToolCall) bool {
	for _, c := range calls {
		if kindOf(c.Function.Name) == Report {
			return true
		}
	}
	return false
}

// verbs are the actions of the tools on their files.
var verbs = map[string]string{
	"read_file": "read", "write_file": "write", "edit_file": "edit", "ls": "ls", "mkdir": "mkdir", "project_outline": "outline",
}

// textOf describes a call in a few words: "go test ./...", "edit cart.go", "grep".
func textOf(c chat.ToolCall) string {
	name := c.Function.Name
	switch {
	case name == "self_fork":
		return "fork"
	case name == "ask_user":
		return "question"
	case name == "shell":
		if command := argument(c, "command"); command != "" {
			return clip.Line(command, textLimit)
		}
	case verbs[name] != "":
		uri := argument(c, "uri")
		if uri == "" || uri == "." {
			return verbs[name]
		}
		return clip.Line(verbs[name]+" "+path.Base(strings.ReplaceAll(uri, `\`, "/")), textLimit)
	}
	return clip.Line(strings.ReplaceAll(name, "_", " "), textLimit)
}

func argument(c chat.ToolCall, name string) string {
	var args map[string]json.RawMessage
	var text string
	if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil || json.Unmarshal(args[name], &text) != nil {
		return ""
	}
	return text
}

// modelText describes the model's work.
func modelText(said, reasoned, finished bool) string {
	switch {
	case finished:
		return "report"
	case said && reasoned:
		return "thinking, answer"
	case reasoned:
		return "thinking"
	case said:
		return "answer"
	}
	return ""
}
