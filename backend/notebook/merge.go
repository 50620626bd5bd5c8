package notebook

import (
	"bytes"
	"slices"
)

// Merged is the result of TakeIn.
type Merged struct {
	Change
	New       []string // ids of cells that the document had in no version
	Rewritten []string // ids of cells that the other program gave another text
}

// TakeIn merges another program's changes in the file with the changes of d since (SPEC 1.4). base
// is the version that this program last read or wrote, disk the file's present content. It makes no
// undo step; earlier ones stay unless what they would revert has changed.
//
// It returns false, and changes nothing, if the two contradict: both changed one cell or one entry
// of the metadata; or the other program changed the agent's identity or rights, or something before
// a cell that a run of d writes into.
func (d *Document) TakeIn(base *Snapshot, disk *Document) (Merged, bool) {
	there := disk.Encoded()
	theirs := changesOf(base.cells, there.cells)
	if !sameOutside(base, there) || overlap(theirs, changesOf(base.cells, d.cells.list)) {
		return Merged{}, false
	}
	for i := range theirs {
		theirs[i].place(base.cells, d.cells.list)
		if d.runsFrom(theirs[i].at) {
			return Merged{}, false
		}
	}
	metas, ok := base.metaChanges(there, d.Encoded())
	if !ok {
		return Merged{}, false
	}
	if !d.history.survives(theirs, d.cells.list) {
		d.history = history{}
	}
	t := d.begin()
	var in Merged
	for _, h := range slices.Backward(theirs) {
		replaced := d.cells.list[h.at : h.at+h.to-h.from]
		cells, fresh := d.cells.adopted(h, replaced)
		in.Rewritten = append(in.Rewritten, rewritten(replaced, cells)...)
		t.put(h.at, h.to-h.from, cells)
		in.New = append(fresh, in.New...)
	}
	for _, m := range metas {
		d.meta.set(m.key, m.after, -1)
	}
	if there.branches() != base.branches() {
		d.meta.branches = disk.meta.branches
	}
	d.rev++
	in.Change = t.change()
	return in, true
}

// hunk is a change of a list of cells: cells from..to were replaced by add.
type hunk struct {
	from, to int
	add      []*cell
	at       int // where from is in another version of the list
}

