package notebook

import (
	"bytes"
	"unicode/utf8"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"

	asmutf8 "github.com/segmentio/asm/utf8"
)

// DamagedError is the error for a file that is not a notebook: what is wrong, and where. It is a
// fault of kind Invalid.
type DamagedError struct{ Problem Problem }

func (e *DamagedError) Error() string { return e.fault().Message }

// Unwrap returns the error as the fault that the interface shows.
func (e *DamagedError) Unwrap() error { return e.fault() }

func (e *DamagedError) fault() *fault.Error {
	return fault.New(fault.Invalid, "line %d, column %d: %s", e.Problem.Line, e.Problem.Column, e.Problem.Message)
}

var byteOrderMark = []byte("\uFEFF")

// Parse reads the text of a notebook file. The error is a *DamagedError. The document keeps parts
// of data, which must no longer change.
//
// Parse accepts UTF-8, with or without a byte order mark, in any layout. "metadata" must be an
// object and "context" a list of objects, each with a role. Everything else is kept as it is.
func Parse(data []byte) (*Document, error) {
	p := parser{scanner: scanner{b: data, canonical: true}, metaAt: -1, contextAt: -1}
	valid := validity(data)
	whole := p.file()
	if !valid() {
		p.i, p.fail = invalidUTF8(data), ""
		p.bad("the text is not UTF-8 here")
	} else if whole {
		return p.document(), nil
	}
	line, column := position(data, p.i)
	return nil, &DamagedError{Problem{Message: p.fail, Line: line, Column: column, Repairable: repairable(data)}}
}

// validBeside is the size from which checking UTF-8 concurrently with the scan is worthwhile.
const validBeside = 256 << 10

// validity begins to look whether a text is UTF-8, and returns what waits for the answer.
func validity(data []byte) func() bool {
	if len(data) < validBeside {
		return func() bool { return asmutf8.Valid(data) }
	}
	answer := make(chan bool, 1)
	go func() { answer <- asmutf8.Valid(data) }()
	return func() bool { return <-answer }
}

type parser struct {
	scanner
	top               []member
	metaAt, contextAt int // in top
	meta              []member
	messages          []*message
}

func (p *parser) file() bool {
	if bytes.HasPrefix(p.b, byteOrderMark) {
		p.i = len(byteOrderMark)
	}
	p.space()
	if p.i == len(p.b) {
		p.fail = "the file is empty"
		return false
	}
	if p.peek() != '{' {
		return p.bad("a notebook starts with {")
	}
	if !p.object(p.topMember) {
		return false
	}
	p.space()
	switch {
	case p.i < len(p.b):
		return p.bad("there is more text after the end of the notebook")
	case p.metaAt < 0:
		p.i = 0
		return p.bad(`"metadata" is missing: this is JSON, but no notebook`)
	case p.contextAt < 0:
		p.i = 0
		return p.bad(`"context" is missing: this is JSON, but no notebook`)
	}
	return true
}

func (p *parser) topMember(key []byte) bool {
	switch {
	case keyIs(key, "metadata"):
		if p.peek() != '{' {
			return p.bad(`"metadata" must be an object`)
		}
		if p.metaAt >= 0 { // a duplicate: the last one counts, the others stay as they are
			p.top[p.metaAt].val = (&metadata{members: p.meta}).text()
		}
		p.metaAt, p.meta = len(p.top), nil
		p.top = append(p.top, member{key: key})
		return p.object(p.metaMember)
	case keyIs(key, "context"):
		if p.peek() != '[' {
			return p.bad(`"context" must be a list of messages`)
		}
		if p.contextAt >= 0 {
			p.top[p.contextAt].val = contextText(p.messages)
		}
		p.contextAt, p.messages = len(p.top), nil
		p.top = append(p.top, member{key: key})
		return p.list()
	}
	val, ok := p.kept()
	p.top = append(p.top, member{key, val})
	return ok
}

func (p *parser) metaMember(key []byte) bool {
	val, ok := p.kept()
	p.meta = append(p.meta, member{key, val})
	return ok
}

// kept skips a value and returns its text in our own layout: a part of the file if it is laid out
// like that already.
func (p *parser) kept() ([]byte, bool) {
	start, depth := p.i, p.depth
	p.canonical = true
	if !p.value() {
		return nil, false
	}
	return p.own(start, depth), true
}

func (p *parser) own(start, depth int) []byte {
	raw := p.b[start:p.i:p.i]
	if !p.canonical {
		raw = normalise(make([]byte, 0, len(raw)+len(raw)/8), raw, depth)
	}
	return raw
}

func (p *parser) message() bool {
	if p.peek() != '{' {
		return p.bad("a message must be an object")
	}
	start, depth := p.i, p.depth
	m := &message{}
	hasRole, parts := false, false
	p.canonical = true
	ok := p.object(func(key []byte) bool {
		at := p.i
		switch {
		case keyIs(key, "role"):
			if p.peek() != '"' {
				return p.bad("the role of a message must be a text")
			}
			hasRole = true
			if !p.str() {
				return false
			}
			m.role = roleOf(p.b[at:p.i])
			return true
		case keyIs(key, "content"):
			if !p.value() {
				return false
			}
			m.count, m.own, parts = 0, false, p.b[at] == '['
			m.content = p.b[at:p.i:p.i]
			if p.b[at] == '"' {
				m.count, m.own = p.chars, p.exact
			}
			return true
		}
		return p.value()
	})
	if !ok {
		return false
	}
	if !hasRole {
		p.i = start
		return p.bad("this message has no role")
	}
	if m.text = p.own(start, depth); !p.canonical {
		m.content = nil
	}
	if parts {
		m.count = contentChars(get(m.raw(), "content"))
	}
	p.messages = append(p.messages, m)
	return true
}

// roleOf avoids an allocation for the usual roles.
func roleOf(raw []byte) chat.Role {
	switch string(raw) {
	case `"user"`:
		return chat.User
	case `"assistant"`:
		return chat.Assistant
	case `"tool"`:
		return chat.Tool
	case `"system"`:
		return chat.System
	}
	return chat.Role(unquote(raw))
}

func (p *parser) document() *Document {
	d := newDocument()
	d.top, d.metaAt, d.contextAt = p.top, p.metaAt, p.contextAt
	d.meta.members = p.meta
	d.meta.readBranches()
	d.cells.list = d.cells.derive(p.messages)
	d.cells.places = nil
	return d
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// position returns line and column of an offset, both from 1.
func position(b []byte, offset int) (line, column int) {
	before := b[:min(offset, len(b))]
	start := bytes.LastIndexByte(before, '\n') + 1
	if start == 0 {
		before = bytes.TrimPrefix(before, byteOrderMark)
	}
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}

// messageStart matches where a message may begin. Quotes inside a text are
// escaped, so it never matches there.
var messageStart = lazyregexp.New(`\{\s*"(role|content)"\s*:`)

// repairable reports whether there is something for Repair to begin with.
func repairable(b []byte) bool {
	return metadataStart.Match(b) || messageStart.Match(b)
}
