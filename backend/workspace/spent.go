package workspace

import (
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"sync/atomic"
)

// priceTable is what models cost at a version of the settings.
type priceTable struct {
	version uint64
	prices  cost.Table // never changed
}

// priceList is what models cost.
type priceList struct {
	settings *settings.Store
	priced   atomic.Pointer[priceTable]
}

// prices is the table of what models cost. It is made anew only after the
// settings changed, and its reader does not change it.
func (l *priceList) prices() cost.Table {
	version := l.settings.Version() // before they are read: a change meanwhile has another one
	if kept := l.priced.Load(); kept != nil && kept.version == version {
		return kept.prices
	}
	t := cost.Table{}
	for _, p := range l.settings.View().Providers {
		for _, m := range p.Models {
			t[cost.Model{Provider: p.ID, ID: m.ID}] = cost.Price{
				Input: m.InputPrice, Cached: m.CachedPrice, Output: m.OutputPrice,
				Free: p.Source == settings.BuiltIn || p.Source == settings.FromDiscovery, Guessed: m.Guessed,
			}
		}
	}
	t.Index()
	l.priced.Store(&priceTable{version, t})
	return t
}

// total is what the answers of the notebook cost.
func (tx spendingTx) total() cost.Total {
	_, t := tx.Usage()
	return t
}

// underWay is what the run that writes into the notebook has used so far.
func (tx spendingTx) underWay() cost.Total {
	if !tx.Running() || tx.active.over {
		return cost.Total{}
	}
	return tx.active.spent
}

// spent is the total as the interface shows it, with the budget.
func (tx spendingTx) spent() notebook.Spent {
	t := tx.total().Add(tx.underWay())
	s := notebook.Spent{
		Input: t.Usage.Input, Cached: t.Usage.Cached, Output: t.Usage.Output, Reasoning: t.Usage.Reasoning,
		Requests: t.Requests, Unpriced: t.Unpriced, Counted: !t.Usage.Estimated, Estimated: t.Estimated, Budget: tx.budget(),
	}
	if t.Requests > t.Unpriced {
		s.Cost = t.Cost.String()
	}
	s.Percent = tx.decide(cost.FromDollars(s.Budget)).Percent
	return s
}

// fillIn fills in what the answers of cells cost.
func (l *priceList) fillIn(cells []notebook.CellView) []notebook.CellView {
	var prices cost.Table
	for _, c := range cells {
		if c.Body == nil || c.Body.Run == nil || c.Body.Run.Usage == nil {
			continue
		}
		if prices == nil {
			prices = l.prices()
		}
		if t := documents.RunCost(prices, c.Body.Run); t.Unpriced == 0 {
			c.Body.Run.Cost = t.Text()
		}
	}
	return cells
}
