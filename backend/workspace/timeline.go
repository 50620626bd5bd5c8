package workspace

import (
	"cmp"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
)

// Bounds of a view of a timeline: what is older is left out, which the lanes say.
const (
	mostLanes = 2_000
	mostSpans = 40_000 // of all lanes together
)

// Timeline gives the timeline of the tree of agents to which a notebook
// belongs. Of notebooks that are not open it reads the files, which then are
// not kept.
func (w *Workspace) Timeline(path string) (timeline.View, error) {
	if _, err := w.resolve(path); err != nil {
		return timeline.View{}, err
	}
	w.mu.Lock()
	seq := w.out.Seq() // what comes later may be in the spans as well, and is told again
	nodes := slices.Clone(w.nodes)
	w.mu.Unlock()
	family := familyOf(nodes, path)
	if len(family) == 0 {
		return timeline.View{}, fault.New(fault.NotFound, "%s is not in the tree of agents", path)
	}
	agents := make([]timeline.Agent, 0, len(family))
	most := max(1, min(timeline.SpansOfLane, mostSpans/len(family)))
	for _, member := range family {
		a := timeline.Agent{ID: cmp.Or(member.UUID, member.File), Path: member.File, Parent: member.ParentID, Depth: member.depth}
		snapshot, err := w.laneOf(&a)
		if fault.Is(err, fault.NotFound) {
			continue // deleted meanwhile
		}
		if err == nil { // else its lane is empty: the tree says what is wrong with the file
			a.Trace = snapshot.Trace(most)
		}
		agents = append(agents, a)
	}
	v := timeline.Of(agents, most)
	v.Seq = seq
	return v, nil
}

// laneOf fills in what goes on in an agent, and gives its notebook as it is.
func (w *Workspace) laneOf(a *timeline.Agent) (*notebook.Snapshot, error) {
	w.mu.Lock()
	d := w.docs[a.Path]
	w.mu.Unlock()
	if d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.nb != nil {
			a.Unkept = d.lane.Unkept()
			if d.active != nil {
				a.Running = d.active.cell
			}
			return d.nb.Encoded(), nil
		}
	}
	file, err := w.resolve(a.Path)
	if err != nil {
		return nil, err
	}
	nb, _, err := notebook.Load(file)
	if err != nil {
		return nil, err
	}
	return nb.Encoded(), nil
}

// member is an agent of a tree.
type member struct {
	agenttree.Node
	depth int
}

// familyOf lists the tree of agents to which a file belongs, in the order in
// which the tree shows it: parents first, children from the oldest on.
func familyOf(nodes []agenttree.Node, path string) []member {
	byID, children := map[string]agenttree.Node{}, map[string][]agenttree.Node{}
	var root *agenttree.Node
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
		slices.SortStableFunc(list, func(a, b agenttree.Node) int {
			return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
		})
	}
	var out []member
	seen := map[string]bool{}
	stack := []member{{top, 0}}
	for len(stack) > 0 && len(out) < mostLanes {
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
			stack = append(stack, member{c, m.depth + 1})
		}
	}
	return out
}

// The rest follows the runs of a notebook. All of it is called under d.mu,
// unless it says so.

// tellLane tells of spans, and of links that come with them.
func (d *doc) tellLane(spans []timeline.Span, links ...timeline.Link) {
	if len(spans)+len(links) == 0 {
		return
	}
	d.w.out.Emit(event.TimelineChanged{Spans: append([]timeline.Span{}, spans...), Links: append([]timeline.Link{}, links...)})
	for _, s := range spans {
		if s.Kind == timeline.Forked {
			d.w.mu.Lock()
			if s.EndMs == 0 {
				d.w.forked[s.Agent] = true
			} else {
				delete(d.w.forked, s.Agent)
			}
			d.w.mu.Unlock()
			d.w.lookAtHands() // who waits for its children writes nothing
		}
	}
}

// editsOfThePast are those that take answers away, or bring some back.
var editsOfThePast = []notebook.EditKind{notebook.EditDelete, notebook.EditClear, notebook.EditRewind, notebook.EditRestore}

// tellPast says that the notebook's cells hold another past now.
func (d *doc) tellPast() {
	d.w.out.Emit(event.TimelineChanged{Spans: []timeline.Span{}, Links: []timeline.Link{}, Past: d.path()})
}

