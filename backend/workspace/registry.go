package workspace

import (
	"maps"
	"slices"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
)

// registry knows the notebooks of the folder: those that are open, what the
// tree shows of each, and whose a uuid is. Its lock is taken after a document's,
// and nothing slow happens under it.
type registry struct {
	out     *event.Outbox
	made    func(place) *doc // makes a document of which nothing is loaded
	changed func()           // the tree is another one; called under the lock

	guarded lock.Guarded[index]
}

// index is what the lock of a registry guards.
type index struct {
	reg     *registry
	docs    map[string]*doc
	heads   map[string]head
	files   []string          // of heads, in order
	hidden  map[string]bool   // files of refuges
	renamed map[string]string // open notebooks: from a path of before to the one of now
	live    map[string]agenttree.Live
	forked  map[string]bool   // agents that wait for their children, by uuid
	holders map[string]string // by uuid: the path of the notebook that has it
	copies  map[copied]bool   // the others that say so
	tree    *agenttree.Tree
	nodes   []agenttree.Node // of tree
}

func newRegistry(out *event.Outbox, made func(place) *doc, changed func()) *registry {
	reg := &registry{out: out, made: made, changed: changed}
	reg.index(func(ix *index) {
		*ix = index{
			reg: reg, docs: map[string]*doc{}, heads: map[string]head{}, hidden: map[string]bool{}, renamed: map[string]string{},
			live: map[string]agenttree.Live{}, forked: map[string]bool{}, holders: map[string]string{}, copies: map[copied]bool{},
			tree: agenttree.NewTree(nil, nil),
		}
	})
	return reg
}

// index calls f with what the registry knows, under its lock. f takes no
// document's lock, and waits for nothing.
func (reg *registry) index(f func(*index)) { reg.guarded.Do(f) }

// indexed is index for a function that gives something.
func indexed[T any](reg *registry, f func(*index) T) (result T) {
	reg.index(func(ix *index) { result = f(ix) })
	return result
}

// look gives the notebook at path if it is open, else nil, what the tree shows
// of it, and whether it is the file of a refuge.
func (reg *registry) look(path string) (d *doc, h head, hidden bool) {
	reg.index(func(ix *index) { d, h, hidden = ix.docs[path], ix.heads[path], ix.hidden[path] })
	return d, h, hidden
}

// holder is the path of the notebook that has a uuid; "": nobody has it.
func (reg *registry) holder(uuid string) string {
	return indexed(reg, func(ix *index) string { return ix.holders[uuid] })
}

// do calls f with the notebook of a file under its lock, loading it if it is not
// open. One that was closed between the two locks is asked for again.
func (reg *registry) do(at place, f func(*Tx) error) (err error) {
	for again := true; again; {
		d := indexed(reg, func(ix *index) *doc {
			if ix.docs[at.path] == nil {
				ix.docs[at.path] = reg.made(at)
			}
			return ix.docs[at.path]
		})
		d.do(func(tx *Tx) {
			if again = tx.closed; again { // between the two locks
				return
			}
			if tx.nb == nil && tx.problem == nil {
				if err = tx.load(); err != nil {
					tx.close()
					return
				}
			}
			err = f(tx)
		})
	}
	return err
}

// opened gives the notebook at path if it is open, else nil.
func (reg *registry) opened(path string) *doc {
	return indexed(reg, func(ix *index) *doc { return ix.docs[path] })
}

// headAt is what the tree shows of the notebook at path.
func (reg *registry) headAt(path string) head {
	return indexed(reg, func(ix *index) head { return ix.heads[path] })
}

// letGo has the next who wants a notebook load it.
func (reg *registry) letGo(d *doc) {
	reg.index(func(ix *index) {
		if ix.docs[d.path()] == d {
			delete(ix.docs, d.path())
		}
	})
}

// openDocs lists the notebooks that are open.
func (reg *registry) openDocs() []*doc {
	return indexed(reg, func(ix *index) []*doc {
		docs := make([]*doc, 0, len(ix.docs))
		for _, d := range ix.docs {
			docs = append(docs, d)
		}
		return docs
	})
}

// agents gives the tree as it is now.
func (reg *registry) agents() []agenttree.Node {
	return indexed(reg, func(ix *index) []agenttree.Node { return slices.Clone(ix.nodes) })
}

// setLive notes what runs in a notebook, and tells of it.
func (reg *registry) setLive(path string, l agenttree.Live, tell bool) {
	reg.index(func(ix *index) {
		if ix.live[path] == l {
			return
		}
		ix.live[path] = l
		if !tell {
			return
		}
		if changed, ok := ix.tree.Update(ix.heads[path].Head, l); ok {
			ix.treeChanged(changed, []string{})
		} else {
			ix.tellTree()
		}
	})
}

// tellTree computes the tree again and tells what is different.
func (ix *index) tellTree() {
	ix.tree = agenttree.NewTree(ix.inOrder(), ix.live)
	changed, removed := agenttree.Diff(ix.nodes, ix.tree.Nodes())
	ix.nodes = ix.tree.Nodes()
	ix.treeChanged(changed, removed)
}

// treeChanged tells of nodes that are different and files that are gone.
func (ix *index) treeChanged(changed []agenttree.Node, removed []string) {
	if len(changed)+len(removed) > 0 {
		ix.reg.out.Emit(event.TreeChanged{Nodes: changed, Removed: removed})
		ix.reg.changed()
	}
}

// inOrder gives the heads in the order of their files, which seldom change.
func (ix *index) inOrder() []agenttree.Head {
	heads := make([]agenttree.Head, 0, len(ix.heads))
	for _, file := range ix.files {
		if h, there := ix.heads[file]; there {
			heads = append(heads, h.Head)
		}
	}
	if len(heads) == len(ix.heads) {
		return heads
	}
	ix.files = slices.Sorted(maps.Keys(ix.heads))
	return ix.inOrder()
}
