package notebook

import (
	"hash/maphash"
	"slices"
	"strconv"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

// Line is one way through a notebook from its first cell on: the present one, or one
// that a branch keeps. It can be read without the lock of the Document.
type Line struct {
	cells   []*cell
	infos   []*RunInfo // of the cells; nil: they never ran
	marks   []*marks
	running []bool
}

// LineCell is a cell of a Line.
type LineCell struct {
	ID       string
	Number   int // as a person sees it, from 1; 0: a summary
	Role     chat.Role
	Prompt   string
	Messages []Message // of the answer
	Run      *RunInfo  // nil: it never ran
	Running  bool
	Carried  *Carried // nil: it was not carried over
}

// Line returns the present line of the notebook, or that of a branch by its id: the cells up to the
// one that the branch followed, and the branch's own. The error is NotFound.
func (l Lineage) Line(id string) (*Line, error) {
	cells := slices.Clone(l.d.cells.list)
	if id != "" {
		i := slices.IndexFunc(l.d.meta.branches, func(b *branch) bool { return !b.foreign && b.id == id })
		if i < 0 {
			return nil, fault.New(fault.NotFound, "the notebook has no branch %q any more", id)
		}
		cells = l.d.cells.lineOf(l.d.meta.branches[i])
	}
	x := &Line{cells: cells}
	for _, c := range cells {
		var info *RunInfo
		if c.prompt != nil {
			info = l.d.running.info(c)
		}
		running := id == "" && l.d.running[c.id] != nil
		if id != "" && info != nil && info.Outcome == "" { // it is the present line's that runs
			info.Outcome = Interrupted
		}
		x.infos, x.marks, x.running = append(x.infos, info), append(x.marks, c.marks()), append(x.running, running)
	}
	return x, nil
}

// lineOf returns the cells of a branch with those before it.
func (l *cellList) lineOf(b *branch) []*cell {
	var cells []*cell
	if at := l.index(b.cell); at >= 0 {
		c := *l.list[at]
		c.answer = b.answer
		if c.prompt != nil {
			c.prompt = c.prompt.withMeta("run", b.run)
		}
		cells = append(slices.Clone(l.list[:at]), &c)
	} else if len(b.answer) > 0 {
		cells = []*cell{{id: b.cell, answer: b.answer}}
	}
	for _, c := range b.below {
		if c.id == "" { // the branch was loaded; it never changes
			named := *c
			if c.prompt != nil {
				named.id = unquote(get(c.prompt.meta(), "cell_id"))
			}
			if !validID(named.id) {
				named.id = "at-" + strconv.Itoa(len(cells))
			}
			c = &named
		}
		cells = append(cells, c)
	}
	return cells
}

// Len is the number of cells in the line.
func (x *Line) Len() int { return len(x.cells) }

// ID is the id of the cell at a place, "" if there is none. A nil Line has no cells.
func (x *Line) ID(i int) string {
	if x == nil || i < 0 || i >= len(x.cells) {
		return ""
	}
	return x.cells[i].id
}

// Words is the first line of the cell at a place, shortened; "" if there is none.
func (x *Line) Words(i int) string {
	if x.ID(i) == "" {
		return ""
	}
	c := x.cells[i]
	for _, m := range append([]*message{c.prompt}, c.answer...) {
		if m == nil || m.role == chat.Tool {
			continue
		}
		if text := clip.Line(m.decode().Content.String(), 80); text != "" {
			return text
		}
	}
	return ""
}

// LineHead is a cell's entry in a list.
type LineHead struct {
	ID     string
	Number int    // as a person sees it, from 1; 0: a summary
	Words  string // see Line.Words
}

// Heads returns the heads of all cells.
func (x *Line) Heads() []LineHead {
	heads, number := make([]LineHead, len(x.cells)), 0
	for i, c := range x.cells {
		heads[i] = LineHead{ID: c.id, Words: x.Words(i)}
		if x.marks[i].compaction == nil {
			number++
			heads[i].Number = number
		}
	}
	return heads
}

// Find returns the place of a cell, -1 for none.
func (x *Line) Find(id string) int {
	return slices.IndexFunc(x.cells, func(c *cell) bool { return id != "" && c.id == id })
}

// Cell returns the cell at a place.
func (x *Line) Cell(i int) LineCell {
	c := x.cells[i]
	v := LineCell{ID: c.id, Role: c.role(), Run: x.infos[i], Running: x.running[i], Carried: x.marks[i].carried}
	if x.marks[i].compaction == nil {
		for _, k := range x.marks[:i+1] {
			if k.compaction == nil {
				v.Number++
			}
		}
	}
	if c.prompt != nil {
		v.Prompt = c.prompt.decode().Content.String()
	}
	for _, m := range c.answer {
		v.Messages = append(v.Messages, m.decode())
	}
	return v
}

// Sums returns a hash of each cell of the line: of its texts, not of when or by which run they were
// written. Hashes are comparable in this process only.
func (x *Line) Sums() []uint64 {
	sums := make([]uint64, len(x.cells))
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for i, c := range x.cells {
		h.Reset()
		if c.prompt != nil {
			c.prompt.said(&h)
		}
		for _, m := range c.answer {
			m.said(&h)
		}
		sums[i] = h.Sum64()
	}
	return sums
}

// said adds the texts of a message to a hash.
func (m *message) said(h *maphash.Hash) {
	raw := m.raw()
	h.WriteString(string(m.role))
	for _, key := range []string{"content", "tool_calls", "tool_call_id"} {
		h.WriteByte(0)
		h.Write(get(raw, key))
	}
	h.WriteByte(1)
}

// CommonCells returns the number of leading cells that two lines share, by their Sums.
func CommonCells(a, b []uint64) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
