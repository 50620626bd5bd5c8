package documents

import (
	"context"
	"maps"
	"slices"
	"sync"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/settings"
	"mutsumi/backend/unsaved"
)

// Options are what a folder's notebooks are opened with.
type Options struct {
	Context context.Context // ends every wait; what changes after it is saved by Close alone
	Folder  string          // absolute
	Named   string          // a notebook that may lie outside the folder, absolute; "": none
	Quiet   bool            // nobody follows the folder: it is looked through when something has to be found
	Outbox  *event.Outbox
	Rights  *settings.Rights // tells whose file a uuid is
	Unsaved unsaved.Store    // for texts that have no place in the folder
	Prices  func() cost.Table
	Host    Host
}

// Registry knows the notebooks of the folder: those that are open, what the
// tree shows of each, and whose a uuid is. Its lock is taken after a document's,
// and nothing slow happens under it. It is safe for concurrent use.
type Registry struct {
	folder
	ctx     context.Context
	quiet   bool // Options.Quiet
	out     *event.Outbox
	rights  *settings.Rights
	texts   unsaved.Store
	prices  func() cost.Table
	host    Host
	links   hardLinks      // its own lock
	saves   sync.WaitGroup // saves under way or due
	scanned sync.Once      // see lookThrough

	guarded lock.Guarded[index]
}

// index is what the lock of a Registry guards.
type index struct {
	reg       *Registry
	docs      map[string]*Live
	summaries map[string]Summary
	files     []string          // of summaries, in order
	hidden    map[string]bool   // recovery files
	renamed   map[string]string // open notebooks: from a path of before to the one of now
	live      map[string]agenttree.Live
	forked    map[string]bool   // agents that wait for their children, by uuid
	holders   map[string]string // by uuid: the path of the notebook that has it
	copies    map[uuidCopy]bool // the others that say so
	tree      *agenttree.Tree
	nodes     []agenttree.Node // of tree
}

// New makes a registry of which nothing is known yet: FilesChanged is told of
// the notebooks that are there.
func New(o Options) *Registry {
	reg := &Registry{
		folder: folder{root: o.Folder}, ctx: o.Context, quiet: o.Quiet, out: o.Outbox,
		rights: o.Rights, texts: o.Unsaved, prices: o.Prices, host: o.Host,
	}
	reg.named.Store(&o.Named)
	reg.index(func(ix *index) {
		*ix = index{
			reg: reg, docs: map[string]*Live{}, summaries: map[string]Summary{}, hidden: map[string]bool{}, renamed: map[string]string{},
			live: map[string]agenttree.Live{}, forked: map[string]bool{}, holders: map[string]string{}, copies: map[uuidCopy]bool{},
			tree: agenttree.NewTree(nil, nil),
		}
	})
	return reg
}

// index calls f with what the registry knows, under its lock. f takes no
// document's lock, and waits for nothing.
func (reg *Registry) index(f func(*index)) { reg.guarded.Do(f) }

// indexed is index for a function that gives something.
func indexed[T any](reg *Registry, f func(*index) T) (result T) {
	reg.index(func(ix *index) { result = f(ix) })
	return result
}

// Lookup gives the notebook at path if it is open, else nil, what the tree shows
// of it, and whether it is a recovery file.
func (reg *Registry) Lookup(path string) (d *Live, h Summary, hidden bool) {
	reg.index(func(ix *index) { d, h, hidden = ix.docs[path], ix.summaries[path], ix.hidden[path] })
	return d, h, hidden
}

// Holder is the path of the notebook that has a uuid; "": nobody has it.
func (reg *Registry) Holder(uuid string) string {
	return indexed(reg, func(ix *index) string { return ix.holders[uuid] })
}

// do calls f with the notebook of a file under its lock, loading it if it is not
// open. One that was closed between the two locks is asked for again.
func (reg *Registry) do(at Place, f func(*Tx) error) (err error) {
	for again := true; again; {
		d := indexed(reg, func(ix *index) *Live {
			if ix.docs[at.Path] == nil {
				ix.docs[at.Path] = reg.newLive(at)
			}
			return ix.docs[at.Path]
		})
		d.Do(func(tx *Tx) {
			if again = tx.closed; again { // between the two locks
				return
			}
			if tx.nb == nil && tx.problem == nil {
				if err = tx.load(); err != nil {
					tx.Close()
					return
				}
			}
			err = f(tx)
		})
	}
	return err
}

// Opened gives the notebook at path if it is open, else nil.
func (reg *Registry) Opened(path string) *Live {
	return indexed(reg, func(ix *index) *Live { return ix.docs[path] })
}

// Summary is what the tree shows of the notebook at path.
func (reg *Registry) Summary(path string) Summary {
	return indexed(reg, func(ix *index) Summary { return ix.summaries[path] })
}

// unload has the next who wants a notebook load it.
func (reg *Registry) unload(d *Live) {
	reg.index(func(ix *index) {
		if ix.docs[d.Path()] == d {
			delete(ix.docs, d.Path())
		}
	})
}

// OpenDocs lists the notebooks that are open.
func (reg *Registry) OpenDocs() []*Live {
	return indexed(reg, func(ix *index) []*Live {
		docs := make([]*Live, 0, len(ix.docs))
		for _, d := range ix.docs {
			docs = append(docs, d)
		}
		return docs
	})
}

// Agents gives the tree as it is now.
func (reg *Registry) Agents() []agenttree.Node {
	return indexed(reg, func(ix *index) []agenttree.Node { return slices.Clone(ix.nodes) })
}

// SetLive notes what runs in a notebook, and tells of it.
func (reg *Registry) SetLive(path string, l agenttree.Live, tell bool) {
	reg.index(func(ix *index) {
		if ix.live[path] == l {
			return
		}
		ix.live[path] = l
		if !tell {
			return
		}
		if changed, ok := ix.tree.Update(ix.summaries[path].Summary, l); ok {
			ix.emitTree(changed, []string{})
		} else {
			ix.publishTree()
		}
	})
}

// publishTree computes the tree again and tells what is different.
func (ix *index) publishTree() {
	ix.tree = agenttree.NewTree(ix.inOrder(), ix.live)
	changed, removed := agenttree.Diff(ix.nodes, ix.tree.Nodes())
	ix.nodes = ix.tree.Nodes()
	ix.emitTree(changed, removed)
}

// emitTree tells of nodes that are different and files that are gone.
func (ix *index) emitTree(changed []agenttree.Node, removed []string) {
	if len(changed)+len(removed) > 0 {
		ix.reg.out.Emit(event.TreeChanged{Nodes: changed, Removed: removed})
		ix.reg.host.TreeChanged()
	}
}

// inOrder gives the heads in the order of their files, which seldom change.
func (ix *index) inOrder() []agenttree.Summary {
	heads := make([]agenttree.Summary, 0, len(ix.summaries))
	for _, file := range ix.files {
		if h, there := ix.summaries[file]; there {
			heads = append(heads, h.Summary)
		}
	}
	if len(heads) == len(ix.summaries) {
		return heads
	}
	ix.files = slices.Sorted(maps.Keys(ix.summaries))
	return ix.inOrder()
}
