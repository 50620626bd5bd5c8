// Package lenientjson reads text that is nearly JSON and writes valid JSON.
//
// Object reads a model's intended object and may fail; Value reads the rest of a damaged text and
// never fails. Both close what is open at the end, escape raw line breaks in strings, and tolerate
// missing or extra commas. Neither reads a file. encoding/json or the notebook's own scanner reads
// valid text.
package lenientjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"mutsumi/backend/jsontext"
	"mutsumi/backend/lazyregexp"
)

// maxDepth keeps hostile nesting from using up the stack.
const maxDepth = 200

// Object returns the JSON object that a model meant: with fences or prose
// around it, inside a JSON string, after an empty object, with single quotes,
// bare keys, bare words for strings, Python's literals, or brackets that were
// never closed. It guesses, so only a tool that changes nothing may run with
// the result. False means that no object was found.
func Object(text string) (json.RawMessage, bool) {
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = inner
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	for range 4 { // "{}" before the real object; never more than a few
		start := strings.IndexByte(text, '{')
		if start < 0 {
			return nil, false
		}
		r := reader{s: text, i: start, guess: true}
		if r.value(0); r.failed {
			return nil, false
		}
		text = text[r.i:]
		if string(r.out) != "{}" || !strings.Contains(text, "{") {
			return r.out, true
		}
	}
	return nil, false
}

// Value returns the JSON value at the start of damaged, null if there is none. Nothing is guessed:
// anything but a JSON value becomes null, a key without a value is omitted, and a string without a
// closing quote ends before a line that looks like JSON.
func Value(damaged []byte) []byte {
	if !utf8.Valid(damaged) {
		damaged = bytes.ToValidUTF8(damaged, []byte("\uFFFD"))
	}
	r := reader{s: string(damaged)}
	r.value(0)
	return r.out
}

// reader copies a value from s to out and mends it on the way.
type reader struct {
	s      string
	i      int
	out    []byte
	guess  bool // for Object: forms of other languages are read too
	failed bool // only Object heeds it
}

// fail gives up: it skips the rest and writes null as the value.
func (r *reader) fail() {
	r.failed = true
	r.i = len(r.s)
	r.out = append(r.out, "null"...)
}

func (r *reader) value(depth int) {
	r.skip("")
	switch c := r.peek(); {
	case depth >= maxDepth:
		r.fail()
	case r.end():
		r.out = append(r.out, "null"...)
	case c == '{':
		r.object(depth)
	case c == '[':
		r.array(depth)
	case r.isQuote(c):
		r.text(c)
	case r.guess && strings.IndexByte(",:=}]", c) >= 0:
		r.fail()
	case c == ',' || c == '}' || c == ']': // the value is missing
		r.out = append(r.out, "null"...)
	default:
		r.bare()
	}
}

// bare passes a number, a literal or a word without quotes.
func (r *reader) bare() {
	word := r.word()
	switch word {
	case "":
		r.i++ // a character that is not allowed here
		r.out = append(r.out, "null"...)
	case "True":
		r.out = append(r.out, "true"...)
	case "False":
		r.out = append(r.out, "false"...)
	case "None", "undefined":
		r.out = append(r.out, "null"...)
	default:
		switch {
		case json.Valid([]byte(word)):
			r.out = append(r.out, word...)
		case r.guess:
			r.out = jsontext.AppendString(r.out, word)
		default:
			r.out = append(r.out, "null"...)
		}
	}
}

func (r *reader) object(depth int) {
	r.i++
	r.out = append(r.out, '{')
	for {
		r.skip(",")
		if c := r.peek(); r.end() || c == '}' || c == ']' && !r.guess {
			break
		}
		mark := len(r.out)
		if r.out[mark-1] != '{' {
			r.out = append(r.out, ',')
		}
		if !r.key() {
			r.out = r.out[:mark]
			for !r.end() && strings.IndexByte("\",}]", r.peek()) < 0 { // on to the next key
				r.i++
			}
			continue
		}
		r.skip("")
		switch c := r.peek(); {
		case c == ':' || c == '=' && r.guess:
			r.i++
		case !r.guess: // a key without a value
			r.out = r.out[:mark]
			continue
		case !r.end():
			r.fail()
			continue
		}
		r.out = append(r.out, ':')
		r.value(depth + 1)
	}
	r.i = min(r.i+1, len(r.s))
	r.out = append(r.out, '}')
}

// key writes a key. False means that there is none here.
func (r *reader) key() bool {
	if c := r.peek(); r.isQuote(c) {
		r.text(c)
		return true
	}
	if !r.guess {
		return false
	}
	word := r.word()
	if word == "" {
		r.fail()
		return false
	}
	r.out = jsontext.AppendString(r.out, word)
	return true
}

