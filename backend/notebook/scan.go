package notebook

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// maxDepth bounds the nesting of a file, so that a hostile one cannot exhaust
// the stack.
const maxDepth = 1000

// indents is a line break and the indentation of the deepest level.
var indents = "\n" + strings.Repeat("  ", maxDepth+1)

// A scanner checks JSON text in one pass, without copying or allocating. It also notes whether the
// text is in the program's own layout (JSON.stringify with an indent of two), because such text can
// be kept and written again as it is.
//
// Its methods return false at the first error; fail is the message, b[i] the place.
type scanner struct {
	b         []byte
	i         int
	depth     int
	canonical bool   // false once white space differs from our own layout
	chars     int    // characters of the string passed last
	exact     bool   // that string is as jsontext writes it
	fail      string // for a person
}

func (s *scanner) bad(msg string) bool {
	if s.fail == "" {
		if s.i >= len(s.b) {
			msg = "the text ends too early: " + msg
		}
		s.fail = msg
	}
	return false
}

// peek returns the next byte, 0 at the end. A NUL in the text is never valid
// outside a string, so both lead to the same error.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\r', '\t':
			s.i++
		default:
			return
		}
	}
}

// noGap, oneSpace and newLine skip the white space that our own layout has there, and any other.
func (s *scanner) noGap() {
	if s.peek() <= ' ' {
		s.canonical = false
		s.space()
	}
}

func (s *scanner) oneSpace() {
	if s.i+1 < len(s.b) && s.b[s.i] == ' ' && s.b[s.i+1] > ' ' {
		s.i++
		return
	}
	s.canonical = false
	s.space()
}

func (s *scanner) newLine() {
	n := 1 + 2*s.depth
	if end := s.i + n; end < len(s.b) && s.b[end] > ' ' && string(s.b[s.i:end]) == indents[:n] {
		s.i = end
		return
	}
	s.canonical = false
	s.space()
}

func (s *scanner) value() bool {
	switch c := s.peek(); {
	case c == '"':
		return s.str()
	case c == '{':
		return s.object(nil)
	case c == '[':
		return s.array(nil)
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return s.bad("expected a value here")
}

func (s *scanner) literal(word string) bool {
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		return s.bad("expected " + word + " here")
	}
	s.i += len(word)
	return true
}

// object passes an object. With member, that is called with the raw key at
// each value and has to pass the value itself.
func (s *scanner) object(member func(key []byte) bool) bool {
	if !s.enter() {
		return false
	}
	if s.peek() == '}' {
		return s.leave()
	}
	s.newLine()
	if s.peek() == '}' {
		return s.leave()
	}
	for {
		if s.peek() != '"' {
			return s.bad("expected a key in double quotes here")
		}
		start := s.i
		if !s.str() {
			return false
		}
		key := s.b[start:s.i]
		s.noGap()
		if s.peek() != ':' {
			return s.bad("expected a colon after the key")
		}
		s.i++
		s.oneSpace()
		if member == nil {
			if !s.value() {
				return false
			}
		} else if !member(key) {
			return false
		}
		if more, ok := s.next('}', "expected a comma or } after this value"); !more {
			return ok
		}
	}
}

// array passes an array; element, if there is one, has to pass each value.
func (s *scanner) array(element func() bool) bool {
	if !s.enter() {
		return false
	}
	if s.peek() == ']' {
		return s.leave()
	}
	s.newLine()
	if s.peek() == ']' {
		return s.leave()
	}
	for {
		if element == nil {
			if !s.value() {
				return false
			}
		} else if !element() {
			return false
		}
		if more, ok := s.next(']', "expected a comma or ] after this value"); !more {
			return ok
		}
	}
}

func (s *scanner) enter() bool {
	if s.depth >= maxDepth {
		return s.bad("this is nested too deeply")
	}
	s.depth++
	s.i++
	return true
}

func (s *scanner) leave() bool {
	s.depth--
	s.i++
	return true
}

