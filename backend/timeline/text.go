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
var verbs = map[string]Word{"read_file": WordRead, "write_file": WordWrite, "edit_file": WordEdit, "project_outline": WordOutline}

// said is what a span says: the Word and the Text of a Span.
type said struct {
	word Word
	text string
}

// saidOf describes a call: a command, a tool's name, or a word and its file.
func saidOf(c chat.ToolCall) said {
	name := c.Function.Name
	switch {
	case name == "self_fork":
		return said{word: WordFork}
	case name == "ask_user":
		return said{word: WordQuestion}
	case name == "shell":
		if command := argument(c, "command"); command != "" {
			return said{text: clip.Line(command, textLimit)}
		}
	case name == "ls", name == "mkdir": // commands have these names as well
		return said{text: clip.Line(strings.TrimSpace(name+" "+fileOf(c)), textLimit)}
	case verbs[name] != "":
		return said{verbs[name], clip.Line(fileOf(c), textLimit)}
	}
	return said{text: clip.Line(strings.ReplaceAll(name, "_", " "), textLimit)}
}

// fileOf is the name of the file of a call; "" for the folder itself.
func fileOf(c chat.ToolCall) string {
	uri := argument(c, "uri")
	if uri == "" || uri == "." {
		return ""
	}
	return path.Base(strings.ReplaceAll(uri, `\`, "/"))
}

func argument(c chat.ToolCall, name string) string {
	var args map[string]json.RawMessage
	var text string
	if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil || json.Unmarshal(args[name], &text) != nil {
		return ""
	}
	return text
}

// saidByModel describes the model's work.
func saidByModel(answered, reasoned, finished bool) said {
	switch {
	case finished:
		return said{word: WordReport}
	case answered && reasoned:
		return said{word: WordBoth}
	case reasoned:
		return said{word: WordThinking}
	case answered:
		return said{word: WordAnswer}
	}
	return said{}
}
