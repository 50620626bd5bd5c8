package timeline

import (
	"slices"

	"mutsumi/backend/notebook"
)

// The kinds of links.
const (
	LinkFork   = "fork"
	LinkReport = "report"
)

// Of returns the timeline of a tree of agents in the given order, the root
// first. Each lane has at most `most` spans, or SpansOfLane.
func Of(agents []Agent, most int) View {
	if most <= 0 || most > SpansOfLane {
		most = SpansOfLane
	}
	v := View{Lanes: make([]Lane, len(agents)), Links: []Link{}}
	waits := map[string][]Span{} // for children, by the parent
	for i := range agents {
		a := &agents[i]
		v.Lanes[i] = a.lane(most)
		for _, s := range v.Lanes[i].Spans {
			if v.StartMs == 0 || s.StartMs < v.StartMs {
				v.StartMs = s.StartMs
			}
			if s.Kind == Forked {
				waits[a.ID] = append(waits[a.ID], s)
			}
		}
	}
	if len(agents) > 0 {
		v.Root = agents[0].ID
	}
	for i := range agents {
		if a := &agents[i]; a.Parent != "" {
			v.Links = append(v.Links, a.links(waits[a.Parent])...)
		}
	}
	return v
}

// links lead from the parent to the agent's first run, and from the end of its
// work to the parent that waited for it then.
func (a *Agent) links(waits []Span) (links []Link) {
	var first, last int64 // the start of the first run, and the end of the last that is over
	for _, c := range a.Trace.Cells {
		if at := began(c); at > 0 && (first == 0 || at < first) {
			first = at
		}
	}
	if first == 0 {
		return nil
	}
	links = append(links, Link{From: a.Parent, To: a.ID, AtMs: first, Kind: LinkFork})
	for _, wait := range slices.Backward(waits) {
		if wait.EndMs != 0 && wait.EndMs < first {
			continue
		}
		for _, c := range a.Trace.Cells {
			if end := c.Run.StartedAtMs + c.Run.TookMs; c.Run.TookMs > 0 && c.Cell != a.Running &&
				end >= wait.StartMs && (wait.EndMs == 0 || c.Run.StartedAtMs <= wait.EndMs && end <= wait.EndMs+slack) {
				last = max(last, end)
			}
		}
		if last > 0 {
			return append(links, Link{From: a.ID, To: a.Parent, AtMs: last, Kind: LinkReport})
		}
	}
	return links
}

// slack is how much later than the end of its parent's wait a child's end may be recorded, in
// milliseconds: it is saved first.
const slack = 2000

func began(c notebook.CellTrace) int64 {
	at := c.Run.StartedAtMs
	for _, m := range c.Messages {
		if from := m.AtMs - m.WaitedMs; m.AtMs > 0 && (at == 0 || from < at) {
			at = from
		}
	}
	return at
}
