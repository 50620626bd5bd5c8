package workspace

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
)

// Bounds of what is looked at and shown of files under several hands.
const (
	mostWrites = 20    // files that one call writes
	mostHands  = 2_000 // files of one agent
)

// hands is what the session knows of files under several hands. Its lock is
// taken last.
type hands struct {
	mu     sync.Mutex
	waived map[waiver]bool
	asking map[[2]string]func() approval.Request // by notebook's uuid and call: the request made anew
}

// waiver says that the person lets two agents write the same file.
type waiver struct{ notebook, other, file string }

func (h *hands) waive(notebook string, others []approval.Hand) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waived == nil {
		h.waived = map[waiver]bool{}
	}
	for _, o := range others {
		h.waived[waiver{notebook, o.Notebook, o.File}] = true
	}
}

func (h *hands) isWaived(x waiver) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waived[x]
}

// follow keeps how a request is made anew until the function that it returns
// is called.
func (h *hands) follow(notebook, callID string, again func() approval.Request) (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asking == nil {
		h.asking = map[[2]string]func() approval.Request{}
	}
	h.asking[[2]string{notebook, callID}] = again
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.asking, [2]string{notebook, callID})
	}
}

func (h *hands) again(r approval.Request) func() approval.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asking[[2]string{r.Notebook, r.CallID}]
}

