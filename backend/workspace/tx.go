package workspace

import (
	"sync/atomic"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/cost"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
	"mutsumi/backend/tool/builtin"
)

// doc is an open notebook, for who keeps it longer than its lock is held. What
// is in the notebook is reached through do alone.
type doc struct {
	w        *Workspace
	at       atomic.Pointer[place] // written under the document's lock and the registry's, when the file is renamed
	runs     atomic.Bool           // a run is active; for those that may not take the lock
	seen     *builtin.Seen         // what the agent has read; its own lock
	consults lock.Mutex            // held while a budget is asked about for an agent that is asked
	asks     chan struct{}         // holds one while an agent asks for more

	guarded lock.Guarded[contents]
}

// contents is what the lock of a document guards.
type contents struct {
	closed   bool               // let go of: who finds it so asks the workspace for the notebook again
	shown    bool               // a person looked at it or edited it here: it stays until CloseNotebook
	nb       *notebook.Document // nil: not loaded, or problem says why it cannot be
	problem  *notebook.Problem
	stamp    notebook.Stamp
	conflict bool      // the file on disk is another one than was read or written last
	gone     bool      // the file is not there any more
	missed   bool      // the folder was looked through for it since
	went     time.Time // when its file was first found gone; zero: it is there, or was not looked for
	saver    saver
	active   *run
	queue    []*run
	lane     timeline.Live   // what the agent does now
	typed    typedCalls      // the tool calls in prompts that the person typed here
	total    cost.Total      // of the answers that are in the notebook
	tally    *notebook.Tally // the same without prices
	more     int             // how often the person let agents go on past its budget
	taken    *access.Taken   // by place: what undo took back
}

// Tx is an open notebook while its lock is held. Everything that happens to the
// notebook, edits and running answers alike, happens through a Tx, and its
// events are emitted there, so that a state read in a Tx holds every event up to
// the outbox's number. It is good until the function returns that it was given
// to: used later it panics. A function with a Tx waits for no other document
// and no Tx of the same one, and for the disk only to load the notebook.
//
// What belongs to one theme is on a type of its own, which only a Tx gives.
type Tx struct {
	w   *Workspace
	doc *doc
	*contents
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
func (tx *Tx) path() string         { return tx.doc.path() }
func (tx *Tx) file() string         { return tx.doc.file() }

// do calls f with the notebook as it is, open or let go of, under its lock.
func (d *doc) do(f func(*Tx)) {
	d.guarded.Do(func(c *contents) {
		tx := &Tx{d.w, d, c}
		defer func() { tx.contents = nil }()
		f(tx)
	})
}

// locked is do for a function that gives something.
func locked[T any](d *doc, f func(*Tx) T) (result T) {
	d.do(func(tx *Tx) { result = f(tx) })
	return result
}

// newDoc makes a document of which nothing is loaded.
func (w *Workspace) newDoc(at place) *doc {
	d := &doc{w: w, seen: builtin.NewSeen(), asks: make(chan struct{}, 1)}
	d.at.Store(&at)
	return d
}

// open calls f with the notebook at path under its lock, loading it if it is not
// open.
func (w *Workspace) open(path string, f func(*Tx) error) error {
	file, err := w.resolve(path)
	if err != nil {
		return err
	}
	if err := knownName(path, file); err != nil {
		return err
	}
	path, file = w.mainName(path, file)
	path, file = w.registry.nameNow(path, file)
	return w.registry.do(place{path, file}, f)
}

// with is open for a notebook that can be worked on.
func (w *Workspace) with(path string, f func(*Tx, *notebook.Document) error) error {
	return w.open(path, func(tx *Tx) error {
		nb, err := tx.readable()
		if err != nil {
			return err
		}
		return f(tx, nb)
	})
}

// doc returns the notebook at path, loading it if it is not open.
func (w *Workspace) doc(path string) (d *doc, err error) {
	err = w.open(path, func(tx *Tx) error {
		d = tx.doc
		return nil
	})
	return d, err
}
