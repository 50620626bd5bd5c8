package exchange

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// Maker names the maker of the kept items of an answer, which are sent back to nobody else.
func Maker(protocol string, server *url.URL, model string) string {
	return protocol + " " + server.Host + " " + model
}

// Bounds of an item that is kept: more is a mistake or an attack.
const (
	maxKept = 4 << 20 // bytes
	deepest = 32      // levels
)

// IsDeep reports whether JSON is nested too deeply; brackets in its strings count.
func IsDeep(val []byte) bool {
	depth := 0
	for _, c := range val {
		switch c {
		case '{', '[':
			if depth++; depth > deepest {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// Keep records that maker wants an item of JSON back at this place of the answer. It is emitted
// with the next chunk, so that a retry before the first token discards it.
func (a *Answer) Keep(maker string, item []byte) {
	var text bytes.Buffer
	if len(item) > maxKept || IsDeep(item) || json.Compact(&text, item) != nil {
		return
	}
	a.maker = maker
	a.held = append(a.held, chat.KeptItem{Text: a.text, Calls: a.calls, Item: text.Bytes()})
}

// kept returns the items that were not emitted yet, once.
func (a *Answer) kept() *chat.Kept {
	if len(a.held) == 0 {
		return nil
	}
	k := &chat.Kept{Maker: a.maker, Items: a.held}
	a.held = nil
	return k
}

// Piece is a piece of an answer: a part of its text, a call or a kept item.
type Piece struct {
	Text string
	Call *chat.ToolCall
	Kept json.RawMessage
}

// isItem reports whether an item can come from a server: its file may have been edited.
func isItem(item chat.KeptItem) bool { return len(item.Item) > 0 && item.Item[0] == '{' }

// Pieces returns the parts of an answer in order, with the items that maker wants back. It omits
// text of only white space, and items with nothing after them: servers refuse both.
func Pieces(m chat.Message, maker string) []Piece {
	text, calls := m.Content.String(), m.ToolCalls
	var out []Piece
	at, done := 0, 0
	to := func(end, count int) {
		if end = len(clip.Bytes(text, max(at, end))); end > at { // a character ends there, though the text may have been edited
			if s := text[at:end]; strings.TrimSpace(s) != "" {
				out = append(out, Piece{Text: s})
			}
			at = end
		}
		for ; done < min(count, len(calls)); done++ {
			out = append(out, Piece{Call: &calls[done]})
		}
	}
	for _, item := range m.Kept.For(maker) {
		if !isItem(item) {
			continue
		}
		to(item.Text, item.Calls)
		out = append(out, Piece{Kept: item.Item})
	}
	to(len(text), len(calls))
	for len(out) > 0 && out[len(out)-1].Kept != nil {
		out = out[:len(out)-1]
	}
	return out
}
