package notebook

import (
	"slices"
	"time"

	"mutsumi/backend/fault"
)

// Change describes an edit to the interface: Remove cells at At of the previous list became Cells.
// Bodies are included for new or changed cells, up to a limit; the interface fetches the rest when
// shown.
type Change struct {
	At, Remove int
	Cells      []CellView
	NewID      string // of the cell that an insert or split made
	Typed      bool   // its texts are what somebody types in an editor
}

const (
	// undoSteps and undoBytes bound the history.
	undoSteps = 1000
	undoBytes = 64 << 20
	// changeBytes bounds the bodies in a Change.
	changeBytes = 1 << 20
)

// step is what one undo reverts. It holds cells, which never change, so it costs only the
// difference.
type step struct {
	name               string
	splices            []splice
	metas              []metaChange
	branchesChanged    bool
	branches, branched []*branch // before and after
	typing             string    // the cell that a typing burst goes into
	by                 string    // the window that a typing burst comes from
	undone             bool      // an editor undid the typing before the step below it
	at                 time.Time
	size               int
}

type splice struct {
	at       int
	old, new []*cell
}

type metaChange struct {
	key           string
	before, after []byte
	at            int
}

func (s *step) empty() bool {
	return len(s.splices) == 0 && len(s.metas) == 0 && !s.branchesChanged
}

// measure sums the text that the step alone may keep alive.
func (s *step) measure() {
	s.size = 256
	for _, p := range s.splices {
		for _, side := range [][]*cell{p.old, p.new} {
			for _, c := range side {
				s.size += 64 + c.size()
			}
		}
	}
	for _, b := range s.branches {
		if !slices.Contains(s.branched, b) {
			s.size += b.size()
		}
	}
}

type history struct {
	undo, redo []*step
	size       int // of undo
}

func (h *history) push(s *step) {
	h.redo = nil
	h.add(s)
}

func (h *history) add(s *step) {
	s.measure()
	h.undo = append(h.undo, s)
	h.size += s.size
	drop := 0
	for n := len(h.undo); drop < n-1 && (n-drop > undoSteps || h.size > undoBytes); drop++ {
		h.size -= h.undo[drop].size
	}
	h.undo = slices.Delete(h.undo, 0, drop)
}

// Undo takes the last step back. With nothing to undo, or where a run writes
// into a cell that the step touches, the error is a Conflict.
func (d *Document) Undo() (Change, error) {
	n := len(d.history.undo)
	if n == 0 {
		return Change{}, fault.New(fault.Conflict, "there is nothing to undo")
	}
	s := d.history.undo[n-1]
	if err := d.running.idle(s); err != nil {
		return Change{}, err
	}
	d.history.undo = d.history.undo[:n-1]
	d.history.size -= s.size
	d.history.redo = append(d.history.redo, s)
	t := d.begin()
	t.back(s)
	s.typing = ""
	d.rev++
	return t.change(), nil
}

// Redo redoes the step that Undo reverted; errors are those of Undo.
func (d *Document) Redo() (Change, error) {
	n := len(d.history.redo)
	if n == 0 {
		return Change{}, fault.New(fault.Conflict, "there is nothing to redo")
	}
	s := d.history.redo[n-1]
	if err := d.running.idle(s); err != nil {
		return Change{}, err
	}
	d.history.redo = d.history.redo[:n-1]
	d.history.add(s)
	t := d.begin()
	for _, p := range s.splices {
		t.put(p.at, len(p.old), t.renewed(p.at, len(p.old), p.new))
	}
	for _, m := range s.metas {
		d.meta.set(m.key, m.after, m.at)
	}
	if s.branchesChanged {
		d.meta.branches = s.branched
	}
	d.rev++
	return t.change(), nil
}

// idle fails with a Conflict where a run writes into a cell of the step.
func (a activeRuns) idle(s *step) error {
	if len(a) == 0 {
		return nil
	}
	for _, p := range s.splices {
		for _, side := range [][]*cell{p.old, p.new} {
			for _, c := range side {
				if a[c.id] != nil {
					return errRunning()
				}
			}
		}
	}
	return nil
}

func errRunning() error {
	return fault.New(fault.Conflict, "Could not change the cell: an answer is being written into it. Wait until that is done, or stop it.")
}

// tx collects what one call does to the document: the step for undo, and the
// range of cells that the interface has to load again.
type tx struct {
	d             *Document
	step          *step
	any           bool
	lo, hi, delta int              // cells lo..hi were lo..hi-delta
	gone          map[string]*cell // versions that were taken out
	fresh         map[*cell]bool   // versions that were not there before
	newID         string
	typed         bool // see Change
}

