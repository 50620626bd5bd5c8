package notebook

import (
	"slices"
	"time"

	"mutsumi/backend/fault"
)

// typingPause ends a typing burst: texts set further apart than this are undo steps of
// their own.
const typingPause = 2 * time.Second

// TypedBy returns edits that come from a window: what two windows type is never one
// undo step.
func TypedBy(window string, edits []Edit) []Edit {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].by = window
	}
	return edits
}

// typedOn adds the text to the current typing burst, if there is one. An editor's own undo belongs
// to the last burst in its cell, however long ago.
func (t *tx) typedOn(e Edit) bool {
	h, now := &t.d.history, t.d.now()
	n := len(h.undo) - 1
	if e.Undone {
		n = h.lastIn(e.Cell, len(h.undo))
	}
	if t.step.empty() || n < 0 || len(h.redo) > 0 && !e.Undone || len(t.step.splices) != 1 {
		return false
	}
	last := h.undo[n]
	if last.typing != e.Cell || last.by != e.by || now.Sub(last.at) > typingPause && !e.Undone {
		return false
	}
	h.redo = nil
	h.size -= last.size
	last.splices[0].new, last.at = t.step.splices[0].new, now
	last.measure()
	h.size += last.size
	t.d.rev++
	return true
}

// lastIn returns the index of the last step before end that touches a cell, -1 if none does.
func (h *history) lastIn(cell string, end int) int {
	for n := end - 1; n >= 0; n-- {
		if h.undo[n].touches(cell) {
			return n
		}
	}
	return -1
}

func (s *step) touches(id string) bool {
	is := func(c *cell) bool { return c.id == id }
	return slices.ContainsFunc(s.splices, func(p splice) bool { return slices.ContainsFunc(p.old, is) || slices.ContainsFunc(p.new, is) })
}

// takeBack reverts the last typing steps in the cell of e that lead from its text to the current
// one, so that an editor's own undo makes no steps. Later steps in other cells stay. It returns
// whether that is all that e does. A cell that typing created stays, empty.
func (t *tx) takeBack(e Edit) (done bool, err error) {
	h := &t.d.history
	var typed []int
	for n := h.lastIn(e.Cell, len(h.undo)); n >= 0; n = h.lastIn(e.Cell, n) {
		s := h.undo[n]
		if s.typing != e.Cell || s.by != e.by {
			return false, nil
		}
		if err := t.d.running.idle(s); err != nil {
			return false, err
		}
		made := len(s.splices[0].old) == 0
		if made && e.Text == "" {
			t.takeOut(typed)
			return false, nil
		}
		if typed = append(typed, n); !made && t.typedText(s.splices[0].old[0]) == e.Text {
			t.takeOut(typed)
			t.d.rev++
			return true, nil
		}
	}
	return false, nil
}

// takeOut undoes typing steps in one cell, given by their indexes, the last one first. Each is the
// last step that touches the cell; later ones may have moved it.
func (t *tx) takeOut(typed []int) {
	h := &t.d.history
	for _, n := range typed {
		s := h.undo[n]
		s.splices[0].at = t.d.cells.index(s.typing)
		h.size -= s.size
		h.undo = slices.Delete(h.undo, n, n+1)
		h.redo = append(h.redo, s)
		t.back(s)
	}
}

// typedText returns the text that setText changes.
func (t *tx) typedText(c *cell) string {
	m := c.prompt
	if m == nil {
		m = c.answer[0]
	}
	if raw := get(m.raw(), "content"); raw != nil && !isNull(raw) {
		return t.d.links.text(raw)
	}
	return ""
}

// UndoIn is Document.Undo for a person whose caret is in a prompt of a window: text that another
// window typed last is not undone, nor what an editor undid last restored, which are Conflicts.
func UndoIn(d *Document, window string) (Change, error) {
	others := func(s *step) bool { return s.typing != "" && s.by != "" && s.by != window }
	if steps := d.history.undo; len(steps) > 0 {
		last := steps[len(steps)-1]
		switch {
		case others(last), last.undone && len(steps) > 1 && others(steps[len(steps)-2]):
			return Change{}, fault.New(fault.Conflict, "Could not undo any further in this text: another window typed since. To take that back, leave the text and undo there.")
		case last.undone:
			return Change{}, fault.New(fault.Conflict, "Could not undo any further in this text: it also changed in another way since it was typed. To undo that, leave the text and undo there.")
		}
	}
	return d.Undo()
}
