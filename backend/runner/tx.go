package runner

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tool/builtin"
)

// doc is an open notebook together with the parts of its agent's state that have
// locks of their own.
type doc struct {
	*documents.Live
	runner   *Runner
	seen     *builtin.Seen // the files that the agent has read
	consults lock.Mutex    // held while a request of a consulted agent checks the budget
	raising  chan struct{} // holds one element while an agent asks for a higher budget
}

// Tx is an open notebook and its agent's work while the notebook's lock is held.
// Its methods are grouped by theme, each group on a type of its own.
type Tx struct {
	*documents.Tx
	*work
}

// The groups of methods of a Tx.
type (
	queueTx    struct{ *Tx } // the active run and the queued ones
	spendingTx struct{ *Tx } // the agent's usage and budget
	laneTx     struct{ *Tx } // the agent's lane of the timeline
	childrenTx struct{ *Tx } // the agents that it started
	namingTx   struct{ *Tx } // the names that the program gives the agent
)

func (tx *Tx) runs() queueTx        { return queueTx{tx} }
func (tx *Tx) spending() spendingTx { return spendingTx{tx} }
func (tx *Tx) timeline() laneTx     { return laneTx{tx} }
func (tx *Tx) children() childrenTx { return childrenTx{tx} }
func (tx *Tx) naming() namingTx     { return namingTx{tx} }

// inTx calls f with the notebook of tx and its agent's work.
func inTx[T any](tx *documents.Tx, f func(*Tx) T) T {
	whole := &Tx{tx, tx.Work().(*work)}
	defer func() { whole.work = nil }()
	return f(whole)
}

// do calls f with the notebook under its lock, whether it is still open or was
// closed.
func (d *doc) do(f func(*Tx)) {
	d.Live.Do(func(tx *documents.Tx) {
		inTx(tx, func(tx *Tx) error {
			f(tx)
			return nil
		})
	})
}

// locked is do for a function with a result.
func locked[T any](d *doc, f func(*Tx) T) (result T) {
	d.do(func(tx *Tx) { result = f(tx) })
	return result
}

// notebooks finds the open notebooks of the folder.
type notebooks struct{ registry *documents.Registry }

// open calls f with the notebook at path under its lock, loading it first if
// necessary. A notebook that cannot be read is an error.
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

// notHeld returns an error while another process holds the lock of the notebook at path.
func (n *notebooks) notHeld(path string) error {
	d, err := n.registry.Live(path)
	if err != nil {
		return err
	}
	return d.NotHeld()
}

// opened returns the notebook at path if it is open, else nil.
func (n *notebooks) opened(path string) *doc { return docOf(n.registry.Opened(path)) }

// docOf returns the doc of an open notebook, nil for nil.
func docOf(d *documents.Live) *doc {
	if d == nil {
		return nil
	}
	return d.Agent().(*doc)
}
