package agenttree

import (
	"cmp"
	"slices"
)

// Ways through a tree of agents.

// Member is an agent of a tree.
type Member struct {
	Node
	Depth int // agents above it
}

// Family lists the tree of agents to which a file belongs, at most so many, in
// the order in which the tree shows it: parents first, children from the oldest
// on; nil when no agent has the file.
func Family(nodes []Node, path string, most int) []Member {
	byID, children := map[string]Node{}, map[string][]Node{}
	var root *Node
	for i, n := range nodes {
		if n.UUID != "" && byID[n.UUID].File == "" {
			byID[n.UUID] = n
		}
		if n.ParentID != "" {
			children[n.ParentID] = append(children[n.ParentID], n)
		}
		if n.File == path {
			root = &nodes[i]
		}
	}
	if root == nil {
		return nil
	}
	top := *root
	for range nodes { // parents are no circle; this bounds it all the same
		parent, ok := byID[top.ParentID]
		if !ok {
			break
		}
		top = parent
	}
	top.ParentID = ""
	for _, list := range children {
		slices.SortStableFunc(list, func(a, b Node) int {
			return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
		})
	}
	var out []Member
	seen := map[string]bool{}
	stack := []Member{{top, 0}}
	for len(stack) > 0 && len(out) < most {
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[m.File] {
			continue
		}
		seen[m.File] = true
		out = append(out, m)
		if m.UUID == "" || byID[m.UUID].File != m.File {
			continue // of two files with one uuid the first has the children
		}
		for _, c := range slices.Backward(children[m.UUID]) {
			stack = append(stack, Member{c, m.Depth + 1})
		}
	}
	return out
}

// Ancestors lists the files of the agents that the one of a file stems from,
// nearest first.
func Ancestors(nodes []Node, path string) (files []string) {
	byUUID := make(map[string]*Node, len(nodes))
	at := (*Node)(nil)
	for i := range nodes {
		n := &nodes[i]
		byUUID[n.UUID] = n
		if n.File == path {
			at = n
		}
	}
	for at != nil && at.ParentID != "" && len(files) < len(nodes) {
		if at = byUUID[at.ParentID]; at != nil {
			files = append(files, at.File)
		}
	}
	return files
}

// Descendants lists the notebooks of the agents that stem from one, each
// parent before its children.
func Descendants(nodes []Node, path string) (files []string) {
	children := map[string][]int{}
	var below []int
	for i, n := range nodes {
		children[n.ParentID] = append(children[n.ParentID], i)
		if n.File == path && n.UUID != "" {
			below = append(below, i)
		}
	}
	seen := map[int]bool{}
	for len(below) > 0 {
		n := nodes[below[0]]
		below = below[1:]
		for _, i := range children[n.UUID] {
			if n.UUID != "" && !seen[i] {
				seen[i] = true
				files, below = append(files, nodes[i].File), append(below, i)
			}
		}
	}
	return files
}

// Level counts the ancestors of an agent whose parent has a uuid, up to most.
func Level(nodes []Node, parentID string, most int) (n int) {
	parent := make(map[string]string, len(nodes))
	for _, node := range nodes {
		parent[node.UUID] = node.ParentID
	}
	for id := parentID; id != "" && n < most; id = parent[id] {
		n++
	}
	return n
}

// Roots returns the root of each agent's tree by uuid. Each agent is visited once. A copied file
// carries another file's uuid, and two of them can form a cycle: then one of its agents counts as
// the root.
func Roots(nodes []Node) map[string]string {
	parent := make(map[string]string, len(nodes))
	for _, n := range nodes {
		parent[n.UUID] = n.ParentID
	}
	root := make(map[string]string, len(nodes))
	for _, n := range nodes {
		at := n.UUID
		var way []string
		for root[at] == "" && parent[at] != "" && len(way) < len(nodes) {
			way = append(way, at)
			at = parent[at]
		}
		top := at
		if root[at] != "" {
			top = root[at]
		}
		root[top] = top
		for _, uuid := range way {
			root[uuid] = top
		}
	}
	return root
}
