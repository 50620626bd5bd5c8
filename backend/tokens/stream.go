package tokens

import (
	"strings"
	"unicode/utf8"
)

// Stream counts a text that arrives in pieces, so that its count is always known without counting
// all of it again. It is for one goroutine.
type Stream struct {
	by      *Counter // nil: it estimates
	counted int      // tokens counted so far
	rest    strings.Builder
	all     weights
}

// pending is how much uncounted text may accumulate, in bytes.
const pending = 4 << 10

// Stream begins a text.
func (c *Counter) Stream() *Stream { return &Stream{by: c} }

// Add adds a piece.
func (s *Stream) Add(piece string) {
	if !s.by.Exact() {
		s.all.add(piece)
		return
	}
	s.rest.WriteString(piece)
	if s.rest.Len() < 2*pending {
		return
	}
	text := s.rest.String()
	at := cut(text, pending)
	s.counted += s.by.uncached(text[:at])
	s.rest.Reset()
	s.rest.WriteString(text[at:])
}

// cut is where a text can be parted, at or before a byte: a word begins there.
func cut(text string, at int) int {
	if space := strings.LastIndexByte(text[:at], ' '); space > 0 {
		return space
	}
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// Tokens is the count of everything added.
func (s *Stream) Tokens() int {
	if !s.by.Exact() {
		return s.all.tokens()
	}
	return s.counted + s.by.uncached(s.rest.String())
}

// uncached counts a text that will not be counted again.
func (c *Counter) uncached(s string) int {
	n, err := c.codec.Count(s)
	if err != nil {
		return Estimate(s)
	}
	return n
}
