package notebook

import (
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
)

// TextKind is the kind of a Text.
type TextKind string

const (
	TextPrompt    TextKind = "prompt"    // as it is edited
	TextAnswer    TextKind = "answer"    // Markdown, or a message of the program
	TextReasoning TextKind = "reasoning" // before an answer
	TextArguments TextKind = "arguments" // of a tool call: its strings, one below the other
	TextResult    TextKind = "result"    // of a tool call, whole
)

// Text is a text of a notebook that people read.
type Text struct {
	Cell  string
	Kind  TextKind
	Index int    // of the message in the cell's answer; of a prompt 0
	Call  string // the id of the tool call, of its arguments and its result
	Text  string
}

// Texts are the texts of a notebook at one moment. They may be read without the lock
// of their Document.
type Texts struct{ cells []textsOfCell }

type textsOfCell struct {
	id, prompt  string
	hasPrompt   bool
	replaceable bool
	answer      []*message
}

// TextsOf takes the texts of a notebook. It copies none.
func TextsOf(d *Document) Texts {
	t := Texts{make([]textsOfCell, len(d.cells.list))}
	for i, c := range d.cells.list {
		x := textsOfCell{id: c.id, answer: c.answer}
		if c.prompt != nil {
			x.hasPrompt, x.prompt = true, d.links.text(get(c.prompt.raw(), "content"))
			x.replaceable = d.running[c.id] == nil && c.marks().compaction == nil
		}
		t.cells[i] = x
	}
	return t
}

// Each calls yield with each non-empty text in the order of the view: a result follows its call. It
// skips messages for which might, given their JSON, returns false; nil skips none. It stops when
// yield returns false.
func (t Texts) Each(might func(message []byte) bool, yield func(Text) bool) {
	for _, c := range t.cells {
		if c.prompt != "" && !yield(Text{Cell: c.id, Kind: TextPrompt, Text: c.prompt}) {
			return
		}
		if !c.each(might, yield) {
			return
		}
	}
}

func (c *textsOfCell) each(might func([]byte) bool, yield func(Text) bool) bool {
	results := map[string]int{}
	for i, m := range c.answer {
		if m.role == chat.Tool {
			results[unquote(get(m.raw(), "tool_call_id"))] = i
		}
	}
	told := make([]bool, len(c.answer))
	result := func(i int) bool {
		told[i] = true
		raw := c.answer[i].raw()
		if might != nil && !might(raw) {
			return true
		}
		x := c.answer[i].decode()
		return put(yield, Text{Cell: c.id, Kind: TextResult, Index: i, Call: x.ToolCallID, Text: x.Content.String()})
	}
	for i, m := range c.answer {
		if told[i] {
			continue
		}
		if m.role == chat.Tool {
			if !result(i) {
				return false
			}
			continue
		}
		raw := m.raw()
		interesting := might == nil || might(raw)
		if !interesting && get(raw, "tool_calls") == nil {
			continue
		}
		x := m.decode()
		if interesting && !(put(yield, Text{Cell: c.id, Kind: TextReasoning, Index: i, Text: x.ReasoningContent}) &&
			put(yield, Text{Cell: c.id, Kind: TextAnswer, Index: i, Text: x.Content.String()})) {
			return false
		}
		for _, call := range x.ToolCalls {
			if interesting && !put(yield, Text{Cell: c.id, Kind: TextArguments, Index: i, Call: call.ID, Text: readable(call.Function.Arguments)}) {
				return false
			}
			if at, ok := results[call.ID]; ok && at > i && !told[at] && !result(at) {
				return false
			}
		}
	}
	return true
}

func put(yield func(Text) bool, t Text) bool { return t.Text == "" || yield(t) }

// readable returns the strings of a call's arguments, one per line. Other values stay JSON, as does
// anything but an object.
func readable(arguments string) string {
	var out []string
	err := jsontext.Members([]byte(arguments), func(_ string, value []byte) bool {
		if isString(value) {
			out = append(out, unquote(value))
		} else {
			out = append(out, string(value))
		}
		return true
	})
	if err != nil {
		return arguments
	}
	return strings.Join(out, "\n")
}

// Replacements returns the edits, one undo step together, that give prompts new texts. replace
// returns the new text of a prompt and how many places differ; with 0 the prompt stays. It is not
// called for running cells and summaries: left counts their places.
func (t Texts) Replacements(replace func(cell, text string) (string, int)) (edits []Edit, places, left int) {
	for _, c := range t.cells {
		if !c.hasPrompt {
			continue
		}
		text, n := replace(c.id, c.prompt)
		switch {
		case n == 0:
		case !c.replaceable:
			left += n
		default:
			edits = append(edits, Edit{Kind: EditSetText, Cell: c.id, Text: text, found: true})
			places += n
		}
	}
	return edits, places, left
}
