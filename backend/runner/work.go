package runner

import (
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/agent"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/log"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/typed"
)

// work is what an agent does in one open notebook: its active run, its queue and
// its budget. The notebook's lock guards it, so it is reached through a Tx. It is
// the documents.Work of that notebook.
type work struct {
	doc             *doc
	runner          *Runner
	active          *run
	queue           []*run
	looked          time.Time       // since when the file may hold what the notebook lacks; see look
	lane            timeline.Live   // the open spans of the agent's lane
	typed           typed.Calls     // the tool calls in prompts that the person typed here
	raises          int             // how often the person raised its budget during this work
	paysForChildren bool            // descendants of this agent spend its budget
	revoked         *access.Revoked // places that undo revoked; nil: none
	awaits          bool            // the queue waits for the models of a new provider
	awaited         bool            // it did, and does not wait for the same ones again
}

// NewWork makes the doc and the work of a notebook that is opened, see
// documents.Host.
func (rn *Runner) NewWork(live *documents.Live) (any, documents.Work) {
	d := &doc{Live: live, runner: rn, seen: builtin.NewSeen(), raising: make(chan struct{}, 1)}
	return d, &work{doc: d, runner: rn, looked: time.Now()} // the file is read after this
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

// MayClose implements documents.Work. It is false while closing would forget what the person
// allowed beyond a budget, or let two agents ask about it at once.
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

// Loaded implements documents.Work: calls that came with the file do not count as typed here.
func (w *work) Loaded() { w.revoked, w.typed = nil, typed.New() }

// Editing implements documents.Work.
func (w *work) Editing(nb *notebook.Document, edits []notebook.Edit) func(newID string) {
	before := typed.Texts(nb, edits)
	return func(newID string) { w.typed.Note(edits, before, newID) }
}

// CellsChanged implements documents.Work.
func (w *work) CellsChanged(tx *documents.Tx) { queueTx{&Tx{tx, w}}.unqueueDeleted() }

// Appended implements documents.Work: prompts without an answer go to the agent at its next step
// (SPEC 11.1), as if the person had chosen "send now". On the command line only its own prompt is
// answered. Prompts that an agent's command may have written wait for the person: no agent gives
// prompts to another one or to itself.
func (w *work) Appended(tx *documents.Tx, cells []string) {
	q := queueTx{&Tx{tx, w}}
	if w.runner.with.Once || w.active == nil || w.active.ctx.Err() != nil {
		return
	}
	if w.runner.with.Commands.RanSince(w.looked) {
		w.runner.with.Log.Warn("prompts not sent, an agent's command may have written them", log.Notebook(tx.Path()), log.Count("cells", len(cells)))
		return
	}
	for _, cell := range cells {
		if notebook.AwaitsAnswer(tx.Notebook(), cell) && !q.isPending(cell) {
			r := q.addToQueue(cell, false)
			r.sendNow = true
			w.runner.out.Emit(event.RunQueued{RunID: r.id, Path: tx.Path(), Cell: cell, Now: true})
		}
	}
	q.timeline().traceQueue()
	q.publishActivity("")
}

// look checks the disk between two steps of a run. What a command appended stays suspect until a
// look has found it: a look that could not compare does not count.
func (d *doc) look() {
	at := time.Now()
	if d.LookAtDisk() {
		d.do(func(tx *Tx) { tx.looked = at })
	}
}

// Deleted implements documents.Work: it ends the queued runs, whose notebook was removed.
func (w *work) Deleted(tx *documents.Tx) {
	queue := w.queue
	w.queue = nil
	for _, r := range queue {
		queueTx{&Tx{tx, w}}.ended(r, agent.Result{Outcome: agent.Stopped})
	}
}

// Renamed implements documents.Work.
func (w *work) Renamed(tx *documents.Tx) { laneTx{&Tx{tx, w}}.nameLane() }
