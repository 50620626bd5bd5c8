package workspace

import (
	"cmp"
	"slices"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// prices is the table of what models cost, from the settings.
func (w *Workspace) prices() cost.Table {
	t := cost.Table{}
	for _, p := range w.settings.View().Providers {
		for _, m := range p.Models {
			t[cost.Model{Provider: p.ID, ID: m.ID}] = cost.Price{
				Input: m.InputPrice, Cached: m.CachedPrice, Output: m.OutputPrice,
				Free: p.Source == settings.BuiltIn || p.Source == settings.FromDiscovery, Guessed: m.Guessed,
			}
		}
	}
	return t
}

// totalOf is what an answer cost.
func totalOf(prices cost.Table, info *notebook.RunInfo) cost.Total {
	if info == nil || info.Usage == nil {
		return cost.Total{}
	}
	t := cost.Of(*info.Usage, prices.Find(cost.Model{ID: info.Model}))
	for _, m := range info.Asked {
		t = t.Add(cost.Of(m.Usage, prices.Find(cost.Model{ID: m.Model})))
	}
	return t
}

// tallied is what the runs of a tally cost.
func tallied(prices cost.Table, tally *notebook.Tally) (t cost.Total) {
	if tally == nil {
		return t
	}
	for _, m := range slices.Concat(tally.Models, tally.Past) {
		one := cost.Of(m.Usage, prices.Find(cost.Model{ID: m.Model}))
		one.Requests, one.Unpriced = m.Runs, one.Unpriced*m.Runs
		t = t.Add(one)
	}
	return t
}

// inTree is a total as the tree of agents shows it.
func inTree(t cost.Total) agenttree.Total {
	return agenttree.Total{
		Tokens: t.Usage.Input + t.Usage.Output, Input: t.Usage.Input, Cached: t.Usage.Cached,
		Cost: int64(t.Cost / perBillionth), Estimated: t.Estimated || !t.Known(),
	}
}

// perBillionth is a billionth of a dollar, the unit of agenttree.
const perBillionth = cost.Dollar / 1e9

// addUp adds up the answers of the notebook. It looks at every
// prompt, so it is called when answers come or go, not when somebody types.
// Under d.mu.
func (d *doc) addUp() {
	d.tally = d.nb.Tally()
	d.total = tallied(d.w.prices(), d.tally)
}

// addUpAnew is addUp after a change of the cells. What answers cost that are not
// there any more stays counted, and what the file says about itself follows.
// Under d.mu.
func (d *doc) addUpAnew() {
	d.tally = d.nb.Tally().After(d.tally)
	d.total = tallied(d.w.prices(), d.tally)
	if d.nb.KeepsTally() || len(d.tally.Past) > 0 {
		d.nb.KeepTally(d.tally)
	}
}

// repriced counts everything again after prices changed.
func (w *Workspace) repriced() {
	prices := w.prices()
	for _, d := range w.openDocs() {
		d.mu.Lock()
		d.total = tallied(prices, d.tally)
		d.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, h := range w.heads {
		h.Spent = inTree(tallied(prices, h.tally))
		w.heads[path] = h
	}
	w.tellTree()
}

// below is what the agents used that stem from the one of a notebook.
func (w *Workspace) below(path string) cost.Total {
	w.mu.Lock()
	defer w.mu.Unlock()
	i, there := slices.BinarySearchFunc(w.nodes, path, func(n agenttree.Node, path string) int { return cmp.Compare(n.File, path) })
	if !there {
		return cost.Total{}
	}
	own, all := w.nodes[i].Own, w.nodes[i].Subtree
	return cost.Total{Cost: cost.Money(min(all.Cost-own.Cost, int64(cost.Most/perBillionth))) * perBillionth, Estimated: all.Estimated && all != own}
}

// underWay is what the run that writes into the notebook has used so far.
// Under d.mu.
func (d *doc) underWay() cost.Total {
	if d.active == nil || d.active.over {
		return cost.Total{}
	}
	return d.active.spent
}

// spent is the total as the interface shows it, with the budget. Under d.mu.
func (d *doc) spent() notebook.Spent {
	t := d.total.Add(d.underWay())
	s := notebook.Spent{
		Input: t.Usage.Input, Cached: t.Usage.Cached, Output: t.Usage.Output, Reasoning: t.Usage.Reasoning,
		Requests: t.Requests, Unpriced: t.Unpriced, Counted: !t.Usage.Estimated, Estimated: t.Estimated, Budget: d.budget(),
	}
	if t.Requests > t.Unpriced {
		s.Cost = t.Cost.String()
	}
	s.Percent = d.decide(cost.FromDollars(s.Budget)).Percent
	return s
}

// price fills in what the answers of cells cost.
func (w *Workspace) price(cells []notebook.CellView) []notebook.CellView {
	var prices cost.Table
	for _, c := range cells {
		if c.Body == nil || c.Body.Run == nil || c.Body.Run.Usage == nil {
			continue
		}
		if prices == nil {
			prices = w.prices()
		}
		if t := totalOf(prices, c.Body.Run); t.Unpriced == 0 {
			c.Body.Run.Cost = t.Text()
		}
	}
	return cells
}
