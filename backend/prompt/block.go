package prompt

import (
	"encoding/json"
	"strconv"
	"strings"

	"mutsumi/backend/jsontext"
)

const (
	blockOpen  = "<content_reference>\n"
	blockClose = "\n</content_reference>"
)

// block writes the content reference block (SPEC 5.5) and notes which bytes of
// it came from which entry.
type block struct {
	out    strings.Builder
	before int // bytes of out that stand before the block
	spans  []span
}

// span is the bytes of one entry.
type span struct {
	entry      *entry
	start, end int
}

// writeBlock writes the block behind a text, so that the two need not be joined; nil
// if there are no entries. Keys are in the order that the specification gives;
// entries in the order given.
func writeBlock(before string, rules, files, tools []*entry) *block {
	size := 128 + len(before)
	for _, list := range [][]*entry{rules, files, tools} {
		for _, e := range list {
			size += len(e.key) + len(e.args) + len(e.content) + len(e.content)/16 + 48
		}
	}
	if len(rules)+len(files)+len(tools) == 0 {
		return nil
	}
	b := &block{before: len(before)}
	b.out.Grow(size)
	b.raw(before)
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

// text is the block.
func (b *block) text() string { return b.out.String()[b.before:] }

// len is the length of text.
func (b *block) len() int { return b.out.Len() - b.before }

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

// string writes a JSON string that cannot close the block.
func (b *block) string(s string) { jsontext.WriteTagless(&b.out, s) }

func (b *block) list(entries []*entry, write func(*entry)) {
	for i, e := range entries {
		if i > 0 {
			b.raw(",")
		}
		start := b.len()
		write(e)
		b.spans = append(b.spans, span{e, start, b.len()})
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
