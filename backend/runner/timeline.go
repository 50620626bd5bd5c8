package runner

import (
	"cmp"
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
func (c *Calls) Timeline(path string) (timeline.View, error) {
	if _, err := c.runner.registry.Resolve(path); err != nil {
		return timeline.View{}, err
	}
	seq := c.runner.out.Seq() // what comes later may be in the nodes and spans as well, and is told again
	nodes := c.runner.registry.Agents()
	family := agenttree.Family(nodes, path, mostLanes)
	if len(family) == 0 {
		return timeline.View{}, fault.New(fault.NotFound, "%s is not in the tree of agents", path)
	}
	agents := make([]timeline.Agent, 0, len(family))
	most := max(1, min(timeline.SpansOfLane, mostSpans/len(family)))
	for _, member := range family {
		a := timeline.Agent{ID: cmp.Or(member.UUID, member.File), Path: member.File, Parent: member.ParentID, Depth: member.Depth}
		snapshot, err := c.runner.laneOf(&a)
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
func (r *Runner) laneOf(a *timeline.Agent) (*notebook.Snapshot, error) {
	d := r.opened(a.Path)
	if d != nil {
		snapshot := locked(d, func(tx *Tx) *notebook.Snapshot {
			if tx.Notebook() == nil {
				return nil
			}
			a.Unkept = tx.lane.Unkept()
			if tx.active != nil {
				a.Running = tx.active.cell
			}
			return tx.Notebook().Encoded()
		})
		if snapshot != nil {
			return snapshot, nil
		}
	}
	file, err := r.registry.Resolve(a.Path)
	if err != nil {
		return nil, err
	}
	nb, _, err := notebook.Load(file)
	if err != nil {
		return nil, err
	}
	return nb.Encoded(), nil
}

// The rest follows the runs of a notebook.

// tellLane tells of spans, and of links that come with them.
func (tx laneTx) tellLane(spans []timeline.Span, links ...timeline.Link) {
	if len(spans)+len(links) == 0 {
		return
	}
	tx.runner.out.Emit(event.TimelineChanged{Spans: append([]timeline.Span{}, spans...), Links: append([]timeline.Link{}, links...)})
	for _, s := range spans {
		if s.Kind == timeline.Forked {
			tx.runner.registry.SetForked(s.Agent, s.EndMs == 0)
			tx.runner.with.Coedits.Recheck() // who waits for its children writes nothing
		}
	}
}

// showQueue shows the cells that wait for their turn.
func (tx laneTx) showQueue() {
	if len(tx.queue) == 0 {
		return
	}
	tx.nameLane()
	for _, r := range tx.queue {
		if told := tx.lane.Queue(r.cell, tx.runs().nowMs()); told != nil {
			r.queued, r.queuedMs = time.Now(), told[0].StartMs
			tx.tellLane(told)
		}
	}
}

func (tx laneTx) nameLane() { tx.lane.Name(cmp.Or(tx.Notebook().Meta().UUID, tx.Path()), tx.Path()) }

// showTurn ends the wait of a cell that is about to begin and gives how long
// it was, in milliseconds. A run that the cell had before goes with its spans.
func (tx laneTx) showTurn(r *run) int64 {
	tx.nameLane()
	r.first = !tx.Notebook().HasRun()
	if ran, err := tx.Notebook().RunInfo(r.cell); err == nil && ran != nil && !r.continues {
		tx.TellPast()
	}
	waited, told := tx.lane.Unqueue(r.cell, r.queuedMs+time.Since(r.queued).Milliseconds(), false)
	tx.tellLane(told)
	return waited
}

// showStart shows where a run came from.
func (tx laneTx) showStart(r *run) {
	tx.lane.Begin(r.cell)
	if meta := tx.Notebook().Meta(); r.first && meta.ParentID != "" {
		tx.tellLane(nil, timeline.Link{From: meta.ParentID, To: cmp.Or(meta.UUID, tx.Path()), AtMs: r.startedMs, Kind: timeline.LinkFork})
	}
}

// showStep shows a request or a tool that begins.
func (d *doc) showStep(u agent.Update) {
	d.do(func(tx *Tx) {
		switch u := u.(type) {
		case agent.Asked:
			tx.timeline().tellLane(tx.lane.Ask(u.Index, tx.runs().nowMs()))
		case agent.Called:
			tx.timeline().tellLane(tx.lane.Call(u.Index, u.Call, tx.runs().nowMs()))
		}
	})
}

// showWait shows that a call waits for the person.
func (n *notebooks) showWait(path string, ask agent.Ask) {
	d := n.opened(path)
	if d == nil {
		return
	}
	d.do(func(tx *Tx) {
		tx.timeline().tellLane(tx.lane.Wait(ask.Index, &ask.Made, tx.runs().nowMs()))
	})
}

// showHeld shows that a request waits for the person, or does not any more.
func (d *doc) showHeld(held bool) {
	d.do(func(tx *Tx) {
		if held {
			tx.timeline().tellLane(tx.lane.Hold(tx.runs().nowMs()))
		} else {
			tx.timeline().tellLane(tx.lane.Resume(tx.runs().nowMs()))
		}
	})
}

// showMessage shows a message that came to its end, and gives it with its times.
func (tx laneTx) showMessage(r *run, u agent.Put) notebook.Message {
	m := timeline.Message{
		Index: u.Index, Tool: u.Message.Role == chat.Tool, Calls: u.Message.ToolCalls, IsError: u.IsError,
		Said: u.Message.Content.String() != "", Reasoned: u.Message.ReasoningContent != "", TookMs: u.Took.Milliseconds(),
	}
	if !u.At.IsZero() {
		m.AtMs = r.atMs(u.At)
	}
	t, told := tx.lane.Put(m, tx.runs().nowMs())
	tx.tellLane(told)
	return notebook.Message{Message: u.Message, IsError: u.IsError, Facts: u.Facts, AtMs: t.AtMs, TookMs: t.TookMs, WaitedMs: t.WaitedMs, Usage: u.Usage}
}

// showDropped takes the wait of a run back that never began.
func (tx laneTx) showDropped(r *run) {
	_, told := tx.lane.Unqueue(r.cell, tx.runs().nowMs(), true)
	tx.tellLane(told)
}

// showEnd shows the end of a run, and fills in what only its spans know.
func (tx laneTx) showEnd(info *notebook.RunInfo) {
	end := info.StartedAtMs + info.TookMs
	var told []timeline.Span
	info.LostMs, info.HeldMs, told = tx.lane.End(end, timeline.Fails(info.Outcome))
	var links []timeline.Link
	if meta := tx.Notebook().Meta(); meta.ParentID != "" {
		if tx.runner.registry.Forked(meta.ParentID) {
			links = append(links, timeline.Link{From: cmp.Or(meta.UUID, tx.Path()), To: meta.ParentID, AtMs: end, Kind: timeline.LinkReport})
		}
	}
	tx.tellLane(told, links...)
}
