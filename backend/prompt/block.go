package prompt

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	blockOpen  = "<content_reference>\n"
	blockClose = "\n</content_reference>"
)

// block writes the content reference block (SPEC 5.5) and notes which bytes of
// it came from which entry.
type block struct {
	out   strings.Builder
	spans []span
}

// span is the bytes of one entry.
type span struct {
	entry      *entry
	start, end int
}

// writeBlock writes the block, nil if there are no entries. Keys stand in the
// order that the specification gives; entries in the order given.
func writeBlock(rules, files, tools []*entry) *block {
	size := 128
	for _, list := range [][]*entry{rules, files, tools} {
		for _, e := range list {
			size += len(e.key) + len(e.args) + len(e.content) + len(e.content)/16 + 48
		}
	}
	if len(rules)+len(files)+len(tools) == 0 {
		return nil
	}
	b := &block{}
	b.out.Grow(size)
	b.raw(blockOpen + `{"rules":[`)
	b.list(rules, func(e *entry) {
		b.raw(`{"name":`)
		b.string(e.key)
		b.raw(`,"content":`)
		b.string(e.content)
		b.raw("}")
	})
	b.raw(`],"files":{`)
	b.list(files, func(e *entry) {
		b.string(e.key)
		b.raw(":")
		b.string(e.content)
	})
	b.raw(`},"tools":[`)
	b.list(tools, func(e *entry) {
		b.raw(`{"name":`)
		b.string(e.key)
		b.raw(`,"args":`)
		b.json(e.args)
		b.raw(`,"result":`)
		b.string(e.content)
		b.raw("}")
	})
	b.raw("]")
	b.versions(rules, files)
	b.raw("}" + blockClose)
	return b
}

// versions says which rules and files replace one of the same name in an
// earlier block.
func (b *block) versions(lists ...[]*entry) {
	first := true
	for _, list := range lists {
		for _, e := range list {
			if e.version < 2 {
				continue
			}
			if first {
				b.raw(`,"versions":{`)
			} else {
				b.raw(",")
			}
			first = false
			b.string(e.key)
			b.raw(":" + strconv.Itoa(e.version))
		}
	}
	if !first {
		b.raw("}")
	}
}

func (b *block) raw(s string) { b.out.WriteString(s) }

func (b *block) list(entries []*entry, write func(*entry)) {
	for i, e := range entries {
		if i > 0 {
			b.raw(",")
		}
		start := b.out.Len()
		write(e)
		b.spans = append(b.spans, span{e, start, b.out.Len()})
	}
}

// json writes compact JSON. `<` and `>` occur in its strings only, so they can
// be escaped without looking at it.
func (b *block) json(raw json.RawMessage) {
	if len(raw) == 0 {
		b.raw("{}")
		return
	}
	for _, c := range raw {
		switch c {
		case '<':
			b.raw(`\u003c`)
		case '>':
			b.raw(`\u003e`)
		default:
			b.out.WriteByte(c)
		}
	}
}

// plain are the bytes that stand for themselves in a JSON string of the block.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\' && c != '<' && c != '>'
	}
	return t
}()

// string writes a JSON string in which `<` and `>` are escaped, so that no
// content can close the block. What is no UTF-8 becomes U+FFFD.
func (b *block) string(s string) {
	const hex = "0123456789abcdef"
	b.out.WriteByte('"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b.raw(s[start:i])
				b.raw("\uFFFD")
				start = i + 1
			}
			i += n
			continue
		}
		b.raw(s[start:i])
		switch c {
		case '"', '\\':
			b.out.WriteByte('\\')
			b.out.WriteByte(c)
		case '\n':
			b.raw(`\n`)
		case '\r':
			b.raw(`\r`)
		case '\t':
			b.raw(`\t`)
		default:
			b.raw(`\u00`)
			b.out.WriteByte(hex[c>>4])
			b.out.WriteByte(hex[c&15])
		}
		i++
		start = i
	}
	b.raw(s[start:])
	b.out.WriteByte('"')
}
