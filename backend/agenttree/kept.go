package agenttree

import (
	"cmp"
	"slices"
)

// Tree holds the nodes of a folder's agents with the data needed to follow a change of one agent at
// the cost of its ancestors. It is for one goroutine at a time.
type Tree struct {
	nodes    []Node
	parents  []string // each summary's parent, which need not exist
	family   *family
	members  [][]int // for each number of the family: its nodes
	children [][]int // for each number: its children
	below    []Total // for each number: of its children and theirs
}

// NewTree makes a tree as Compute does.
func NewTree(summaries []Summary, live map[string]Live) *Tree {
	byFile := func(a, b Summary) int { return cmp.Compare(a.File, b.File) }
	if !slices.IsSortedFunc(summaries, byFile) {
		summaries = slices.SortedFunc(slices.Values(summaries), byFile)
	}
	f := newFamily(summaries)
	t := &Tree{nodes: make([]Node, 0, len(summaries)), parents: make([]string, 0, len(summaries)), family: f}
	for i, h := range summaries {
		parent := ""
		if p := f.parent[f.of[i]]; p >= 0 {
			parent = f.uuid[p]
		}
		n := nodeOf(h, live[h.File], parent)
		f.total[f.of[i]] = f.total[f.of[i]].Add(n.Own)
		t.nodes, t.parents = append(t.nodes, n), append(t.parents, h.ParentID)
	}
	t.below = f.below()
	for i := range t.nodes {
		t.nodes[i].Subtree = t.nodes[i].Own.Add(t.below[f.of[i]])
	}
	return t
}

// Nodes returns the nodes in the order of their files. Update changes them in place.
func (t *Tree) Nodes() []Node { return t.nodes }

// Update updates one agent and returns the changed nodes: its own and those of its ancestors. It
// does nothing and returns false if the file is new to the tree or the agent has another uuid or
// parent: then the whole tree has to be rebuilt.
func (t *Tree) Update(h Summary, l Live) (changed []Node, ok bool) {
	i, there := slices.BinarySearchFunc(t.nodes, h.File, func(n Node, file string) int { return cmp.Compare(n.File, file) })
	if !there || t.nodes[i].UUID != h.UUID || t.parents[i] != h.ParentID {
		return nil, false
	}
	if t.members == nil {
		t.link()
	}
	before, at := t.nodes[i], t.family.of[i]
	n := nodeOf(h, l, before.ParentID)
	n.Subtree = n.Own.Add(t.below[at])
	if same(&before, &n) {
		return nil, true
	}
	t.nodes[i] = n
	changed = append(changed, n)
	if before.Own == n.Own {
		return changed, true
	}
	// Recompute sums from their parts: subtracting a difference would be wrong for a sum that has
	// saturated.
	sum := Total{}
	for _, m := range t.members[at] {
		sum = sum.Add(t.nodes[m].Own)
	}
	t.family.total[at] = sum
	for at = t.family.parent[at]; at >= 0; at = t.family.parent[at] {
		sum = Total{}
		for _, child := range t.children[at] {
			sum = sum.Add(t.family.total[child]).Add(t.below[child])
		}
		if sum == t.below[at] {
			break
		}
		t.below[at] = sum
		for _, m := range t.members[at] {
			if total := t.nodes[m].Own.Add(sum); total != t.nodes[m].Subtree {
				t.nodes[m].Subtree = total
				changed = append(changed, t.nodes[m])
			}
		}
	}
	return changed, true
}

// link finds the members of each number of the family.
func (t *Tree) link() {
	t.members, t.children = make([][]int, len(t.family.parent)), make([][]int, len(t.family.parent))
	for i, number := range t.family.of {
		t.members[number] = append(t.members[number], i)
	}
	for number, parent := range t.family.parent {
		if parent >= 0 {
			t.children[parent] = append(t.children[parent], number)
		}
	}
}
