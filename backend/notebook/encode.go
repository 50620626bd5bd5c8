package notebook

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"sync"
)

// Snapshot is the state of a document at one moment. It costs little to take
// and can be written without the document's lock.
type Snapshot struct {
	rev               int
	top               []member
	metaAt, contextAt int
	meta              metadata
	cells             []*cell
}

// Encoded returns the present state for writing.
func (d *Document) Encoded() *Snapshot {
	s := &Snapshot{rev: d.rev, top: d.top, metaAt: d.metaAt, contextAt: d.contextAt, meta: d.meta}
	s.meta.members = slices.Clone(d.meta.members)
	s.cells = slices.Clone(d.cells.list)
	return s
}

// Rev is the Rev of the document when the snapshot was taken.
func (s *Snapshot) Rev() int { return s.rev }

// Bytes returns the text of the file.
func (s *Snapshot) Bytes() []byte {
	var b bytes.Buffer
	n := 4 << 10
	for _, c := range s.cells {
		n += c.size() + 8*(len(c.answer)+1)
	}
	b.Grow(n)
	s.write(&b)
	return b.Bytes()
}

// WriteTo writes the text of the file: two spaces a level, no line break at
// the end (SPEC 1.1).
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	b := writers.Get().(*bufio.Writer)
	defer writers.Put(b)
	b.Reset(counted)
	s.write(b)
	err := b.Flush()
	b.Reset(nil)
	return counted.n, err
}

// writers are used again: a notebook that streams is saved every second.
var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

// scratches are room for the text of a message that has none.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// out is a text writer; Flush returns its error.
type out interface {
	io.Writer
	io.StringWriter
	io.ByteWriter
}

func (s *Snapshot) write(w out) {
	w.WriteByte('{')
	for i, x := range s.top {
		separate(w, i, 1)
		w.Write(x.key)
		w.WriteString(": ")
		switch i {
		case s.metaAt:
			s.writeMeta(w)
		case s.contextAt:
			s.writeContext(w)
		default:
			w.Write(x.val)
		}
	}
	w.WriteString("\n}")
}

func (s *Snapshot) writeMeta(w out) {
	m := &s.meta
	if len(m.members) == 0 && len(m.branches) == 0 {
		w.WriteString("{}")
		return
	}
	w.WriteByte('{')
	for i, x := range m.members {
		separate(w, i, 2)
		w.Write(x.key)
		w.WriteString(": ")
		if i == m.branchesAt {
			writeBranches(w, m.branches)
		} else {
			w.Write(x.val)
		}
	}
	if m.branchesAt < 0 && len(m.branches) > 0 {
		separate(w, len(m.members), 2)
		w.WriteString(`"` + branchesKey + `": `)
		writeBranches(w, m.branches)
	}
	w.WriteString(indents[:3])
	w.WriteByte('}')
}

func (s *Snapshot) writeContext(w out) {
	n := 0
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	write := func(m *message) {
		if n == 0 {
			w.WriteByte('[')
		}
		separate(w, n, 2)
		*scratch = m.writeTo(w, *scratch)
		n++
	}
	for _, c := range s.cells {
		if c.prompt != nil {
			write(c.prompt)
		}
		for _, m := range c.answer {
			write(m)
		}
	}
	if n == 0 {
		w.WriteString("[]")
		return
	}
	w.WriteString("\n  ]")
}

// separate starts member n of a list or object on a line of its own.
func separate(w out, n, depth int) {
	if n > 0 {
		w.WriteByte(',')
	}
	w.WriteString(indents[:1+2*depth])
}

func contextText(messages []*message) []byte {
	items := make([][]byte, len(messages))
	for i, m := range messages {
		items[i] = m.raw()
	}
	return encodeList(items, 1)
}

// CellsJSON returns the cells for the command line (SPEC 10): role, text and messages, which are
// the original objects. The text is the prompt; the messages are those of the answer.
func (d *Document) CellsJSON() []byte {
	items := make([][]byte, len(d.cells.list))
	for i, c := range d.cells.list {
		w := newObject(1)
		w.text("role", string(c.role()))
		w.text("text", d.links.plainText(c))
		messages := make([][]byte, len(c.answer))
		for k, m := range c.answer {
			messages[k] = shift(nil, m.raw(), 2)
		}
		w.value("messages", encodeList(messages, 2))
		items[i] = w.end()
	}
	return encodeList(items, 0)
}
