package agenttree

import (
	"math"
	"slices"
)

// Compute returns the nodes of the sidebar for the summaries of files and the live state of runs,
// in the order of the files. A missing parent counts as none, as do the parents of agents that are
// their own ancestors. If two files carry one uuid (a copied file), children belong to both alike,
// since only the uuid is known, and count once in a sum.
func Compute(summaries []Summary, live map[string]Live) []Node { return NewTree(summaries, live).nodes }

// nodeOf makes a node without its children's usage.
func nodeOf(h Summary, l Live, parent string) Node {
	n := Node{
		UUID: h.UUID, Name: h.Name, ParentID: parent, File: h.File, CreatedAt: h.CreatedAt, Kind: h.Kind, AnsweredBy: h.AnsweredBy, TimeMs: h.TimeMs,
		ModifiedMs: h.ModifiedMs, StartedMs: l.StartedMs, EndedMs: h.EndedMs, Action: l.Action, Problem: h.Problem,
		Own: h.Spent.Add(l.Spent),
	}
	if !l.Running && h.Elsewhere != "" {
		n.Action = h.Elsewhere
	}
	n.Status, n.Marks = status(h, l, h.ParentID != ""), marks(h, l)
	if l.Running {
		n.Advice = l.Advice
	}
	return n
}

// status follows SPEC 9 and the seed's order: running, finished, then pending for a child (even if
// its parent is gone) and standby for everybody else.
func status(h Summary, l Live, child bool) Status {
	switch {
	case l.Running, h.Elsewhere != "":
		return Running
	case h.Finished:
		return Finished
	case child: // even if its parent is gone
		return Pending
	}
	return Standby
}

func marks(h Summary, l Live) []Mark {
	marks := []Mark{}
	if l.NeedsYou {
		marks = append(marks, NeedsYou)
	}
	if l.Queued && !l.Running || l.WaitsForSlot {
		marks = append(marks, Queued)
	}
	if h.Problem != "" || !l.Running && (h.Failed || l.Failed) {
		marks = append(marks, Failed)
	}
	if h.Interrupted && !l.Running {
		marks = append(marks, Interrupted)
	}
	if l.Running && l.Advice != "" {
		marks = append(marks, Stuck)
	}
	return marks
}

// family holds the relations by numbers: one for each uuid, and one for each file without one.
type family struct {
	of     []int    // for each summary
	uuid   []string // for each number
	parent []int    // for each number; -1: none, or one of its own descendants
	total  []Total  // for each number: of the agents with it
}

func newFamily(summaries []Summary) *family {
	f := &family{of: make([]int, len(summaries)), parent: make([]int, 0, len(summaries))}
	number := make(map[string]int, len(summaries))
	parents := make([]string, 0, len(summaries))
	for i, h := range summaries {
		n, there := number[h.UUID]
		if !there || h.UUID == "" {
			n = len(parents)
			parents, f.uuid = append(parents, h.ParentID), append(f.uuid, h.UUID)
		}
		if h.UUID != "" {
			number[h.UUID] = n
		}
		f.of[i] = n
	}
	for _, uuid := range parents {
		p, there := number[uuid]
		if !there || uuid == "" {
			p = -1
		}
		f.parent = append(f.parent, p)
	}
	f.total = make([]Total, len(parents))
	f.cut()
	return f
}

// cut removes the parents of agents that are their own ancestors. Each is visited once.
func (f *family) cut() {
	walk := make([]int, len(f.parent)) // the number of the walk that came by
	for start := range f.parent {
		at := start
		for at >= 0 && walk[at] == 0 {
			walk[at] = start + 1
			at = f.parent[at]
		}
		if at < 0 || walk[at] != start+1 {
			continue
		}
		for at >= 0 {
			next := f.parent[at]
			f.parent[at] = -1
			at = next
		}
	}
}

// below adds up the descendants' usage for each: leaves first, each once.
func (f *family) below() []Total {
	below := make([]Total, len(f.parent))
	waits := make([]int, len(f.parent)) // children that are not counted yet
	for _, p := range f.parent {
		if p >= 0 {
			waits[p]++
		}
	}
	for start := range f.parent {
		for at := start; at >= 0 && waits[at] == 0; at = f.parent[at] {
			waits[at] = -1 // counted
			p := f.parent[at]
			if p < 0 {
				break
			}
			below[p] = below[p].Add(f.total[at]).Add(below[at])
			waits[p]--
		}
	}
	return below
}

// Add returns the sum. It stops at the largest numbers instead of wrapping
// round; one estimate makes the sum an estimate, and one unknown price makes it lack a cost.
func (t Total) Add(o Total) Total {
	return Total{
		Tokens: plus(t.Tokens, o.Tokens, math.MaxInt), Input: plus(t.Input, o.Input, math.MaxInt), Cached: plus(t.Cached, o.Cached, math.MaxInt),
		Cost: plus(t.Cost, o.Cost, math.MaxInt64), Guessed: t.Guessed || o.Guessed, Estimated: t.Estimated || o.Estimated, Unpriced: t.Unpriced || o.Unpriced,
	}
}

func plus[N int | int64](a, b, most N) N {
	if a > most-b {
		return most
	}
	return a + b
}

// Diff returns the nodes that are new or different in next and the files that are gone. Neither is
// nil: they are sent to the interface as they are.
func Diff(prev, next []Node) (changed []Node, removed []string) {
	changed, removed = []Node{}, []string{}
	i := 0 // both are in the order of the files
	for _, n := range next {
		for i < len(prev) && prev[i].File < n.File {
			removed = append(removed, prev[i].File)
			i++
		}
		known := i < len(prev) && prev[i].File == n.File
		if !known || !same(&prev[i], &n) {
			changed = append(changed, n)
		}
		if known {
			i++
		}
	}
	for ; i < len(prev); i++ {
		removed = append(removed, prev[i].File)
	}
	return changed, removed
}

// same compares field by field: it is called for every agent at every change of an action, and
// reflection would dominate.
func same(a, b *Node) bool {
	return a.UUID == b.UUID && a.Name == b.Name && a.ParentID == b.ParentID && a.File == b.File && a.Status == b.Status &&
		slices.Equal(a.Marks, b.Marks) && a.CreatedAt == b.CreatedAt && a.ModifiedMs == b.ModifiedMs && a.StartedMs == b.StartedMs &&
		a.Action == b.Action && a.Problem == b.Problem && a.Kind == b.Kind && a.AnsweredBy == b.AnsweredBy && a.Advice == b.Advice && a.TimeMs == b.TimeMs && a.EndedMs == b.EndedMs &&
		a.Own == b.Own && a.Subtree == b.Subtree
}
