package workspace

import (
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
	return cost.Of(*info.Usage, prices.Find(cost.Model{ID: info.Model}))
}

// addUp adds up the answers that are in the notebook now. It looks at every
// prompt, so it is called when answers come or go, not when somebody types.
// Under d.mu.
func (d *doc) addUp() {
	prices := d.w.prices()
	d.total = cost.Total{}
	for _, id := range d.nb.CellIDs() {
		if info, err := d.nb.RunInfo(id); err == nil {
			d.total = d.total.Add(totalOf(prices, info))
		}
	}
}

// spent is the total as the interface shows it, with the budget. Under d.mu.
func (d *doc) spent() notebook.Spent {
	t := d.total
	if d.active != nil {
		t = t.Add(d.active.spent)
	}
	s := notebook.Spent{
		Input: t.Usage.Input, Cached: t.Usage.Cached, Output: t.Usage.Output, Reasoning: t.Usage.Reasoning,
		Requests: t.Requests, Unpriced: t.Unpriced, Counted: !t.Usage.Estimated, Estimated: t.Estimated, Budget: d.budget(),
	}
	if t.Requests > t.Unpriced {
		s.Cost = t.Cost.String()
	}
	s.Percent = cost.Budget{Limit: cost.FromDollars(s.Budget)}.Decide(t, cost.Total{}).Percent
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
