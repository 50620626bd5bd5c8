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
	"mutsumi/backend/log"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runlock"
	"mutsumi/backend/settings"
	"mutsumi/backend/unsaved"
)

// Options configure a Registry.
type Options struct {
	Context context.Context // ends every wait; changes after it are saved by Close only
	Folder  string          // absolute
	Named   string          // a notebook that may be outside the folder, absolute; "": none
	Quiet   bool            // the folder is not watched, and scanned only when needed
	Outbox  *event.Outbox
	Rights  *settings.Rights // knows which file a uuid belongs to
	Unsaved unsaved.Store    // for texts that cannot be saved in the folder
	Prices  func() cost.Table
	Host    Host
	Log     *log.Log
	Locks   runlock.Store // knows which process runs an agent
}

// Registry tracks the notebooks of a folder: the open ones, the tree's entry for each, and the
// holder of each uuid. Its lock is taken after a document's, and nothing slow happens under it. It
// is safe for concurrent use.
type Registry struct {
	folder
	ctx     context.Context
	quiet   bool // Options.Quiet
	out     *event.Outbox
	rights  *settings.Rights
	texts   unsaved.Store
	prices  func() cost.Table
	host    Host
	log     *log.Log
	locks   runlock.Store
	counts  counts
	links   hardLinks      // its own lock
	windows windows        // its own lock
	saves   sync.WaitGroup // saves under way or due
	scanned sync.Once      // see scanOnce

	guarded lock.Guarded[index]
}

// index is the data that a Registry's lock guards.
type index struct {
	reg       *Registry
	docs      map[string]*Live
	summaries map[string]Summary
	files     []string                      // of summaries, in order
	hidden    map[string]bool               // recovery files
	renamed   map[string]string             // of open notebooks: the current path by an earlier one
	left      map[string]*notebook.Document // of shown notebooks whose files went: what windows have of them, by path
	live      map[string]agenttree.Live
	forked    map[string]bool    // agents that wait for their children, by uuid
	holders   map[string]string  // the path of the notebook with a uuid
	copies    map[uuidCopy]bool  // the other files with the uuid
	unnamed   map[string]copyTry // by path: copies that were not given a uuid of their own
	tree      *agenttree.Tree
	nodes     []agenttree.Node // of tree
}

// New returns an empty Registry. FilesChanged adds the notebooks that exist.
func New(o Options) *Registry {
	reg := &Registry{
		folder: folder{root: o.Folder}, ctx: o.Context, quiet: o.Quiet, out: o.Outbox,
		rights: o.Rights, texts: o.Unsaved, prices: o.Prices, host: o.Host, log: o.Log, locks: o.Locks,
	}
	reg.named.Store(&o.Named)
	reg.index(func(ix *index) {
		*ix = index{
			reg: reg, docs: map[string]*Live{}, summaries: map[string]Summary{}, hidden: map[string]bool{}, renamed: map[string]string{}, left: map[string]*notebook.Document{},
			live: map[string]agenttree.Live{}, forked: map[string]bool{}, holders: map[string]string{}, copies: map[uuidCopy]bool{}, unnamed: map[string]copyTry{},
			tree: agenttree.NewTree(nil, nil),
		}
	})
	return reg
}

// index calls f with the registry's index, under its lock. f must not take a document's
// lock and must not wait.
func (reg *Registry) index(f func(*index)) { reg.guarded.Do(f) }

// indexed is index for a function with a result.
func indexed[T any](reg *Registry, f func(*index) T) (result T) {
	reg.index(func(ix *index) { result = f(ix) })
	return result
}

// Lookup returns the notebook at path if it is open, otherwise nil, its entry in the tree, and
// whether it is a recovery file.
func (reg *Registry) Lookup(path string) (d *Live, h Summary, hidden bool) {
	reg.index(func(ix *index) { d, h, hidden = ix.docs[path], ix.summaries[path], ix.hidden[path] })
	return d, h, hidden
}

// Holder returns the path of the notebook that holds a uuid, "" for none.
func (reg *Registry) Holder(uuid string) string {
	return indexed(reg, func(ix *index) string { return ix.holders[uuid] })
}

// do calls f with the notebook of a file under its lock, loading it first if it is not
// open. If the notebook was closed before its lock was taken, do tries again.
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
				// Text that was typed while the file was gone must not replace what another program wrote meanwhile.
				tx.before = indexed(reg, func(ix *index) *notebook.Document { return ix.left[at.Path] })
				back := tx.before != nil
				if err = tx.load(); err != nil {
					tx.Close()
					return
				}
				if back {
					reg.index(func(ix *index) { delete(ix.left, at.Path) })
					reg.out.Emit(event.NotebookReloaded{Path: tx.Path()})
				}
			}
			err = f(tx)
		})
	}
	return err
}

// Opened returns the notebook at path if it is open, otherwise nil.
func (reg *Registry) Opened(path string) *Live {
	return indexed(reg, func(ix *index) *Live { return ix.docs[path] })
}

// Summary returns the tree's entry for the notebook at path.
func (reg *Registry) Summary(path string) Summary {
	return indexed(reg, func(ix *index) Summary { return ix.summaries[path] })
}

// unload forgets an open notebook, so that its next use loads it again.
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

// Agents returns the nodes of the tree as it is now.
func (reg *Registry) Agents() []agenttree.Node {
	return indexed(reg, func(ix *index) []agenttree.Node { return slices.Clone(ix.nodes) })
}

// SetLive sets what is running in a notebook, and publishes the tree if tell is true.
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

// publishTree recomputes the tree and emits the changes.
func (ix *index) publishTree() {
	ix.tree = agenttree.NewTree(ix.inOrder(), ix.live)
	changed, removed := agenttree.Diff(ix.nodes, ix.tree.Nodes())
	ix.nodes = ix.tree.Nodes()
	ix.emitTree(changed, removed)
}

// emitTree emits the nodes that changed and the files that are gone.
func (ix *index) emitTree(changed []agenttree.Node, removed []string) {
	if len(changed)+len(removed) > 0 {
		ix.reg.out.Emit(event.TreeChanged{Nodes: changed, Removed: removed})
		ix.reg.host.TreeChanged()
	}
}

// inOrder returns the summaries in the order of their files, which seldom changes.
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
