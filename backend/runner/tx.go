package runner

import (
	"mutsumi/backend/access"
	"mutsumi/backend/agent"
	"mutsumi/backend/documents"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/typed"
)

// doc is an open notebook with what its agent needs outside of the notebook's
// lock.
type doc struct {
	*documents.Live
	runner   *Runner
	seen     *builtin.Seen // what the agent has read; its own lock
	consults lock.Mutex    // held while a budget is asked about for an agent that is asked
	raising  chan struct{} // holds one while an agent asks for more
}

// work is what an agent does with an open notebook. The notebook's lock guards
// it: it is reached in a Tx.
type work struct {
	doc             *doc
	runner          *Runner
	active          *run
	queue           []*run
	lane            timeline.Live   // what the agent does now
	typed           typed.Calls     // the tool calls in prompts that the person typed here
	raises          int             // how often the person let agents go on past its budget
	paysForChildren bool            // an agent that stems from this one spends its budget
	revoked         *access.Revoked // by place: what undo took back
}

// Tx is an open notebook, with what its agent does, while its lock is held. What
// belongs to one theme is on a type of its own, which only a Tx gives.
type Tx struct {
	*documents.Tx
	*work
}

// The themes of a Tx.
type (
	queueTx    struct{ *Tx } // the run under way and those that wait
	spendingTx struct{ *Tx } // what the agent used, and its budget
	laneTx     struct{ *Tx } // what the timeline and the interface are told of runs
	childrenTx struct{ *Tx } // the agents that it started, and how it ran itself
	namingTx   struct{ *Tx } // the names that the program gives it
)

func (tx *Tx) runs() queueTx        { return queueTx{tx} }
func (tx *Tx) spending() spendingTx { return spendingTx{tx} }
func (tx *Tx) timeline() laneTx     { return laneTx{tx} }
func (tx *Tx) children() childrenTx { return childrenTx{tx} }
func (tx *Tx) naming() namingTx     { return namingTx{tx} }

// inTx calls f with a notebook and what its agent does.
func inTx[T any](tx *documents.Tx, f func(*Tx) T) T {
	whole := &Tx{tx, tx.Work().(*work)}
	defer func() { whole.work = nil }()
	return f(whole)
}

// do calls f with the notebook as it is, open or let go of, under its lock.
func (d *doc) do(f func(*Tx)) {
	d.Live.Do(func(tx *documents.Tx) {
		inTx(tx, func(tx *Tx) error {
			f(tx)
			return nil
		})
	})
}

// locked is do for a function that gives something.
func locked[T any](d *doc, f func(*Tx) T) (result T) {
	d.do(func(tx *Tx) { result = f(tx) })
	return result
}

// notebooks are the open notebooks of the folder with what their agents do.
type notebooks struct{ registry *documents.Registry }

// open calls f with the notebook at path under its lock, loading it if it is not
// open. One that cannot be worked on is an error.
func (n *notebooks) open(path string, f func(*Tx, *notebook.Document) error) error {
	return n.registry.With(path, func(tx *documents.Tx, nb *notebook.Document) error {
		return inTx(tx, func(tx *Tx) error { return f(tx, nb) })
	})
}

// doc returns the notebook at path, loading it if it is not open.
func (n *notebooks) doc(path string) (*doc, error) {
	d, err := n.registry.Live(path)
	return docOf(d), err
}

// opened gives the notebook at path if it is open, else nil.
func (n *notebooks) opened(path string) *doc { return docOf(n.registry.Opened(path)) }

// docOf is the doc of an open notebook; nil of nil.
func docOf(d *documents.Live) *doc {
	if d == nil {
		return nil
	}
	return d.Agent().(*doc)
}

// NewWork makes what works with a notebook, see documents.Host.
func (rn *Runner) NewWork(live *documents.Live) (any, documents.Work) {
	d := &doc{Live: live, runner: rn, seen: builtin.NewSeen(), raising: make(chan struct{}, 1)}
	return d, &work{doc: d, runner: rn}
}

// Views implements documents.Work.
func (w *work) Views() []notebook.RunView {
	views := make([]notebook.RunView, 0, 1+len(w.queue))
	if w.active != nil {
		views = append(views, w.active.view())
	}
	for _, r := range w.queue {
		views = append(views, r.view())
	}
	return views
}

// Waiting implements documents.Work.
func (w *work) Waiting() bool { return len(w.queue) > 0 }

// Counted implements documents.Work.
func (w *work) Counted() bool { return w.active != nil && w.active.finished }

// MayClose implements documents.Work: what the person allowed past a budget
// would be asked again, or by two agents at once.
func (w *work) MayClose() bool {
	if w.raises > 0 || w.paysForChildren || !w.doc.consults.TryLock() {
		return false
	}
	w.doc.consults.Unlock()
	return true
}

// Spent implements documents.Work.
func (w *work) Spent(tx *documents.Tx) notebook.Spent { return spendingTx{&Tx{tx, w}}.spent() }

// FillIn implements documents.Work.
func (w *work) FillIn(tx *documents.Tx, cells []notebook.CellView) []notebook.CellView {
	return childrenTx{&Tx{tx, w}}.fillIn(cells)
}

// Loaded implements documents.Work: whoever wrote the file typed nothing here.
func (w *work) Loaded() { w.revoked, w.typed = nil, typed.New() }

// Editing implements documents.Work.
func (w *work) Editing(nb *notebook.Document, edits []notebook.Edit) func(newID string) {
	before := typed.Texts(nb, edits)
	return func(newID string) { w.typed.Note(edits, before, newID) }
}

// CellsChanged implements documents.Work.
func (w *work) CellsChanged(tx *documents.Tx) { queueTx{&Tx{tx, w}}.unqueueDeleted() }

// Deleted implements documents.Work: nothing is left that runs could run in.
func (w *work) Deleted(tx *documents.Tx) {
	queue := w.queue
	w.queue = nil
	for _, r := range queue {
		queueTx{&Tx{tx, w}}.ended(r, agent.Result{Outcome: agent.Stopped})
	}
}

// Renamed implements documents.Work.
func (w *work) Renamed(tx *documents.Tx) { laneTx{&Tx{tx, w}}.nameLane() }