func (r *reader) array(depth int) {
	r.i++
	r.out = append(r.out, '[')
	separators := ",:"
	if r.guess {
		separators = ","
	}
	for first := true; ; first = false {
		r.skip(separators)
		if c := r.peek(); r.end() || c == ']' || c == '}' {
			break
		}
		if !first {
			r.out = append(r.out, ',')
		}
		r.value(depth + 1)
	}
	if !r.guess || r.peek() == ']' { // a model forgets a bracket sooner than it mistakes one
		r.i = min(r.i+1, len(r.s))
	}
	r.out = append(r.out, ']')
}

// structure is a line that looks like JSON, not like a person's text.
var structure = lazyregexp.New(`^[ \t]*("[A-Za-z_]+"[ \t]*:|[{}\]\[][{}\]\[,]*[ \t\r]*(\n|$))`)

// breaksOff reports whether a line break followed by such a line is next.
func (r *reader) breaksOff() bool {
	next, ok := strings.CutPrefix(strings.TrimPrefix(r.s[r.i:], "\r"), "\n")
	return ok && structure.MatchString(next)
}

// text copies a string up to its closing quote, or to the end.
func (r *reader) text(quote byte) {
	r.i++
	r.out = append(r.out, '"')
	start := len(r.out)
	for !r.end() {
		c := r.peek()
		switch {
		case c == quote:
			r.i++
			r.out = append(r.out, '"')
			return
		case c == '\\':
			r.escape()
		case (c == '\n' || c == '\r') && !r.guess && r.breaksOff():
			r.out = append(r.out[:start], bytes.TrimRight(r.out[start:], ",")...)
			r.out = append(r.out, '"')
			return
		case c < ' ' || c == '"':
			r.put(rune(c))
			r.i++
		default:
			from := r.i
			for r.i < len(r.s) && r.s[r.i] >= ' ' && r.s[r.i] != '"' && r.s[r.i] != '\\' && r.s[r.i] != quote {
				r.i++
			}
			r.out = append(r.out, r.s[from:r.i]...)
		}
	}
	r.out = append(r.out, '"')
}

// put writes a character, escaped if it must be.
func (r *reader) put(c rune) {
	at := len(r.out)
	r.out = jsontext.AppendString(r.out, string(c))
	copy(r.out[at:], r.out[at+1:])
	r.out = r.out[:len(r.out)-2]
}

// escape skips the next escape. A backslash that escapes nothing is literal, as in C:\Users; a
// truncated escape is dropped.
func (r *reader) escape() {
	rest := r.s[r.i:]
	switch {
	case len(rest) == 1:
		r.i = len(r.s)
	case strings.IndexByte(`"\/bfnrt`, rest[1]) >= 0:
		r.out = append(r.out, rest[:2]...)
		r.i += 2
	case r.guess && (rest[1] == '\'' || rest[1] == '\n'):
		r.put(rune(rest[1]))
		r.i += 2
	case rest[1] == 'u' && r.unicode(rest):
	default:
		r.out = append(r.out, `\\`...)
		r.i++
	}
}

// unicode passes a \u escape, or two that are one character. Half a character
// stays as it is written. False means that this is not such an escape.
func (r *reader) unicode(rest string) bool {
	if len(rest) < 6 {
		for _, c := range rest[2:] {
			if !strings.ContainsRune("0123456789abcdefABCDEF", c) {
				return false
			}
		}
		r.i = len(r.s)
		return true
	}
	c, ok := hex4(rest)
	if !ok {
		return false
	}
	r.i += 6
	if utf16.IsSurrogate(c) {
		low, _ := hex4(rest[6:])
		if c = utf16.DecodeRune(c, low); c == utf8.RuneError {
			r.out = append(r.out, rest[:6]...)
			return true
		}
		r.i += 6
	}
	r.put(c)
	return true
}

// hex4 reads the number of a \u escape.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// word reads up to the next space or bracket, quote or separator.
func (r *reader) word() string {
	ends := `,:{}[]"`
	if r.guess {
		ends = `,:={}[]"'`
	}
	start := r.i
	for c := r.peek(); c > ' ' && strings.IndexByte(ends, c) < 0; c = r.peek() {
		r.i++
	}
	return r.s[start:r.i]
}

// skip passes over white space, control characters, and the bytes of also.
func (r *reader) skip(also string) {
	for !r.end() && (r.peek() <= ' ' || strings.IndexByte(also, r.peek()) >= 0) {
		r.i++
	}
}

func (r *reader) isQuote(c byte) bool { return c == '"' || c == '\'' && r.guess }

func (r *reader) end() bool { return r.i >= len(r.s) }

// peek returns the next byte, 0 at the end.
func (r *reader) peek() byte {
	if r.end() {
		return 0
	}
	return r.s[r.i]
}