// changesOf lists the changes from one list of cells to another. Lists of different lengths differ
// in one hunk, so that no cell is mistaken for another.
func changesOf(before, after []*cell) (changes []hunk) {
	start := 0
	for start < min(len(before), len(after)) && sameCell(before[start], after[start]) {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && sameCell(before[len(before)-1-end], after[len(after)-1-end]) {
		end++
	}
	if was, is := before[start:len(before)-end], after[start:len(after)-end]; len(was) != len(is) {
		return []hunk{{from: start, to: start + len(was), add: is}}
	}
	for i := start; i < len(before)-end; i++ {
		if !sameCell(before[i], after[i]) {
			changes = append(changes, hunk{from: i, to: i + 1, add: after[i : i+1]})
		}
	}
	return changes
}

func sameCell(a, b *cell) bool {
	same := func(a, b *message) bool { return a == b || a != nil && b != nil && bytes.Equal(a.raw(), b.raw()) }
	return a == b || same(a.prompt, b.prompt) && slices.EqualFunc(a.answer, b.answer, same)
}

// overlap reports whether a cell is changed on both sides. Inserting in the same place on both
// sides is not a contradiction. An answer without a prompt belongs to the cell before it, so
// anything inserted between them is one.
func overlap(theirs, ours []hunk) bool {
	for _, a := range theirs {
		for _, b := range ours {
			if a.from < b.to && b.from < a.to {
				return true
			}
		}
	}
	headless := func(h hunk) bool { return slices.ContainsFunc(h.add, func(c *cell) bool { return c.prompt == nil }) }
	return len(ours) > 0 && (slices.ContainsFunc(theirs, headless) || slices.ContainsFunc(ours, headless))
}

// place sets at: where in ours the cells that h replaces are. Cells that both sides insert in one
// place follow ours.
func (h *hunk) place(base, ours []*cell) {
	h.at = h.from
	for _, o := range changesOf(base, ours) {
		if o.to <= h.from {
			h.at += len(o.add) - (o.to - o.from)
		}
	}
}

// runsFrom reports whether a run of d writes into a cell at or after a place: its requests contain
// the cells before it.
func (d *Document) runsFrom(at int) bool {
	for id := range d.running {
		if d.cells.index(id) >= at {
			return true
		}
	}
	return false
}

// adopted returns the cells of a hunk as versions of those that they replace, with unique ids, and
// names those that replace none.
func (l *cellList) adopted(h hunk, replaced []*cell) (cells []*cell, fresh []string) {
	has := func(list []*cell, id string) bool {
		return slices.ContainsFunc(list, func(c *cell) bool { return c.id == id })
	}
	var messages []*message
	for _, c := range h.add {
		if c.prompt != nil {
			messages = append(messages, c.prompt)
		}
		messages = append(messages, c.answer...)
	}
	cells = l.derive(messages)
	for i, c := range h.add {
		switch {
		case has(replaced, c.id):
			cells[i].id = c.id
		case len(replaced) == len(h.add) && !has(h.add, replaced[i].id):
			cells[i].id = replaced[i].id
		default:
			fresh = append(fresh, cells[i].id)
		}
	}
	return cells, fresh
}

// survives reports whether the steps can be undone and redone after hunks were put into a
// list of cells: no step has a cell that changed, and no cell moved.
func (h *history) survives(hunks []hunk, list []*cell) bool {
	changed := map[string]bool{}
	for _, x := range hunks {
		if x.to-x.from != len(x.add) && x.at < len(list) {
			return false
		}
		for _, c := range list[x.at : x.at+x.to-x.from] {
			changed[c.id] = true
		}
	}
	for _, s := range slices.Concat(h.undo, h.redo) {
		for _, p := range s.splices {
			if slices.ContainsFunc(slices.Concat(p.old, p.new), func(c *cell) bool { return changed[c.id] }) {
				return false
			}
		}
	}
	return true
}

// identity are the metadata that identify the notebook and define what its agent may do.
var identity = []string{"uuid", "parent_agent_id", "allowed_uris", "agentType"}

// metaChanges lists the metadata that changed from s to disk; false: ours contradicts it.
func (s *Snapshot) metaChanges(disk, ours *Snapshot) (changes []metaChange, ok bool) {
	seen := map[string]bool{}
	for _, x := range slices.Concat(s.meta.members, disk.meta.members) {
		name := unquote(x.key)
		if seen[name] || name == branchesKey {
			continue
		}
		seen[name] = true
		was, is, here := s.meta.get(name), disk.meta.get(name), ours.meta.get(name)
		switch {
		case bytes.Equal(was, is), bytes.Equal(is, here):
		case !bytes.Equal(was, here), slices.Contains(identity, name):
			return nil, false
		default:
			changes = append(changes, metaChange{key: name, after: is})
		}
	}
	was, is, here := s.branches(), disk.branches(), ours.branches()
	return changes, was == is || was == here || is == here
}

// branches returns the text of the branches in the file.
func (s *Snapshot) branches() string {
	var b bytes.Buffer
	writeBranches(&b, s.meta.branches)
	return b.String()
}

// sameOutside reports whether two versions are the same but for metadata and cells.
func sameOutside(a, b *Snapshot) bool {
	rest := func(s *Snapshot) string {
		var out bytes.Buffer
		for i, x := range s.top {
			if i != s.metaAt && i != s.contextAt {
				out.Write(x.key)
				out.Write(x.val)
			}
		}
		return out.String()
	}
	return rest(a) == rest(b)
}

// KeepIDs gives the cells of d, which was just loaded, the ids of equal cells or cells in the same
// place in before, an earlier version of the same file: a window that types into one can continue.
// Unchanged cells keep their revision too. It returns the ids of the cells whose text is another one.
func KeepIDs(d, before *Document) []string {
	taken := map[string]bool{}
	for _, c := range d.cells.list {
		if c.hasOwnID() {
			taken[c.id] = true
		}
	}
	d.cells.rev = max(d.cells.rev, before.cells.rev)
	keep := func(c, was *cell, rev int) {
		if c.rev = rev; !c.hasOwnID() && !taken[was.id] {
			c.id = was.id
			taken[c.id] = true
		}
	}
	var fresh []*cell
	at, next := 0, 0 // in before, and in d
	same := func(until int) {
		for ; at < until; at, next = at+1, next+1 {
			c, was := d.cells.list[next], before.cells.list[at]
			keep(c, was, was.rev)
		}
	}
	for _, h := range changesOf(before.cells.list, d.cells.list) {
		same(h.from)
		for i, c := range h.add {
			if c.rev = d.cells.nextRev(); len(h.add) == h.to-h.from {
				keep(c, before.cells.list[h.from+i], c.rev)
			} else {
				fresh = append(fresh, c)
			}
		}
		at, next = h.to, next+len(h.add)
	}
	same(len(before.cells.list))
	for _, c := range fresh {
		if !c.hasOwnID() && taken[c.id] {
			c.id = d.cells.freshID()
		}
		taken[c.id] = true
	}
	d.cells.places = nil
	return rewritten(before.cells.list, d.cells.list)
}

// rewritten returns the ids of the cells that two lists have with different texts.
func rewritten(before, after []*cell) (ids []string) {
	was := make(map[string]*cell, len(before))
	for _, c := range before {
		was[c.id] = c
	}
	for _, c := range after {
		if old := was[c.id]; old != nil && old.rev != c.rev && !bytes.Equal(old.content(), c.content()) {
			ids = append(ids, c.id)
		}
	}
	return ids
}

// content returns the text of the cell as the file has it: of its prompt or, without one, of its first answer.
func (c *cell) content() []byte {
	if c.prompt != nil {
		return get(c.prompt.raw(), "content")
	}
	return get(c.answer[0].raw(), "content")
}

// hasOwnID reports whether the file contains the id of the cell.
func (c *cell) hasOwnID() bool {
	return c.prompt != nil && unquote(get(c.prompt.meta(), "cell_id")) == c.id
}
