package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/lenientjson"
)

// noImages replaces the images of a result, once.
const noImages = "[The image is left out: this model takes no images.]"

// NoOutput is sent as the result of a tool that returned no text: some servers refuse an empty one.
const NoOutput = "(no output)"

// Move is the position of a piece of a message in the request: piece Piece of the content of
// message From begins at byte Start of piece ToPiece of message To. A string is piece 0 of its
// content.
type Move struct {
	From, Piece        int
	To, ToPiece, Start int
}

// wire converts messages to the form that servers accept where it is stricter than that of a
// notebook. Names, ids and numbers of calls follow SPEC 1.5; arguments of calls are valid JSON
// (some servers fail to parse their own model's); an assistant message has a text or a call and is
// merged with the answer that continues it; images and documents of tools follow as a user message,
// since tool messages may hold text only. A note replaces images and documents that the model does
// not accept, and documents beyond the limit of a request. before is what the request already
// holds. The given messages are not changed.
func (c Config) wire(before, messages []chat.Message) ([]chat.Message, []Move) {
	messages, from := inGroups(messages)
	w := writer{
		images: !c.NoImages, room: chat.Room{Documents: c.Documents},
		out: make([]chat.Message, 0, len(messages)), moves: make([]Move, 0, len(messages)),
	}
	for _, m := range before {
		w.count(m)
	}
	for i, m := range messages {
		if from != nil {
			i = from[i]
		}
		w.add(m, i)
	}
	w.flush()
	return w.out, w.moves
}

type writer struct {
	images bool      // the model takes them
	room   chat.Room // for documents

	out    []chat.Message
	moves  []Move
	shown  []chat.Part // images and documents of tools, which follow the results
	origin []Move      // of those: From and Piece; ToPiece in shown
}

func (w *writer) add(m chat.Message, from int) {
	if m.Role != chat.Tool {
		w.flush()
	}
	if m.Name != "" {
		m.Name = wireName(m.Name)
	}
	if m.ToolCallID != "" {
		m.ToolCallID = wireID(m.ToolCallID)
	}
	switch {
	case m.Role == chat.Assistant && len(m.ToolCalls) > 0:
		m.ToolCalls = validCalls(m.ToolCalls)
		m.Content.Null = m.Content.IsEmpty()
	case m.Role == chat.Assistant && m.Content.IsEmpty():
		return
	}
	if n := len(w.out); n > 0 && goesOn(w.out[n-1], m) {
		start := len(w.out[n-1].Content.String())
		m.Content = chat.Text(w.out[n-1].Content.String() + m.Content.String())
		m.Kept = w.out[n-1].Kept.Join(m.Kept, start)
		w.out[n-1] = m
		w.move(from, 0, n-1, 0, start)
		return
	}
	to := len(w.out)
	switch {
	case m.Role == chat.Tool && m.Content.Parts != nil:
		m.Content = chat.Text(w.splitShown(m, from, to))
	case m.Content.Parts != nil:
		w.count(m)
		m.Content = w.withoutEmpty(m.Content.Parts, from, to)
	default:
		w.move(from, 0, to, 0, 0)
	}
	if m.Role == chat.Tool && m.Content.IsEmpty() {
		m.Content = chat.Text(NoOutput)
	}
	w.out = append(w.out, m)
}

// count counts the documents of a message that is sent unchanged.
func (w *writer) count(m chat.Message) {
	for _, p := range m.Content.Parts {
		if p.File != nil {
			w.room.Take(p.File)
		}
	}
}

// move records where a piece went, unless it comes from no message.
func (w *writer) move(from, piece, to, toPiece, start int) {
	if from >= 0 {
		w.moves = append(w.moves, Move{from, piece, to, toPiece, start})
	}
}

// flush adds the images of the results before it.
func (w *writer) flush() {
	if w.shown == nil {
		return
	}
	for _, o := range w.origin {
		w.move(o.From, o.Piece, len(w.out), o.ToPiece, 0)
	}
	w.out = append(w.out, chat.Message{Role: chat.User, Content: chat.Content{Parts: w.shown}})
	w.shown, w.origin = nil, nil
}

// goesOn reports whether m continues an answer that broke off in its text.
func goesOn(before, m chat.Message) bool {
	return before.Role == chat.Assistant && m.Role == chat.Assistant && len(before.ToolCalls) == 0 &&
		before.Content.Parts == nil && m.Content.Parts == nil
}

func validCalls(calls []chat.ToolCall) []chat.ToolCall {
	out := make([]chat.ToolCall, len(calls))
	for i, c := range calls {
		if c.Type == "" {
			c.Type = "function"
		}
		c.ID, c.Function.Name = wireID(c.ID), wireName(c.Function.Name)
		if args := strings.TrimLeft(c.Function.Arguments, " \t\r\n"); !strings.HasPrefix(args, "{") || !json.Valid([]byte(args)) {
			mended, ok := lenientjson.Object(c.Function.Arguments)
			if !ok {
				mended = json.RawMessage("{}")
			}
			c.Function.Arguments = string(mended)
		}
		out[i] = c
	}
	return out
}

// withoutEmpty removes empty pieces, which servers refuse.
func (w *writer) withoutEmpty(parts []chat.Part, from, to int) chat.Content {
	kept := make([]chat.Part, 0, len(parts))
	for i, p := range parts {
		if p.ImageURL == nil && p.File == nil && p.Text == "" {
			continue
		}
		w.move(from, i, to, len(kept), 0)
		kept = append(kept, p)
	}
	if len(kept) == 0 {
		return chat.Text("")
	}
	return chat.Content{Parts: kept}
}

// splitShown returns the text of a tool's message and collects its images and documents, each group
// under a line that names its source.
func (w *writer) splitShown(m chat.Message, from, to int) string {
	var b strings.Builder
	n := 0
	var notes []string
	for i, p := range m.Content.Parts {
		switch {
		case p.Type != chat.PartImage && p.File == nil:
			w.move(from, i, to, 0, b.Len())
			b.WriteString(p.Text)
			continue
		case p.File != nil:
			if why := w.room.Take(p.File); why != "" {
				notes = append(notes, chat.LeftOut(p.File.Name, why))
				continue
			}
		case !w.images:
			notes = append(slices.DeleteFunc(notes, func(n string) bool { return n == noImages }), noImages)
			continue
		}
		if n++; n == 1 {
			w.shown = append(w.shown, chat.Part{Type: chat.PartText, Text: fmt.Sprintf("[Shown by %s, call %s:]", m.Name, m.ToolCallID)})
		}
		w.origin = append(w.origin, Move{From: from, Piece: i, ToPiece: len(w.shown)})
		w.shown = append(w.shown, p)
	}
	for _, note := range notes {
		b.WriteString("\n" + note)
	}
	return b.String()
}
