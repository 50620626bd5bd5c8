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

// Limits of a view of a timeline. Older spans are left out, and the lanes say so.
const (
	maxLanes = 2_000
	maxSpans = 40_000 // of all lanes together
)

// Timeline returns the timeline of the tree of agents that a notebook belongs to.
// Notebooks that are not open are read from their files for this call only.
func (c *Calls) Timeline(path string) (timeline.View, error) {
	if _, err := c.runner.registry.Resolve(path); err != nil {
		return timeline.View{}, err
	}
	seq := c.runner.out.Seq() // read first: a later event may repeat what the view holds, but none is missed
	nodes := c.runner.registry.Agents()
	family := agenttree.Family(nodes, path, maxLanes)
	if len(family) == 0 {
		return timeline.View{}, fault.New(fault.NotFound, "%s is not in the tree of agents", path)
	}
	agents := make([]timeline.Agent, 0, len(family))
	most := max(1, min(timeline.SpansOfLane, maxSpans/len(family)))
	for _, member := range family {
		a := timeline.Agent{ID: cmp.Or(member.UUID, member.File), Path: member.File, Parent: member.ParentID, Depth: member.Depth}
		snapshot, err := c.runner.laneOf(&a)
		if fault.Is(err, fault.NotFound) {
			continue // deleted in the meantime
		}
		if err == nil { // otherwise its lane stays empty, and the tree shows the error
			a.Trace = snapshot.Trace(most)
		}
		agents = append(agents, a)
	}
	v := timeline.Of(agents, most)
	v.Seq = seq
	return v, nil
}

// laneOf fills in a the spans of the agent's notebook, and returns the notebook.
func (rn *Runner) laneOf(a *timeline.Agent) (*notebook.Snapshot, error) {
	d := rn.opened(a.Path)
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
	file, err := rn.registry.Resolve(a.Path)
	if err != nil {
		return nil, err
	}
	nb, _, err := notebook.Load(file)
	if err != nil {
		return nil, err
	}
	return nb.Encoded(), nil
}

// The methods below trace the runs of a notebook as spans of its lane.

// publish emits spans, and the links that belong to them.
func (tx laneTx) publish(spans []timeline.Span, links ...timeline.Link) {
	if len(spans)+len(links) == 0 {
		return
	}
	tx.runner.out.Emit(event.TimelineChanged{Spans: append([]timeline.Span{}, spans...), Links: append([]timeline.Link{}, links...)})
	for _, s := range spans {
		if s.Kind == timeline.Forked {
			tx.runner.registry.SetForked(s.Agent, s.EndMs == 0)
			tx.runner.with.Coedits.Recheck() // an agent that waits for its children writes nothing
		}
	}
}

// traceQueue begins a span for each queued cell that has none.
func (tx laneTx) traceQueue() {
	if len(tx.queue) == 0 {
		return
	}
	tx.nameLane()
	for _, r := range tx.queue {
		if spans := tx.lane.Queue(r.cell, tx.runs().nowMs()); spans != nil {
			r.queued, r.queuedMs = time.Now(), spans[0].StartMs
			tx.publish(spans)
		}
	}
}

func (tx laneTx) nameLane() { tx.lane.Name(cmp.Or(tx.Notebook().Meta().UUID, tx.Path()), tx.Path()) }

// traceBegin ends the queue span of a run that is about to begin, and returns how long it waited,
// in milliseconds. It removes the spans of an earlier run of the cell.
func (tx laneTx) traceBegin(r *run) int64 {
	tx.nameLane()
	r.first = !tx.Notebook().HasRun()
	if ran, err := tx.Notebook().RunInfo(r.cell); err == nil && ran != nil && !r.continues {
		tx.PublishPast()
	}
	// The run's record has the time of its start, from which a view computes the span again.
	waited, spans := tx.lane.Unqueue(r.cell, r.queuedMs+r.began.Sub(r.queued).Milliseconds(), false)
	tx.publish(spans)
	return waited
}

// traceStart begins the spans of a run, and links a child's first run to its parent.
func (tx laneTx) traceStart(r *run) {
	tx.lane.Begin(r.cell)
	if meta := tx.Notebook().Meta(); r.first && meta.ParentID != "" {
		tx.publish(nil, timeline.Link{From: meta.ParentID, To: cmp.Or(meta.UUID, tx.Path()), AtMs: r.startedMs, Kind: timeline.LinkFork})
	}
}

// traceStep begins the span of a request or a tool call.
func (d *doc) traceStep(u agent.Update) {
	d.do(func(tx *Tx) {
		switch u := u.(type) {
		case agent.Asked:
			tx.timeline().publish(tx.lane.Ask(u.Index, tx.runs().nowMs()))
		case agent.Called:
			tx.timeline().publish(tx.lane.Call(u.Index, u.Call, tx.runs().nowMs()))
		}
	})
}

// traceApproval begins the span in which a call waits for approval.
func (n *notebooks) traceApproval(path string, ask agent.Ask) {
	d := n.opened(path)
	if d == nil {
		return
	}
	d.do(func(tx *Tx) {
		tx.timeline().publish(tx.lane.Wait(ask.Index, &ask.Made, tx.runs().nowMs()))
	})
}

// traceHeld begins or ends the span in which the next request is held back, by a
// pause or a spent budget.
func (d *doc) traceHeld(held bool) {
	d.do(func(tx *Tx) {
		if held {
			tx.timeline().publish(tx.lane.Hold(tx.runs().nowMs()))
		} else {
			tx.timeline().publish(tx.lane.Resume(tx.runs().nowMs()))
		}
	})
}

// traceMessage ends the spans of a finished message, and returns it with its times.
func (tx laneTx) traceMessage(r *run, u agent.Put) notebook.Message {
	if u.Internal {
		return notebook.Message{Message: u.Message, Internal: true}
	}
	m := timeline.Message{
		Index: u.Index, Tool: u.Message.Role == chat.Tool, Calls: u.Message.ToolCalls, IsError: u.IsError,
		Said: u.Message.Content.Size() > 0, Reasoned: u.Message.ReasoningContent != "", TookMs: u.Took.Milliseconds(),
	}
	if !u.At.IsZero() {
		m.AtMs = r.atMs(u.At)
	}
	t, spans := tx.lane.Put(m, tx.runs().nowMs())
	tx.publish(spans)
	out := notebook.Message{Message: u.Message, IsError: u.IsError, Facts: u.Facts, AtMs: t.AtMs, TookMs: t.TookMs, WaitedMs: t.WaitedMs, Usage: u.Usage}
	if out.Role == chat.Assistant {
		out.Agent = r.agent
	}
	return out
}

// traceDropped removes the queue span of a run that never began.
func (tx laneTx) traceDropped(r *run) {
	_, spans := tx.lane.Unqueue(r.cell, tx.runs().nowMs(), true)
	tx.publish(spans)
}

// traceEnd ends the spans of a run, and fills in the times that only they know.
func (tx laneTx) traceEnd(info *notebook.RunInfo) {
	end := info.StartedAtMs + info.TookMs
	var spans []timeline.Span
	info.LostMs, info.HeldMs, spans = tx.lane.End(end, timeline.Fails(info.Outcome))
	var links []timeline.Link
	if meta := tx.Notebook().Meta(); meta.ParentID != "" {
		if tx.runner.registry.Forked(meta.ParentID) {
			links = append(links, timeline.Link{From: cmp.Or(meta.UUID, tx.Path()), To: meta.ParentID, AtMs: end, Kind: timeline.LinkReport})
		}
	}
	tx.publish(spans, links...)
}
