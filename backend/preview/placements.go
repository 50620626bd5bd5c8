package preview

import (
	"cmp"
	"time"

	"mutsumi/backend/inspect"
	"mutsumi/backend/prompt"
	"mutsumi/backend/promptcache"
	"mutsumi/backend/request"
)

// Placement is the cost of a placement of context for the notebook.
type Placement struct {
	Placement string `json:"placement"` // ghost, message, versioned
	Next      Input  `json:"next"`      // the next request
	// Then is the request after it if nothing changes but for a short answer and a short
	// prompt.
	Then Input `json:"then"`
}

// Input is the input of a request.
type Input struct {
	Tokens int     `json:"tokens"`
	Cached int     `json:"cached"` // of them that a server can read from its cache
	Cost   float64 `json:"cost"`   // dollars; 0: no price known
}

// Placements compares the placements of context for the next request of a cell, and
// for the one after it. It saves nothing and runs no tool that changes something.
func (pv *Previewer) Placements(path, cell, draft string) ([]Placement, error) {
	spec, err := pv.with.Runs.NextSpec(path, cell, draft, false)
	if err != nil {
		return nil, err
	}
	spec = spec.Asking()
	last := pv.with.Kept.Request(spec.Agent.UUID)
	m := spec.Endpoint.Model
	cached := cmp.Or(m.CachedPrice, m.InputPrice) // where it is not known, nothing is taken off
	manner := request.CacheOf(spec.Endpoint)
	var all []Placement
	for _, p := range []prompt.Placement{prompt.Ghost, prompt.MessageBefore, prompt.Versioned} {
		next, err := pv.of(pv.with.Context, spec.Placed(p))
		if err != nil {
			return nil, err
		}
		then, err := next.After(next.built)
		if err != nil {
			return nil, err
		}
		second, err := pv.of(pv.with.Context, then)
		if err != nil {
			return nil, err
		}
		sent := next.request.Record(next.wire)
		sent.Number = last.Number + 1
		all = append(all, Placement{
			Placement: string(p),
			Next:      input(last, sent, m.InputPrice, cached, manner),
			Then:      input(sent, second.request.Record(second.wire), m.InputPrice, cached, manner),
		})
	}
	return all, nil
}

// input counts the input of a request that is sent right after another one. The prices are in
// dollars per million tokens. A server with unknown caching is assumed to cache the common prefix
// of both.
func input(last, this inspect.Record, price, cached float64, manner promptcache.Manner) Input {
	begin, _ := inspect.Beginning(last, this, time.Time{})
	begin.Ago = 0
	in := Input{Cached: begin.Same}
	if manner.Kind != promptcache.None {
		in.Cached, _ = manner.Expect(begin)
	}
	for _, message := range this.Messages {
		for _, s := range message.Segments {
			in.Tokens += s.Tokens
		}
	}
	in.Cost = (float64(in.Tokens-in.Cached)*price + float64(in.Cached)*cached) / 1e6
	return in
}