// next skips the text between two members, or the closing bracket.
func (s *scanner) next(closing byte, expected string) (more, ok bool) {
	if s.peek() != ',' {
		s.depth--
		s.newLine()
		switch s.peek() {
		case closing:
			s.i++
			return false, true
		case ',':
			s.canonical = false
			s.depth++
		default:
			return false, s.bad(expected)
		}
	}
	s.i++
	s.newLine()
	if s.peek() == closing {
		return false, s.bad("there is a comma too many before this bracket")
	}
	return true, true
}

func (s *scanner) number() bool {
	digits := func() bool {
		start := s.i
		for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
			s.i++
		}
		return s.i > start
	}
	if s.peek() == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
		if c := s.peek(); '0' <= c && c <= '9' {
			return s.bad("a number must not start with 0")
		}
	} else if !digits() {
		return s.bad("expected a digit here")
	}
	if s.peek() == '.' {
		s.i++
		if !digits() {
			return s.bad("expected a digit here")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		if !digits() {
			return s.bad("expected a digit here")
		}
	}
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str skips a string, sixteen bytes at a time where nothing ends or escapes, and counts its
// characters.
func (s *scanner) str() bool {
	b, i := s.b, s.i+1
	start, fewer, high := i, 0, -1 // fewer: bytes that are not characters of their own
	s.exact = true
	for {
		rest := b[i:]
		for len(rest) >= 16 {
			x, y := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
			stop, inner := stops(x), continued(x)
			if next := stops(y); stop|next == 0 {
				fewer += bits.OnesCount64(inner | continued(y)<<1)
				rest = rest[16:]
				continue
			} else if stop == 0 {
				fewer += bits.OnesCount64(inner)
				rest, stop, inner = rest[8:], next, continued(y)
			}
			n := bits.TrailingZeros64(stop) &^ 7
			fewer += bits.OnesCount64(inner & (1<<n - 1))
			rest = rest[n>>3:]
			if len(rest) < 2 || rest[0] != '\\' || !shortEscape[rest[1]] {
				break
			}
			fewer++
			rest = rest[2:]
		}
		i = len(b) - len(rest)
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			if b[i]&0xC0 == 0x80 {
				fewer++
			}
			i++
		}
		if i >= len(b) {
			s.i = i
			return s.bad("this text has no closing quote")
		}
		switch c := b[i]; {
		case c == '"':
			s.i, s.chars = i+1, i-start-fewer
			return true
		case c < ' ':
			s.i = i
			return s.bad("a text holds a raw line break or control character")
		}
		n := escapeLen(b[i:])
		if n == 0 {
			s.i = i
			return s.bad(`this is no valid \ escape`)
		}
		fewer += n - 1
		if b[i+1] == '/' || n == 6 && !ownEscape(b[i:]) {
			s.exact = false
		}
		if n == 6 {
			switch r := hex4(b[i+2:]); {
			case r>>10 == 0xD800>>10:
				high = i + 6
			case r>>10 == 0xDC00>>10 && high == i:
				fewer++ // the second half of a pair
			}
		}
		i += n
	}
}

// stops marks the first of eight bytes that ends or escapes in a string, or must not be in one: the
// lowest bit that it sets is the highest bit of that byte; 0: there is none.
func stops(x uint64) uint64 {
	// Without the bit 2, a quote is less than an exclamation mark with it, as control characters
	// are.
	low, slash := x^(ones*2), x^(ones*'\\')
	return ((low-ones*'!')&^low | (slash-ones)&^slash) & highs
}

// continued sets the lowest bit of each of eight bytes that continues with a character, 10xxxxxx.
func continued(x uint64) uint64 { return (x >> 7) &^ (x >> 6) & ones }

// shortEscape are the characters of the escapes of two bytes that jsontext writes.
var shortEscape = [256]bool{'"': true, '\\': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// ownEscape reports whether jsontext writes an escape of six bytes: that of a control
// character which has no shorter one, in small letters.
func ownEscape(b []byte) bool {
	r := hex4(b[2:])
	return r < ' ' && bytes.IndexByte([]byte("\b\t\n\f\r"), byte(r)) < 0 && (b[5] < 'A' || b[5] > 'F')
}

// escapeLen returns the length of the escape at the start of b, 0 if there is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && hex4(b[2:]) >= 0 {
			return 6
		}
	}
	return 0
}

// hex4 reads four hexadecimal digits, -1 for anything else.
func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
