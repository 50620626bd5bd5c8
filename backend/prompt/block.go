package prompt

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"mutsumi/backend/halves"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/unzeroed"
)

const (
	blockOpen  = "<content_reference>\n"
	blockClose = "\n</content_reference>"
)

// block is the content reference block (SPEC 5.5) after a text. It knows which of its bytes come
// from which entry. It is a chat.Late: files are large, and a request that nobody looks at has them
// only as JSON in JSON.
type block struct {
	before  string
	pieces  []piece
	entries []of

	once  sync.Once
	all   string // before and the block
	spans []span
}

// piece is a part of the block: verbatim, or quoted as a JSON string that cannot close the block.
type piece struct {
	text   string
	quoted bool
}

// of holds the pieces of an entry.
type of struct {
	entry    *entry
	from, to int
}

// span is the byte range of one entry.
type span struct {
	entry      *entry
	start, end int
}

// writeBlock makes the block after a text; nil if there are no entries. Keys are in the order of
// the specification; entries in the given order.
func writeBlock(before string, rules, files, tools []*entry) *block {
	if len(rules)+len(files)+len(tools) == 0 {
		return nil
	}
	b := &block{before: before}
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

// versions marks the rules and files that replace one of the same name in an earlier block.
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

func (b *block) raw(s string) { b.pieces = append(b.pieces, piece{text: s}) }

// string adds a JSON string that cannot close the block.
func (b *block) string(s string) { b.pieces = append(b.pieces, piece{s, true}) }

func (b *block) list(entries []*entry, write func(*entry)) {
	for i, e := range entries {
		if i > 0 {
			b.raw(",")
		}
		b.entry(e, func() { write(e) })
	}
}

// entry adds what write writes of an entry.
func (b *block) entry(e *entry, write func()) {
	from := len(b.pieces)
	write()
	b.entries = append(b.entries, of{e, from, len(b.pieces)})
}

// tags writes JSON that cannot close the block. `<` and `>` occur in its strings only, so
// they can be escaped without looking at it.
var tags = strings.NewReplacer("<", `\u003c`, ">", `\u003e`)

// json adds compact JSON.
func (b *block) json(raw json.RawMessage) {
	if len(raw) == 0 {
		b.raw("{}")
		return
	}
	b.raw(tags.Replace(string(raw)))
}

// text is the block without the text before it.
func (b *block) text() string { return b.String()[len(b.before):] }

// String implements chat.Late: the text and the block.
func (b *block) String() string {
	b.once.Do(func() {
		var out strings.Builder
		out.Grow(b.Size() + b.Size()/16)
		out.WriteString(b.before)
		var room []byte
		at := make([]int, 0, len(b.pieces)+1) // where each piece begins
		for _, p := range b.pieces {
			at = append(at, out.Len()-len(b.before))
			if p.quoted {
				room = jsontext.AppendTagless(room[:0], p.text)
				out.Write(room)
			} else {
				out.WriteString(p.text)
			}
		}
		at = append(at, out.Len()-len(b.before))
		b.all = out.String()
		for _, e := range b.entries {
			b.spans = append(b.spans, span{e.entry, at[e.from], at[e.to]})
		}
	})
	return b.all
}

// Size implements chat.Late.
func (b *block) Size() int {
	n := len(b.before)
	for _, p := range b.pieces {
		n += len(p.text) + 2
	}
	return n
}

// manyBytes is the size of a block from which two goroutines write it.
const manyBytes = 512 << 10

// AppendJSON implements chat.Late.
func (b *block) AppendJSON(dst []byte) []byte {
	dst = jsontext.AppendInner(append(dst, '"'), b.before)
	size := b.Size()
	if size < manyBytes {
		return append(appendPieces(dst, b.pieces), '"')
	}
	middle := 0
	for n := len(b.before); n < size/2 && middle < len(b.pieces); middle++ {
		n += len(b.pieces[middle].text)
	}
	var second []byte
	halves.At(middle, len(b.pieces), 0, func(from, to int) {
		if from == 0 {
			dst = appendPieces(dst, b.pieces[:to])
		} else {
			second = appendPieces(unzeroed.Bytes(size/2+size/8), b.pieces[from:to])
		}
	})
	return append(append(dst, second...), '"')
}

func appendPieces(dst []byte, pieces []piece) []byte {
	for _, p := range pieces {
		if p.quoted {
			dst = jsontext.AppendTaglessInner(dst, p.text)
		} else {
			dst = jsontext.AppendInner(dst, p.text)
		}
	}
	return dst
}
