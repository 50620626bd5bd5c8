package documents

import (
	"cmp"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
)

// Access to the tree for other packages.

// Summaries lists the tree's entries, in no particular order.
func (reg *Registry) Summaries() []Summary {
	return indexed(reg, func(ix *index) []Summary {
		all := make([]Summary, 0, len(ix.summaries))
		for _, h := range ix.summaries {
			all = append(all, h)
		}
		return all
	})
}

// Count is the number of notebooks in the tree.
func (reg *Registry) Count() int {
	return indexed(reg, func(ix *index) int { return len(ix.summaries) })
}

// ByUUID gives the path of the notebook that has a uuid; NotFound: none has.
func (reg *Registry) ByUUID(id string) (string, error) {
	if path := reg.Holder(id); path != "" && reg.Summary(path).UUID == id {
		return path, nil
	}
	return "", fault.New(fault.NotFound, "the agent %s is not in this folder", id)
}

// Find gives the path of the agent with a uuid, which was at path; path itself
// if no other file is it.
func (reg *Registry) Find(path, uuid string) string {
	reg.index(func(ix *index) {
		if ix.summaries[path].UUID != uuid {
			for _, n := range ix.nodes { // it was renamed
				if n.UUID == uuid {
					path = n.File
				}
			}
		}
	})
	return path
}

// OpenedAs gives the open notebook at path, or that was there before it was
// renamed; nil: it is not open.
func (reg *Registry) OpenedAs(path string) *Live {
	return indexed(reg, func(ix *index) *Live { return cmp.Or(ix.docs[path], ix.docs[ix.renamed[path]]) })
}

// Ancestors lists the paths of the notebooks that one stems from, nearest first.
func (reg *Registry) Ancestors(path string) []string {
	return indexed(reg, func(ix *index) []string { return agenttree.Ancestors(ix.nodes, path) })
}

// EachAgent calls f with every agent of the tree, what runs in it, and whether
// it waits for its children. It is called under the registry's lock, and waits
// for nothing.
func (reg *Registry) EachAgent(f func(n agenttree.Node, l agenttree.Live, forked bool)) {
	reg.index(func(ix *index) {
		for _, n := range ix.nodes {
			f(n, ix.live[n.File], ix.forked[n.UUID])
		}
	})
}

// SetForked records whether the agent with a uuid waits for its children.
func (reg *Registry) SetForked(uuid string, waits bool) {
	reg.index(func(ix *index) {
		if waits {
			ix.forked[uuid] = true
		} else {
			delete(ix.forked, uuid)
		}
	})
}

// Forked reports whether the agent with a uuid waits for its children.
func (reg *Registry) Forked(uuid string) bool {
	return indexed(reg, func(ix *index) bool { return ix.forked[uuid] })
}

// SetNeedsYou records which agents wait for the person, by path, and publishes it.
func (reg *Registry) SetNeedsYou(waiting map[string]bool) {
	reg.index(func(ix *index) {
		changed := false
		for path, l := range ix.live {
			if l.NeedsYou != waiting[path] {
				l.NeedsYou = waiting[path]
				ix.live[path] = l
				changed = true
			}
		}
		if changed {
			ix.publishTree()
		}
	})
}
