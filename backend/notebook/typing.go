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
// to the burst before, however long ago.
func (t *tx) typedOn(e Edit) bool {
	h, now := &t.d.history, t.d.now()
	n := len(h.undo)
	if t.step.empty() || n == 0 || len(h.redo) > 0 && !e.Undone || len(t.step.splices) != 1 {
		return false
	}
	last := h.undo[n-1]
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

// takeBack reverts the typing steps at the end of the history that lead from the text of e to the
// current one, so that an editor's own undo makes no steps. It returns whether that is all that e
// does. A cell that typing created stays, empty.
func (t *tx) takeBack(e Edit) (done bool, err error) {
	h := &t.d.history
	for from := len(h.undo) - 1; from >= 0; from-- {
		s := h.undo[from]
		if s.typing != e.Cell || s.by != e.by {
			return false, nil
		}
		if err := t.d.running.idle(s); err != nil {
			return false, err
		}
		switch made := len(s.splices[0].old) == 0; {
		case made && e.Text == "":
			t.backTo(from + 1)
			return false, nil
		case !made && t.typedText(s.splices[0].old[0]) == e.Text:
			t.backTo(from)
			t.d.rev++
			return true, nil
		}
	}
	return false, nil
}

// backTo undoes the steps from one on.
func (t *tx) backTo(from int) {
	h := &t.d.history
	for _, s := range slices.Backward(h.undo[from:]) {
		h.size -= s.size
		h.redo = append(h.redo, s)
		t.back(s)
	}
	h.undo = slices.Delete(h.undo, from, len(h.undo))
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
// window typed last is not undone, which is a Conflict.
func UndoIn(d *Document, window string) (Change, error) {
	if n := len(d.history.undo); n > 0 {
		if s := d.history.undo[n-1]; s.undone || s.typing != "" && s.by != "" && s.by != window {
			return Change{}, fault.New(fault.Conflict, "Could not undo any further in this text: another window typed since. To take that back, leave the text and undo there.")
		}
	}
	return d.Undo()
}
