package notebook

import (
	"bytes"
	"regexp"

	"mutsumi/backend/jsontext"
)

// lenient reads text that once was JSON and writes valid JSON, whatever it
// is given: texts are closed where they break off, raw line breaks in them are
// escaped, missing and surplus commas do not matter, words that are no values
// become null, what is open at the end is closed.
type lenient struct {
	b   []byte
	i   int
	out []byte
}

const lenientDepth = 200

func (l *lenient) space() {
	for l.i < len(l.b) && l.b[l.i] <= ' ' {
		l.i++
	}
}

func (l *lenient) end() bool { return l.i >= len(l.b) }

func (l *lenient) value(depth int) {
	l.space()
	if l.end() || depth > lenientDepth {
		l.i = len(l.b)
		l.out = append(l.out, "null"...)
		return
	}
	switch l.b[l.i] {
	case '{':
		l.object(depth)
	case '[':
		l.array(depth)
	case '"':
		l.str()
	case ',', '}', ']': // the value is missing
		l.out = append(l.out, "null"...)
	default:
		l.word()
	}
}

// word passes a number or a name; what is no JSON value becomes null.
func (l *lenient) word() {
	start := l.i
	for !l.end() && bytes.IndexByte([]byte(" \t\r\n,:{}[]\""), l.b[l.i]) < 0 {
		l.i++
	}
	if l.i == start {
		l.i++ // a character that cannot stand here
	}
	s := scanner{b: l.b[start:l.i]}
	if s.value() && s.i == len(s.b) {
		l.out = append(l.out, s.b...)
		return
	}
	l.out = append(l.out, "null"...)
}

func (l *lenient) object(depth int) {
	l.i++
	l.out = append(l.out, '{')
	for {
		l.skip(",")
		if l.end() || l.b[l.i] == '}' || l.b[l.i] == ']' {
			break
		}
		if l.b[l.i] != '"' { // no key: on to the next one
			for !l.end() && bytes.IndexByte([]byte("\",}]"), l.b[l.i]) < 0 {
				l.i++
			}
			continue
		}
		mark := len(l.out)
		if l.out[mark-1] != '{' {
			l.out = append(l.out, ',')
		}
		l.str()
		if l.space(); l.end() || l.b[l.i] != ':' {
			l.out = l.out[:mark] // a key without a value
			continue
		}
		l.i++
		l.out = append(l.out, ':')
		l.value(depth + 1)
	}
	l.i = min(l.i+1, len(l.b))
	l.out = append(l.out, '}')
}

func (l *lenient) array(depth int) {
	l.i++
	l.out = append(l.out, '[')
	for first := true; ; first = false {
		l.skip(",:")
		if l.end() || l.b[l.i] == ']' || l.b[l.i] == '}' {
			break
		}
		if !first {
			l.out = append(l.out, ',')
		}
		l.value(depth + 1)
	}
	l.i = min(l.i+1, len(l.b))
	l.out = append(l.out, ']')
}

func (l *lenient) skip(chars string) {
	for !l.end() && (l.b[l.i] <= ' ' || bytes.IndexByte([]byte(chars), l.b[l.i]) >= 0) {
		l.i++
	}
}

// structure is a line that looks like JSON, not like a person's text: a text
// that has no closing quote ends before it.
var structure = regexp.MustCompile(`^[ \t]*("[A-Za-z_]+"[ \t]*:|[{}\]\[][{}\]\[,]*[ \t\r]*(\n|$))`)

func (l *lenient) str() {
	l.i++
	l.out = append(l.out, '"')
	start := len(l.out)
	for !l.end() {
		c := l.b[l.i]
		switch {
		case c == '"':
			l.i++
			l.out = append(l.out, '"')
			return
		case c == '\\':
			if n := escapeLen(l.b[l.i:]); n > 0 {
				l.out = append(l.out, l.b[l.i:l.i+n]...)
				l.i += n
				continue
			}
			if l.i+6 > len(l.b) { // an escape that was cut off
				l.i = len(l.b)
				continue
			}
			l.out = append(l.out, '\\', '\\')
			l.i++
		case c == '\n' && structure.Match(l.b[l.i+1:]):
			l.i++
			l.out = append(l.out[:start], bytes.TrimRight(l.out[start:], ",\r")...)
			l.out = append(l.out, '"')
			return
		case c < ' ':
			l.out = append(l.out, jsontext.AppendString(nil, string(rune(c)))[1:]...)
			l.out = l.out[:len(l.out)-1] // the closing quote
			l.i++
		default:
			l.out = append(l.out, c)
			l.i++
		}
	}
	l.out = append(l.out, '"')
}