func (d *Document) begin() *tx {
	return &tx{d: d, step: &step{}, gone: map[string]*cell{}, fresh: map[*cell]bool{}}
}

// put replaces cells and widens the range.
func (t *tx) put(at, remove int, add []*cell) {
	for _, c := range t.d.cells.list[at : at+remove] {
		t.gone[c.id] = c
	}
	for _, c := range add {
		if t.gone[c.id] != c {
			t.fresh[c] = true
		}
	}
	if !t.any {
		t.any, t.lo, t.hi = true, at, at
	}
	grown := len(add) - remove
	t.lo, t.hi = min(t.lo, at), max(t.hi, at+remove)+grown
	t.delta += grown
	t.d.cells.replace(at, remove, add)
}

// splice is put as part of the step. A running cell is a Conflict.
func (t *tx) splice(at, remove int, add ...*cell) error {
	old := slices.Clone(t.d.cells.list[at : at+remove])
	for _, c := range old {
		if t.d.running[c.id] != nil {
			return errRunning()
		}
	}
	t.step.splices = append(t.step.splices, splice{at, old, add})
	t.put(at, remove, add)
	return nil
}

func (t *tx) setMeta(key string, val []byte) {
	if old := t.d.meta.get(key); string(old) == string(val) && (old == nil) == (val == nil) {
		return
	}
	before, at := t.d.meta.set(key, val, -1)
	t.step.metas = append(t.step.metas, metaChange{key, before, val, at})
}

func (t *tx) setBranches(list []*branch) {
	if !t.step.branchesChanged {
		t.step.branchesChanged, t.step.branches = true, t.d.meta.branches
	}
	t.step.branched, t.d.meta.branches = list, list
}

// back undoes a step.
func (t *tx) back(s *step) {
	for _, p := range slices.Backward(s.splices) {
		t.put(p.at, len(p.new), t.renewed(p.at, len(p.new), p.old))
	}
	for _, m := range slices.Backward(s.metas) {
		t.d.meta.set(m.key, m.before, m.at)
	}
	if s.branchesChanged {
		t.d.meta.branches = s.branches
	}
}

// rollback reverts the changes of this call, restoring the very same cells.
func (t *tx) rollback() {
	for _, p := range slices.Backward(t.step.splices) {
		t.d.cells.replace(p.at, len(p.new), p.old)
	}
	for _, m := range slices.Backward(t.step.metas) {
		t.d.meta.set(m.key, m.before, m.at)
	}
	if t.step.branchesChanged {
		t.d.meta.branches = t.step.branches
	}
}

// renewed returns the cells to insert: a cell that replaces another version of itself gets a new
// revision, so that revisions only grow.
func (t *tx) renewed(at, remove int, cells []*cell) []*cell {
	for _, c := range t.d.cells.list[at : at+remove] {
		t.gone[c.id] = c
	}
	out := make([]*cell, len(cells))
	for i, c := range cells {
		have := t.gone[c.id]
		switch {
		case have == nil:
			out[i] = c
		case have.prompt == c.prompt && slices.Equal(have.answer, c.answer):
			out[i] = have
		default:
			again := *c
			again.rev = t.d.cells.nextRev()
			out[i] = &again
		}
	}
	return out
}

// mergeAnswers joins an answer that ended up after a prompt with that prompt's
// answer: the file cannot distinguish the two (SPEC 1.3).
func (t *tx) mergeAnswers() error {
	d := t.d
	for i := max(t.lo, 1); i <= t.hi && i < len(d.cells.list); {
		c, before := d.cells.list[i], d.cells.list[i-1]
		if c.prompt != nil || !before.takesAnswer() {
			i++
			continue
		}
		joined := *before
		joined.rev = d.cells.nextRev()
		joined.answer = slices.Concat(before.answer, c.answer)
		if err := t.splice(i-1, 2, &joined); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) commit(name string) Change {
	if !t.step.empty() {
		t.step.name, t.step.at = name, t.d.now()
		t.d.history.push(t.step)
		t.d.rev++
	}
	return t.change()
}

func (t *tx) change() Change {
	c := Change{NewID: t.newID, Cells: []CellView{}, Typed: t.typed}
	if !t.any {
		return c
	}
	c.At, c.Remove = t.lo, t.hi-t.delta-t.lo
	room := changeBytes
	for _, x := range t.d.cells.list[t.lo:t.hi] {
		v := x.view()
		if (t.fresh[x] || t.d.running[x.id] != nil) && room > 0 { // a running cell has changed since it was sent
			room -= x.size()
			v.Body = t.d.body(x)
		}
		c.Cells = append(c.Cells, v)
	}
	return c
}
