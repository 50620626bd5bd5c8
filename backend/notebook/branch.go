package notebook

import (
	"slices"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

const (
	branchesKey        = "mutsumi_branches"
	branchDepth        = 3
	branchMessageShift = 2 * (branchDepth + 2 - messageDepth) // spaces more than in "context"
)

// branch is what was put aside when a prompt was run again: its answer alone, or its answer and all
// cells below (tail). It never changes. The file stores it in the metadata, so that it outlives the
// program.
type branch struct {
	raw     []byte // as it is in the file; nil: made since it was loaded
	foreign bool   // not in our form: kept, never shown
	id      string
	cell    string // the cell that it followed
	at      time.Time
	tail    bool
	run     []byte // how the answer was made
	answer  []*message
	below   []*cell // without ids if the branch was loaded
	shown   *BranchView
}

// readBranches takes branches out of the members that were read.
func (m *metadata) readBranches() {
	for i, x := range slices.Backward(m.members) {
		if x.is(branchesKey) {
			if isArray(x.val) {
				m.branchesAt = i
				elements(x.val, func(val []byte) bool {
					m.branches = append(m.branches, readBranch(val))
					return true
				})
			}
			return
		}
	}
}

func readBranch(raw []byte) *branch {
	b := &branch{raw: raw, id: unquote(get(raw, "id")), cell: unquote(get(raw, "cell")), tail: unquote(get(raw, "scope")) == "tail"}
	list := get(raw, "messages")
	if !validID(b.id) || !isArray(list) {
		return &branch{raw: raw, foreign: true}
	}
	b.at, _ = time.Parse(time.RFC3339, unquote(get(raw, "at"))) // the zero time shows as none
	if run := get(raw, "run"); isObject(run) {
		b.run = run
	}
	var messages []*message
	elements(list, func(val []byte) bool {
		if isObject(val) && isString(get(val, "role")) {
			messages = append(messages, newMessage(shift(nil, val, -branchMessageShift)))
		} else {
			b.foreign = true
		}
		return true
	})
	if b.foreign {
		return &branch{raw: raw, foreign: true}
	}
	n := 0
	for n < len(messages) && !messages[n].startsCell(n > 0) {
		n++
	}
	b.answer, b.below = messages[:n:n], group(messages[n:])
	b.tail = b.tail || len(b.below) > 0
	return b
}

func writeBranches(w out, list []*branch) {
	if len(list) == 0 {
		w.WriteString("[]")
		return
	}
	w.WriteByte('[')
	for i, b := range list {
		separate(w, i, branchDepth)
		if b.raw != nil {
			w.Write(b.raw)
			continue
		}
		b.write(w)
	}
	w.WriteString(indents[:1+2*(branchDepth-1)])
	w.WriteByte(']')
}

func (b *branch) write(w out) {
	o := newObject(branchDepth)
	o.text("id", b.id)
	o.text("cell", b.cell)
	o.text("at", fileTime(b.at))
	if b.tail {
		o.text("scope", "tail")
	} else {
		o.text("scope", "answer")
	}
	if b.run != nil {
		o.value("run", b.run)
	}
	w.Write(o.out)
	w.WriteByte(',')
	w.WriteString(indents[:3+2*branchDepth])
	w.WriteString(`"messages": `)
	n := 0
	for m := range b.messages {
		if n == 0 {
			w.WriteByte('[')
		}
		separate(w, n, branchDepth+2)
		w.Write(shift(nil, m.raw(), branchMessageShift))
		n++
	}
	if n == 0 {
		w.WriteByte('[')
	} else {
		w.WriteString(indents[:3+2*branchDepth])
	}
	w.WriteByte(']')
	w.WriteString(indents[:1+2*branchDepth])
	w.WriteByte('}')
}

func (b *branch) messages(yield func(*message) bool) {
	for _, m := range b.answer {
		if !yield(m) {
			return
		}
	}
	for _, c := range b.below {
		if c.prompt != nil && !yield(c.prompt) {
			return
		}
		for _, m := range c.answer {
			if !yield(m) {
				return
			}
		}
	}
}

func (b *branch) size() int {
	n := len(b.raw)
	for m := range b.messages {
		n += m.size()
	}
	return n
}

// view is needed with every edit, so it is made once.
func (b *branch) view() BranchView {
	if b.shown != nil {
		return *b.shown
	}
	v := BranchView{ID: b.id, Cell: b.cell, Cells: len(b.below)}
	if !b.at.IsZero() {
		v.AtMs = b.at.UnixMilli()
	}
	begins := 0 // with the first cell below, if there is one: the answer may be in the notebook too
	if len(b.below) > 0 {
		begins = len(b.answer)
	}
	for m := range b.messages {
		v.Messages++
		if v.Messages > begins && v.Summary == "" && m.chars() > 0 && m.role != chat.Tool {
			v.Summary = clip.Line(m.decode().Content.String(), 80)
		}
	}
	b.shown = &v
	return v
}

// putAside makes a branch of a cell's answer, with all cells below if tail is set, and returns the
// cell that stays. If there is nothing to put aside, it makes no branch. The cell's id goes into
// the file, because the branch names it.
func (t *tx) putAside(at int, tail bool) *cell {
	c := *t.d.cells.list[at]
	b := &branch{id: t.d.cells.freshID(), cell: c.id, at: t.d.now(), tail: tail, answer: c.answer}
	if c.prompt != nil {
		if run := get(c.prompt.meta(), "run"); isObject(run) {
			b.run = run
		}
	}
	if tail {
		b.below = slices.Clone(t.d.cells.list[at+1:])
	}
	c.rev = t.d.cells.nextRev()
	c.prompt, c.answer = c.prompt.withMeta("run", nil), nil
	if len(b.answer) > 0 || len(b.below) > 0 {
		c.prompt = c.prompt.withMeta("cell_id", jsontext.AppendString(nil, c.id))
		t.setBranches(append(slices.Clip(slices.Clone(t.d.meta.branches)), b))
	}
	return &c
}

func (t *tx) rewind(e Edit) error {
	at, err := t.d.cells.find(e.Cell)
	if err != nil {
		return err
	}
	c := t.d.cells.list[at]
	if c.prompt == nil {
		return fault.New(fault.Invalid, "an answer without a prompt cannot be run again")
	}
	if len(c.answer) == 0 && at == len(t.d.cells.list)-1 {
		return nil
	}
	stays := t.putAside(at, true)
	return t.splice(at, len(t.d.cells.list)-at, stays)
}

func (t *tx) findBranch(id string) (int, error) {
	i := slices.IndexFunc(t.d.meta.branches, func(b *branch) bool { return !b.foreign && b.id == id })
	if i < 0 {
		return 0, fault.New(fault.NotFound, "the notebook has no branch %q any more", id)
	}
	return i, nil
}

func (t *tx) dropBranch(e Edit) error {
	i, err := t.findBranch(e.Branch)
	if err == nil {
		t.setBranches(slices.Delete(slices.Clone(t.d.meta.branches), i, i+1))
	}
	return err
}

// restore swaps a branch with the current cells. If the prompt that it followed is gone, the branch
// goes to the end, after an empty prompt.
func (t *tx) restore(e Edit) error {
	i, err := t.findBranch(e.Branch)
	if err != nil {
		return err
	}
	b := t.d.meta.branches[i]
	t.setBranches(slices.Delete(slices.Clone(t.d.meta.branches), i, i+1))

	at := t.d.cells.index(b.cell)
	var c *cell
	if at >= 0 && t.d.cells.list[at].prompt != nil && t.d.cells.list[at].takesAnswer() {
		c = t.putAside(at, b.tail)
		remove := 1
		if b.tail {
			remove = len(t.d.cells.list) - at
		}
		if err := t.splice(at, remove); err != nil {
			return err
		}
	} else if at = len(t.d.cells.list); len(b.answer) == 0 {
		return t.splice(at, 0, t.d.cells.identified(b.below)...)
	} else {
		c = &cell{id: t.d.cells.freshID(), rev: t.d.cells.nextRev(), prompt: newPrompt(chat.User, []byte(`""`))}
	}
	c.answer = b.answer
	if b.run != nil {
		c.prompt = c.prompt.withMeta("run", b.run)
	}
	return t.splice(at, 0, append([]*cell{c}, t.d.cells.identified(b.below)...)...)
}
