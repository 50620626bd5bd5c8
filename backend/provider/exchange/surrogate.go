package exchange

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A character beyond the first 65,536 is written in JSON as two escapes, and
// some servers cut a text between them. Unquote keeps a half at either end of a
// piece as the three bytes that UTF-8 would have for it, which no valid text
// has, and Halves joins it with the other one.

// unquoteHalves reads a JSON string that may begin or end within a character.
func unquoteHalves(b []byte, s *string) error {
	inner := string(b[1 : len(b)-1])
	var first, last string
	if r, ok := half(inner, 0); ok && r >= 0xDC00 {
		first, inner = wide(r), inner[6:]
	}
	if n := len(inner) - 6; n >= 0 {
		if r, ok := half(inner, n); ok && r < 0xDC00 && !escaped(inner, n) {
			last, inner = wide(r), inner[:n]
		}
	}
	if err := json.Unmarshal([]byte(`"`+inner+`"`), s); err != nil {
		return err
	}
	*s = first + *s + last
	return nil
}

// half reads an escaped surrogate half at a place of a text.
func half(s string, at int) (rune, bool) {
	if len(s) < at+6 || s[at] != '\\' || s[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[at+2:at+6], 16, 16)
	return rune(n), err == nil && utf16.IsSurrogate(rune(n))
}

// escaped reports whether the backslash at a place is the second of a pair.
func escaped(s string, at int) bool {
	before := s[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// wide returns the three bytes of a half.
func wide(r rune) string {
	return string([]byte{0xE0 | byte(r>>12), 0x80 | byte(r>>6)&0x3F, 0x80 | byte(r)&0x3F})
}

// halfAt returns the surrogate half whose three bytes are at a place of a text.
func halfAt(s string, at int) (rune, bool) {
	if at < 0 || len(s) < at+3 || s[at] != 0xED || s[at+1] < 0xA0 {
		return 0, false
	}
	return rune(s[at]&0x0F)<<12 | rune(s[at+1]&0x3F)<<6 | rune(s[at+2]&0x3F), true
}

// Halves joins surrogate halves across the pieces of one text. The zero value is ready.
type Halves struct{ held string }

// Add returns the complete part of the text after its next piece.
func (h *Halves) Add(piece string) string {
	if h.held == "" && utf8.ValidString(piece) {
		return piece
	}
	if piece == "" {
		return ""
	}
	high, _ := halfAt(h.held, 0)
	if low, ok := halfAt(piece, 0); ok && h.held != "" {
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			h.held, piece = "", string(r)+piece[3:]
		}
	}
	piece, h.held = h.held+piece, ""
	if r, ok := halfAt(piece, len(piece)-3); ok && r < 0xDC00 {
		h.held, piece = piece[len(piece)-3:], piece[:len(piece)-3]
	}
	return strings.ToValidUTF8(piece, "\uFFFD")
}

// Rest returns the replacement for a half that remained alone at the end.
func (h *Halves) Rest() string {
	if h.held == "" {
		return ""
	}
	h.held = ""
	return "\uFFFD"
}

// Unquote reads a JSON string, which may begin or end within a character; most
// have nothing escaped.
func Unquote(b []byte, s *string) error {
	if bytes.IndexByte(b, '\\') < 0 && isASCII(b) {
		*s = string(b[1 : len(b)-1])
		return nil
	}
	return unquoteHalves(b, s)
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// String is a JSON string that may begin or end within a character. Anything
// else than a string is empty.
type String string

// UnmarshalJSON implements json.Unmarshaler.
func (s *String) UnmarshalJSON(b []byte) error {
	*s = ""
	if len(b) == 0 || b[0] != '"' {
		return nil
	}
	return Unquote(b, (*string)(s))
}
