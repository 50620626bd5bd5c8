package tool

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/jsontext"
)

// Repair reads the JSON object that a model meant: fences around it, an
// object inside a string, an empty object before the real one, single quotes,
// bare keys, Python's literals, line breaks in strings, commas too many and
// brackets that were never closed. It guesses, so only tools that read get
// its result. False means that there is no object to be found.
func Repair(s string) (json.RawMessage, bool) {
	var inner string
	if json.Unmarshal([]byte(s), &inner) == nil {
		s = inner
	}
	for range 4 { // "{}" before the real object; never more than a few
		start := strings.IndexByte(s, '{')
		if start < 0 {
			return nil, false
		}
		p := &mender{s: s, pos: start}
		if err := p.value(0); err != nil {
			return nil, false
		}
		out := json.RawMessage(p.out.String())
		if !json.Valid(out) {
			return nil, false
		}
		s = s[p.pos:]
		if string(out) != "{}" || !strings.Contains(s, "{") {
			return out, true
		}
	}
	return nil, false
}

var errMend = errors.New("no JSON")

// mender copies a JSON value from s to out and mends it on the way.
type mender struct {
	s   string
	pos int
	out strings.Builder
}

// maxDepth keeps hostile nesting from using up the stack.
const maxDepth = 100

func (p *mender) value(depth int) error {
	p.space()
	switch c := p.peek(); {
	case depth > maxDepth:
		return errMend
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' || c == '\'':
		return p.text(c)
	case c == 0:
		p.out.WriteString("null")
		return nil
	}
	word := p.word()
	switch word {
	case "":
		return errMend
	case "true", "True":
		p.out.WriteString("true")
	case "false", "False":
		p.out.WriteString("false")
	case "null", "None", "undefined":
		p.out.WriteString("null")
	default:
		if json.Valid([]byte(word)) {
			p.out.WriteString(word)
			return nil
		}
		return p.quote(word)
	}
	return nil
}

func (p *mender) object(depth int) error {
	p.pos++
	p.out.WriteByte('{')
	for first := true; ; first = false {
		p.skip(',')
		c := p.peek()
		if c == '}' || c == 0 {
			if c != 0 {
				p.pos++
			}
			p.out.WriteByte('}')
			return nil
		}
		if !first {
			p.out.WriteByte(',')
		}
		if c == '"' || c == '\'' {
			if err := p.text(c); err != nil {
				return err
			}
		} else if word := p.word(); word == "" {
			return errMend
		} else if err := p.quote(word); err != nil {
			return err
		}
		p.space()
		if p.peek() == ':' || p.peek() == '=' {
			p.pos++
		} else if p.peek() != 0 {
			return errMend
		}
		p.out.WriteByte(':')
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
}

func (p *mender) array(depth int) error {
	p.pos++
	p.out.WriteByte('[')
	for first := true; ; first = false {
		p.skip(',')
		c := p.peek()
		if c == ']' || c == '}' || c == 0 {
			if c == ']' {
				p.pos++
			}
			p.out.WriteByte(']')
			return nil
		}
		if !first {
			p.out.WriteByte(',')
		}
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
}

// text copies a string up to its closing quote, or to the end.
func (p *mender) text(quote byte) error {
	p.pos++
	var b strings.Builder
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		switch {
		case c == quote:
			p.pos++
			return p.quote(b.String())
		case c == '\\' && p.pos+1 < len(p.s):
			n := p.escape(&b)
			p.pos += n
		default:
			b.WriteByte(c)
			p.pos++
		}
	}
	return p.quote(b.String())
}

// escape writes what the escape at pos stands for and returns its length. A
// backslash that escapes nothing stands for itself: C:\Users.
func (p *mender) escape(b *strings.Builder) int {
	rest := p.s[p.pos:]
	switch c := rest[1]; c {
	case '\'', '\n':
		b.WriteByte(c)
		return 2
	case 'u':
		n := 6
		if len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u' { // a pair of surrogates, or two characters
			n = 12
		}
		var s string
		if len(rest) >= n && json.Unmarshal([]byte(`"`+rest[:n]+`"`), &s) == nil {
			b.WriteString(s)
			return n
		}
	default:
		var s string
		if json.Unmarshal([]byte(`"`+rest[:2]+`"`), &s) == nil {
			b.WriteString(s)
			return 2
		}
	}
	b.WriteByte('\\')
	return 1
}

func (p *mender) quote(s string) error {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	raw, err := jsontext.Marshal(s)
	p.out.Write(raw)
	return err
}

// word takes a bare word: a number, a literal, a key without quotes.
func (p *mender) word() string {
	start := p.pos
	for p.pos < len(p.s) && !strings.ContainsRune(" \t\r\n,:={}[]\"'", rune(p.s[p.pos])) {
		p.pos++
	}
	return p.s[start:p.pos]
}

func (p *mender) space() {
	for p.pos < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *mender) skip(c byte) {
	for p.space(); p.peek() == c; p.space() {
		p.pos++
	}
}

func (p *mender) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}