// handsOn lists the other agents that have a hand in the files that a call is
// about to write, the latest first: those that wrote one since this agent last
// read or wrote it, or since its run began for one that it does not know, and
// those that wrote one in the run that they are in.
func (w *Workspace) handsOn(path string, call approval.Call) []approval.Hand {
	paths := approval.Writes(call)
	if len(paths) == 0 {
		return nil
	}
	s := w.store()
	if s == nil {
		return nil
	}
	var found []approval.Hand
	for _, file := range paths[:min(len(paths), mostWrites)] {
		writers, err := s.Writers(file)
		if err != nil {
			continue // what cannot be looked up is nobody's: the tools themselves see that a file changed
		}
		own, others := w.sorted(call.Notebook, writers)
		if len(others) == 0 {
			continue
		}
		known := w.knownSince(path, file, own)
		for _, h := range others {
			h.File = w.PathOf(file)
			if (h.AtMs > known || h.Running) && !w.hands.isWaived(waiver{call.Notebook, h.Notebook, h.File}) {
				found = append(found, h)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b approval.Hand) int { return cmp.Compare(b.AtMs, a.AtMs) })
	return found
}

// sorted tells an agent's own writing from that of others, one hand for each.
// What only changed while a command of the agent itself ran is not its writing.
func (w *Workspace) sorted(notebook string, writers []checkpoint.Writer) (ownMs int64, others []approval.Hand) {
	last, certain := map[string]int64{}, map[string]bool{}
	for _, x := range writers {
		if x.Uncertain && x.Notebook == notebook {
			continue
		}
		last[x.Notebook] = max(last[x.Notebook], x.WroteMs)
		certain[x.Notebook] = certain[x.Notebook] || !x.Uncertain
	}
	ownMs = last[notebook]
	delete(last, notebook)
	if len(last) == 0 {
		return ownMs, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	nodes := make(map[string]*agenttree.Node, len(last))
	for i := range w.nodes {
		if _, wanted := last[w.nodes[i].UUID]; wanted {
			nodes[w.nodes[i].UUID] = &w.nodes[i]
		}
	}
	for id, at := range last {
		h := approval.Hand{Notebook: id, AtMs: at, Agent: "an agent that is gone", Uncertain: !certain[id]}
		if n := nodes[id]; n != nil {
			l := w.live[n.File]
			h.Path, h.Agent = n.File, n.Name
			h.Running = w.worksNow(n) && (at >= l.StartedMs || l.StartedMs == 0)
		}
		others = append(others, h)
	}
	slices.SortFunc(others, func(a, b approval.Hand) int {
		return cmp.Or(cmp.Compare(b.AtMs, a.AtMs), cmp.Compare(a.Notebook, b.Notebook))
	})
	return ownMs, others
}

// worksNow reports whether an agent may write something next. One that waits
// for its children does not: they may be the ones who ask. Under w.mu.
func (w *Workspace) worksNow(n *agenttree.Node) bool {
	l := w.live[n.File]
	return (l.Running || l.Queued) && !w.forked[n.UUID]
}

// knownSince says since when the agent of a notebook knows a file as it is.
func (w *Workspace) knownSince(path, file string, ownMs int64) int64 {
	w.mu.Lock()
	d := w.docs[path]
	w.mu.Unlock()
	if d == nil {
		return ownMs
	}
	if at := d.seen.At(real(file)); at > 0 {
		return max(ownMs, at)
	}
	d.mu.Lock()
	began, uuid, snapshot := int64(0), "", (*notebook.Snapshot)(nil)
	if d.nb != nil {
		uuid, snapshot = d.nb.Meta().UUID, d.nb.Encoded()
	}
	if d.active != nil {
		began = d.active.startedMs
	}
	d.mu.Unlock()
	if snapshot != nil { // read before the program was started
		ownMs = max(ownMs, w.readsIn(uuid, snapshot)[real(file)])
	}
	return cmp.Or(ownMs, began)
}

func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// readsIn gives the files that an agent read as its notebook tells it, and
// when each was read last.
func (w *Workspace) readsIn(uuid string, nb *notebook.Snapshot) map[string]int64 {
	reads, folder := map[string]int64{}, w.folder
	if g, ok := w.groundOf(uuid); ok {
		folder = g.Place.Workspace()
	}
	for _, c := range nb.Trace(timeline.SpansOfLane).Cells {
		names := map[string]string{} // of files, by call
		for _, m := range c.Messages {
			for _, call := range m.Calls {
				if call.Function.Name == "read_file" {
					names[call.ID] = fileIn(json.RawMessage(call.Function.Arguments))
				}
			}
			if name := names[m.ToolCallID]; name != "" && !m.IsError {
				file := real(absoluteIn(folder, name))
				reads[file] = max(reads[file], m.AtMs)
			}
		}
	}
	return reads
}

// fileIn is the file that a call names, under the names that models give it.
func fileIn(args json.RawMessage) string {
	for _, name := range []string{"uri", "path", "file", "file_path", "filename"} {
		if s := stringIn(args, name); s != "" {
			return s
		}
	}
	return ""
}

// Hands lists the files that a notebook's agent read and wrote, the latest
// first, at most 2,000. What it only looked at with a shell command is not
// among them.
func (w *Workspace) Hands(path string) ([]HandView, error) {
	var uuid string
	var snapshot *notebook.Snapshot
	var reads map[string]int64
	if err := w.with(path, func(d *doc, nb *notebook.Document) error {
		uuid, snapshot, reads = nb.Meta().UUID, nb.Encoded(), d.seen.Reads()
		return nil
	}); err != nil {
		return nil, err
	}
	s, err := w.openStore()
	if err != nil {
		return nil, err
	}
	written, err := s.Written()
	if err != nil {
		return nil, err
	}
	for file, at := range w.readsIn(uuid, snapshot) {
		reads[file] = max(reads[file], at)
	}
	views := []HandView{}
	for file, writers := range written {
		own, others := w.sorted(uuid, writers)
		if own == 0 && reads[file] == 0 {
			continue
		}
		v := HandView{File: w.PathOf(file), Read: reads[file] > 0, Wrote: own > 0, AtMs: max(own, reads[file]), Others: []approval.Hand{}}
		for _, h := range others {
			h.File = v.File
			v.Others = append(v.Others, h)
		}
		views = append(views, v)
		delete(reads, file)
	}
	for file, at := range reads {
		views = append(views, HandView{File: w.PathOf(file), Read: true, AtMs: at, Others: []approval.Hand{}})
	}
	slices.SortFunc(views, func(a, b HandView) int { return cmp.Or(cmp.Compare(b.AtMs, a.AtMs), cmp.Compare(a.File, b.File)) })
	return views[:min(len(views), mostHands)], nil
}

// HoldApproval puts a request aside until the other agents that wrote its file
// are done; then it comes back as it would be by then. The person can decide
// it all the while. Errors: NotFound when the request is gone, Invalid when no
// other agent is writing its file.
func (w *Workspace) HoldApproval(id string) error {
	waiting := w.inbox.Pending()
	i := slices.IndexFunc(waiting, func(r approval.Request) bool { return r.ID == id })
	if i < 0 {
		return fault.New(fault.NotFound, "this request is not waiting any more")
	}
	names := w.namesAtWork(waiting[i].Hands)
	if names == "" {
		return fault.New(fault.Invalid, "no other agent is writing this file any more: there is nothing to wait for")
	}
	if err := w.inbox.Hold(id, names); err != nil {
		return err
	}
	w.lookAtHands() // it may have ended just now
	return nil
}

// namesAtWork lists the agents among hands that are still at work.
func (w *Workspace) namesAtWork(others []approval.Hand) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var names []string
	for i := range w.nodes {
		n := &w.nodes[i]
		if slices.ContainsFunc(others, func(h approval.Hand) bool { return h.Notebook == n.UUID }) && w.worksNow(n) && !slices.Contains(names, n.Name) {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, ", ")
}

// lookAtHands is called when an agent is done: it brings requests back that
// waited for it alone, and tells of others that it is done, in the background.
// It may be called with a document's lock.
func (w *Workspace) lookAtHands() {
	if w.ctx.Err() != nil || !slices.ContainsFunc(w.inbox.Pending(), hasHands) {
		return
	}
	w.tasks.Go(func() {
		for _, r := range w.inbox.Pending() {
			if !hasHands(r) {
				continue
			}
			again := w.hands.again(r)
			names, now := w.namesAtWork(r.Hands), w.atWorkStill(r.Hands)
			switch { // a request that was decided meanwhile is gone: nothing is left to do
			case r.Held == "" && !slices.Equal(now, r.Hands):
				w.inbox.SetHands(r.ID, now)
			case r.Held != "" && names == "" && again != nil:
				next := again()
				next.Hands = rested(next.Hands, r.Hands)
				w.inbox.Renew(r.ID, next)
			case r.Held != "" && names != "" && names != r.Held:
				w.inbox.Hold(r.ID, names)
			}
		}
	})
}

func hasHands(r approval.Request) bool { return len(r.Hands) > 0 }

// atWorkStill gives hands with those marked as at work that still are.
func (w *Workspace) atWorkStill(hands []approval.Hand) []approval.Hand {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := slices.Clone(hands)
	for i := range now {
		h := &now[i]
		h.Running = h.Running && slices.ContainsFunc(w.nodes, func(n agenttree.Node) bool { return n.UUID == h.Notebook && w.worksNow(&n) })
	}
	return now
}

// rested adds to the hands of a request that comes back those for which it was
// put aside: the person wanted to see what they left.
func rested(now, before []approval.Hand) []approval.Hand {
	for _, h := range before {
		same := func(x approval.Hand) bool { return x.Notebook == h.Notebook && x.File == h.File }
		if !slices.ContainsFunc(now, same) {
			h.Running = false
			now = append(now, h)
		}
	}
	return now
}
