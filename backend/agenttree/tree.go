package agenttree

import (
	"cmp"
	"reflect"
	"slices"
)

// Compute makes the nodes of the sidebar from what is known of the files and
// of what runs. Nodes come in the order of their files. A parent that is not
// there counts as none, as do those of agents that are their own ancestors;
// where two files carry one uuid (a copied file) children belong to both names
// alike, since only the uuid is known.
func Compute(heads []Head, live map[string]Live) []Node {
	parent := make(map[string]string, len(heads))
	for _, h := range heads {
		if h.UUID != "" {
			parent[h.UUID] = h.ParentID
		}
	}
	cycle := inCycles(parent)
	nodes := make([]Node, 0, len(heads))
	for _, h := range heads {
		l := live[h.File]
		n := Node{
			UUID: h.UUID, Name: h.Name, File: h.File, CreatedAt: h.CreatedAt,
			ModifiedMs: h.ModifiedMs, StartedMs: l.StartedMs, Action: l.Action, Problem: h.Problem,
			Marks: []Mark{},
		}
		if _, there := parent[h.ParentID]; there && !cycle[h.UUID] {
			n.ParentID = h.ParentID
		}
		n.Status = status(h, l, n.ParentID != "")
		if l.NeedsYou {
			n.Marks = append(n.Marks, NeedsYou)
		}
		if l.Queued && !l.Running {
			n.Marks = append(n.Marks, Queued)
		}
		if h.Problem != "" || !l.Running && (h.Failed || l.Failed) {
			n.Marks = append(n.Marks, Failed)
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.File, b.File) })
	return nodes
}

// status follows SPEC 9 and the seed's order: running, finished, then pending
// for a child and standby for everybody else.
func status(h Head, l Live, child bool) Status {
	switch {
	case l.Running:
		return Running
	case h.Finished:
		return Finished
	case child:
		return Pending
	}
	return Standby
}

// inCycles returns the uuids that are their own ancestor. Each uuid is visited once.
func inCycles(parent map[string]string) map[string]bool {
	cycle := map[string]bool{}
	walk := make(map[string]int, len(parent)) // the number of the walk that came by
	n := 0
	for start := range parent {
		n++
		at := start
		for at != "" && walk[at] == 0 {
			walk[at] = n
			at = parent[at]
		}
		if at == "" || walk[at] != n {
			continue
		}
		for end := at; !cycle[at]; at = parent[at] {
			cycle[at] = true
			if parent[at] == end {
				break
			}
		}
	}
	return cycle
}

// Diff says which nodes are new or different in next and which files are gone.
// Neither is nil: they go to the interface as they are.
func Diff(prev, next []Node) (changed []Node, removed []string) {
	old := make(map[string]*Node, len(prev))
	for i := range prev {
		old[prev[i].File] = &prev[i]
	}
	changed, removed = []Node{}, []string{}
	for _, n := range next {
		if o, ok := old[n.File]; !ok || !same(*o, n) {
			changed = append(changed, n)
		}
		delete(old, n.File)
	}
	for file := range old {
		removed = append(removed, file)
	}
	slices.Sort(removed)
	return changed, removed
}

func same(a, b Node) bool {
	marks := slices.Equal(a.Marks, b.Marks)
	a.Marks, b.Marks = nil, nil
	return marks && reflect.DeepEqual(a, b)
}
