package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
)

// Limits of the stored request, in bytes.
const (
	maxKeptText  = 64 << 10
	maxKeptTotal = 4 << 20
)

// ToolsRole is the role of the message of a Record that holds the definitions
// of tools: they are before all others, as they do for a server's cache.
const ToolsRole = "tools"

// Record is a request, segment by segment, to be shown and to be remembered, so
// that the next one can be compared with it.
type Record struct {
	Number   int       `json:"number"`
	SentMs   int64     `json:"sentMs,omitempty"` // Unix milliseconds; 0: not known
	Model    string    `json:"model,omitempty"`
	Messages []Message `json:"messages"`
}

// Message is a message of a Record.
type Message struct {
	Role     string    `json:"role"`
	Name     string    `json:"name,omitempty"`
	CallID   string    `json:"callId,omitempty"` // of a result
	Parts    bool      `json:"parts,omitempty"`  // its content is a list, not a string
	Cell     string    `json:"cell,omitempty"`
	Segments []Segment `json:"stretches"`
}

// Segment is a piece of a message that comes from one place.
type Segment struct {
	ID        string       `json:"id"`
	Kind      prompt.Kind  `json:"kind"`
	Source    string       `json:"source"`
	Cell      string       `json:"cell,omitempty"`
	Place     prompt.Place `json:"place,omitempty"`
	Piece     int          `json:"piece,omitempty"`
	Tokens    int          `json:"tokens"`
	Estimated bool         `json:"estimated,omitempty"`
	Note      string       `json:"note,omitempty"`
	SHA256    string       `json:"sha256"`
	Text      string       `json:"text,omitempty"`  // as it is sent; empty if too large to store
	Given     bool         `json:"given,omitempty"` // an image that no link leads to
}

// Record cuts the request into segments by its parts. wire is that of Of.
func (r Request) Record(wire provider.Wire) Record {
	record := Record{Model: r.Sent.Model}
	parts := make([][]prompt.Part, len(r.Sent.Messages))
	tools := Message{Role: ToolsRole}
	for _, p := range r.Parts {
		switch {
		case p.Place == prompt.PlaceTools:
			tools.add(p, definition(wire, r.Sent.Tools[p.Piece]), p.Tokens)
		case p.Message >= 0:
			parts[p.Message] = append(parts[p.Message], p)
		}
	}
	if len(tools.Segments) > 0 {
		record.Messages = append(record.Messages, tools)
	}
	for i, m := range r.Sent.Messages {
		rm := Message{Role: string(m.Role), Name: m.Name, CallID: m.ToolCallID, Parts: m.Content.Parts != nil}
		for _, p := range parts[i] {
			if p.Cell != "" && (p.Kind == prompt.KindHistory || p.Kind == prompt.KindPrompt) {
				rm.Cell = p.Cell
			}
		}
		rm.cut(wire, m, parts[i])
		record.Messages = append(record.Messages, rm)
	}
	return record
}

func (m *Message) add(p prompt.Part, text string, tokens int) {
	sum := sha256.Sum256([]byte(text))
	m.Segments = append(m.Segments, Segment{
		ID: p.ID, Kind: p.Kind, Source: p.Source, Cell: p.Cell, Place: p.Place, Piece: p.Piece, Tokens: tokens, Estimated: p.Estimated,
		Note: p.Note, SHA256: hex.EncodeToString(sum[:]), Text: text, Given: p.Given,
	})
}

// cut adds the pieces of a message in order. The text of a frame between its inner parts becomes
// separate segments.
func (m *Message) cut(wire provider.Wire, of chat.Message, parts []prompt.Part) {
	m.Segments = []Segment{}
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		text := textOf(wire, of, p)
		switch {
		case isWhole(p.Kind), p.Place == prompt.PlaceCalls, p.Place == prompt.PlaceKept:
			m.add(p, text, p.Tokens)
			continue
		case p.Kind != prompt.KindFrame:
			m.add(p, within(text, p.Start, p.End), p.Tokens)
			continue
		}
		at, tokens := p.Start, p.Tokens
		for i+1 < len(parts) && parts[i+1].Place == p.Place && parts[i+1].Piece == p.Piece && parts[i+1].Start < p.End {
			i++
			inner := parts[i]
			if inner.Start > at {
				m.add(p, within(text, at, inner.Start), tokens)
				tokens = 0 // the frame's tokens are at its first piece
			}
			m.add(inner, within(text, inner.Start, inner.End), inner.Tokens)
			at = inner.End
		}
		if at < p.End {
			m.add(p, within(text, at, p.End), tokens)
		}
	}
}

// textOf is the text that the bytes of a part are counted in.
func textOf(wire provider.Wire, m chat.Message, p prompt.Part) string {
	switch p.Place {
	case prompt.PlaceReasoning:
		return m.ReasoningContent
	case prompt.PlaceKept:
		return string(m.Kept.Items[p.Piece].Item)
	case prompt.PlaceCalls:
		return callText(wire, m.ToolCalls[p.Piece])
	}
	return pieceOf(m.Content, p.Piece)
}

func within(text string, from, to int) string {
	from = max(0, min(from, len(text)))
	return text[from:max(from, min(to, len(text)))]
}

// Kept returns the part of a record that is stored: without very large texts, images and documents.
// The record itself is not changed.
func (r Record) Kept() Record {
	kept, total := r, 0
	kept.Messages = make([]Message, len(r.Messages))
	for i, m := range r.Messages {
		m.Segments = append([]Segment{}, m.Segments...)
		for k := range m.Segments {
			s := &m.Segments[k]
			if len(s.Text) > maxKeptText || total+len(s.Text) > maxKeptTotal || isWhole(s.Kind) {
				s.Text = ""
			}
			total += len(s.Text)
		}
		kept.Messages[i] = m
	}
	return kept
}

// isWhole reports whether a part is a separate piece that is not text.
func isWhole(k prompt.Kind) bool { return k == prompt.KindImage || k == prompt.KindDocument }

// Short is the beginning of a segment's text for a first look; images and documents are shown, not
// written out.
func (s Segment) Short(most int) (text string, cut bool) {
	if isWhole(s.Kind) {
		return "", false
	}
	text = strings.ToValidUTF8(s.Text[:min(len(s.Text), most)], "")
	return text, len(text) < len(s.Text)
}
