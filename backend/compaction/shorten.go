package compaction

import (
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// Of a result that is cut, this much of its beginning and of its end stays, in bytes.
const (
	headBytes = 1200
	tailBytes = 800
)

// Shorten cuts a text to its beginning and its end, with a note between them on how much is omitted
// and where the whole text is (whole; "" for neither). A text that would not get shorter stays as
// it is.
func Shorten(text, whole string) string {
	where := ""
	if whole != "" {
		where = " The whole is in " + whole + "."
	}
	head, tail := cutAt(text, headBytes), cutAt(text, len(text)-tailBytes)
	note := fmt.Sprintf("\n[... %d bytes are left out here.%s ...]\n", tail-head, where)
	if head >= tail || tail-head <= len(note) {
		return text
	}
	return text[:head] + note + text[tail:]
}

// cutAt is the beginning of the character at or before i.
func cutAt(text string, i int) int { return len(clip.Bytes(text, max(i, 0))) }

// OldResults lists the results to cut if no summary is possible: those older than the newest keep
// tokens of results. It returns their places in messages.
func OldResults(messages []Message, keep int) (places []int) {
	for i, m := range slices.Backward(messages) {
		if m.Role != chat.Tool {
			continue
		}
		if keep -= m.Tokens; keep < 0 {
			places = append(places, i)
		}
	}
	slices.Reverse(places)
	return places
}

// Transcript writes messages for the model that summarises them, in pieces of at most limit tokens:
// without images, documents and thinking, with results cut, and with anything still too long for a
// piece cut in the middle. count counts the tokens of a text.
func Transcript(covered []Message, limit int, count func(string) int) (pieces []string) {
	var piece strings.Builder
	used := 0
	for _, m := range covered {
		text := entry(m)
		if text == "" {
			continue
		}
		n := count(text)
		if n > limit {
			text = shortenTo(text, n, limit, count)
			n = count(text)
		}
		if used+n > limit && used > 0 {
			pieces = append(pieces, piece.String())
			piece.Reset()
			used = 0
		}
		piece.WriteString(text)
		used += n
	}
	if used > 0 {
		pieces = append(pieces, piece.String())
	}
	return pieces
}

// entry is a message in a transcript, with a line for each of its calls.
func entry(m Message) string {
	var b strings.Builder
	text := strings.TrimSpace(textOf(m.Content))
	switch m.Role {
	case chat.User:
		if m.Summary {
			return "### Summary of what came before\n" + text + "\n\n"
		}
		fmt.Fprintf(&b, "### Person [%s]\n", m.Cell)
	case chat.Assistant:
		fmt.Fprintf(&b, "### Agent [%s]\n", m.Cell)
	case chat.Tool:
		fmt.Fprintf(&b, "### Result of %s\n", m.Name)
		text = Shorten(text, "")
	default:
		return ""
	}
	if text != "" {
		b.WriteString(text + "\n")
	}
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, "Call %s %s\n", c.Function.Name, Shorten(c.Function.Arguments, ""))
	}
	b.WriteString("\n")
	return b.String()
}

// textOf is a content with a word in place of each image and document.
func textOf(c chat.Content) string {
	if c.Parts == nil {
		return c.String()
	}
	var parts []string
	for _, p := range c.Parts {
		switch {
		case p.Type == chat.PartImage:
			parts = append(parts, "[an image]")
		case p.File != nil:
			parts = append(parts, "[the document "+p.File.Name+"]")
		default:
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// shortenTo cuts the middle out of a text of so many tokens until it is of at most
// limit.
func shortenTo(text string, tokens, limit int, count func(string) int) string {
	for keep := int(float64(len(text)) * float64(limit) / float64(tokens)); keep > 0; keep = keep * 3 / 4 {
		head, tail := cutAt(text, keep*2/3), cutAt(text, len(text)-keep/3)
		short := text[:head] + "\n[...]\n" + text[tail:]
		if count(short) <= limit {
			return short
		}
	}
	return ""
}