// showQueue shows the cells that wait for their turn.
func (d *doc) showQueue() {
	if len(d.queue) == 0 {
		return
	}
	d.nameLane()
	for _, r := range d.queue {
		if told := d.lane.Queue(r.cell, d.nowMs()); told != nil {
			r.queued, r.queuedMs = time.Now(), told[0].StartMs
			d.tellLane(told)
		}
	}
}

func (d *doc) nameLane() { d.lane.Name(cmp.Or(d.nb.Meta().UUID, d.path()), d.path()) }

// showTurn ends the wait of a cell that is about to begin and gives how long
// it was, in milliseconds. A run that the cell had before goes with its spans.
func (d *doc) showTurn(r *run) int64 {
	d.nameLane()
	r.first = !d.nb.HasRun()
	if ran, err := d.nb.RunInfo(r.cell); err == nil && ran != nil && !r.goesOn {
		d.tellPast()
	}
	waited, told := d.lane.Unqueue(r.cell, r.queuedMs+time.Since(r.queued).Milliseconds(), false)
	d.tellLane(told)
	return waited
}

// showStart shows where a run came from.
func (d *doc) showStart(r *run) {
	d.lane.Begin(r.cell)
	if meta := d.nb.Meta(); r.first && meta.ParentID != "" {
		d.tellLane(nil, timeline.Link{From: meta.ParentID, To: cmp.Or(meta.UUID, d.path()), AtMs: r.startedMs, Kind: timeline.LinkFork})
	}
}

// showStep shows a request or a tool that begins. Not under d.mu.
func (d *doc) showStep(u agent.Update) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch u := u.(type) {
	case agent.Asked:
		d.tellLane(d.lane.Ask(u.Index, d.nowMs()))
	case agent.Called:
		d.tellLane(d.lane.Call(u.Index, u.Call, d.nowMs()))
	}
}

// showWait shows that a call waits for the person. Not under d.mu.
func (w *Workspace) showWait(path string, ask agent.Ask) {
	w.mu.Lock()
	d := w.docs[path]
	w.mu.Unlock()
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tellLane(d.lane.Wait(ask.Index, &ask.Made, d.nowMs()))
}

// showHeld shows that a request waits for the person, or does not any more.
// Not under d.mu.
func (d *doc) showHeld(held bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if held {
		d.tellLane(d.lane.Hold(d.nowMs()))
	} else {
		d.tellLane(d.lane.Resume(d.nowMs()))
	}
}

// showMessage shows a message that came to its end, and gives it with its times.
func (d *doc) showMessage(r *run, u agent.Put) notebook.Message {
	m := timeline.Message{
		Index: u.Index, Tool: u.Message.Role == chat.Tool, Calls: u.Message.ToolCalls, IsError: u.IsError,
		Said: u.Message.Content.String() != "", Reasoned: u.Message.ReasoningContent != "", TookMs: u.Took.Milliseconds(),
	}
	if !u.At.IsZero() {
		m.AtMs = r.atMs(u.At)
	}
	t, told := d.lane.Put(m, d.nowMs())
	d.tellLane(told)
	return notebook.Message{Message: u.Message, IsError: u.IsError, Facts: u.Facts, AtMs: t.AtMs, TookMs: t.TookMs, WaitedMs: t.WaitedMs, Usage: u.Usage}
}

// showDropped takes the wait of a run back that never began.
func (d *doc) showDropped(r *run) {
	_, told := d.lane.Unqueue(r.cell, d.nowMs(), true)
	d.tellLane(told)
}

// showEnd shows the end of a run, and fills in what only its spans know.
func (d *doc) showEnd(info *notebook.RunInfo) {
	end := info.StartedAtMs + info.TookMs
	var told []timeline.Span
	info.LostMs, info.HeldMs, told = d.lane.End(end, timeline.Fails(info.Outcome))
	var links []timeline.Link
	if meta := d.nb.Meta(); meta.ParentID != "" {
		d.w.mu.Lock()
		waits := d.w.forked[meta.ParentID]
		d.w.mu.Unlock()
		if waits {
			links = append(links, timeline.Link{From: cmp.Or(meta.UUID, d.path()), To: meta.ParentID, AtMs: end, Kind: timeline.LinkReport})
		}
	}
	d.tellLane(told, links...)
}
