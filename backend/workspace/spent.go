package workspace

import (
	"cmp"
	"slices"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// priceTable is what models cost at a version of the settings.
type priceTable struct {
	version uint64
	prices  cost.Table // never changed
}

// prices is the table of what models cost. It is made anew only after the
// settings changed, and its reader does not change it.
func (w *Workspace) prices() cost.Table {
	version := w.settings.Version() // before they are read: a change meanwhile has another one
	if kept := w.priced.Load(); kept != nil && kept.version == version {
		return kept.prices
	}
	t := cost.Table{}
	for _, p := range w.settings.View().Providers {
		for _, m := range p.Models {
			t[cost.Model{Provider: p.ID, ID: m.ID}] = cost.Price{
				Input: m.InputPrice, Cached: m.CachedPrice, Output: m.OutputPrice,
				Free: p.Source == settings.BuiltIn || p.Source == settings.FromDiscovery, Guessed: m.Guessed,
			}
		}
	}
	t.Index()
	w.priced.Store(&priceTable{version, t})
	return t
}

// totalOf is what an answer cost.
func totalOf(prices cost.Table, info *notebook.RunInfo) cost.Total {
	if info == nil || info.Usage == nil {
		return cost.Total{}
	}
	t := counted(prices, notebook.ModelUsage{Model: info.Model, Requests: info.Count(), Usage: *info.Usage})
	for _, m := range info.Asked {
		t = t.Add(counted(prices, m))
	}
	return t
}

// counted is what some requests to one model cost.
func counted(prices cost.Table, m notebook.ModelUsage) cost.Total {
	t := cost.Of(m.Usage, prices.Find(cost.Model{ID: m.Model}))
	t.Requests, t.Unpriced = m.Requests, t.Unpriced*m.Requests
	return t
}

// tallied is what the runs of a tally cost.
func tallied(prices cost.Table, tally *notebook.Tally) (t cost.Total) {
	if tally == nil {
		return t
	}
	for _, m := range slices.Concat(tally.Models, tally.Past) {
		t = t.Add(counted(prices, m))
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
func (tx spendingTx) addUp() {
	tx.tally = tx.nb.Tally()
	tx.total = tallied(tx.w.prices(), tx.tally)
}

// addUpAnew is addUp after a change of the cells. What answers cost that are not
// there any more stays counted, and what the file says about itself follows.
func (tx spendingTx) addUpAnew() {
	tx.tally = tx.nb.Tally().After(tx.tally)
	tx.total = tallied(tx.w.prices(), tx.tally)
	if tx.nb.KeepsTally() || len(tx.tally.Past) > 0 {
		tx.nb.KeepTally(tx.tally)
	}
}

// addPast counts what requests used that stand in no answer of the notebook.
func (tx spendingTx) addPast(used ...notebook.ModelUsage) {
	for _, m := range used {
		tx.tally = tx.tally.With(m)
	}
	tx.total = tallied(tx.w.prices(), tx.tally)
	tx.nb.KeepTally(tx.tally)
}

// addDeleted counts what a deleted agent used. With its uuid it is subtracted
// again when the agent comes back; restored does that.
func (tx spendingTx) addDeleted(uuid string, used []notebook.ModelUsage) {
	tx.tally = tx.tally.WithDeleted(uuid, used)
	tx.addPast()
}

func (tx spendingTx) restored(uuid string) {
	tx.tally = tx.tally.WithRestored(uuid)
	tx.addPast()
}

// repriced counts everything again after prices changed.
func (w *Workspace) repriced() {
	prices := w.prices()
	for _, d := range w.registry.openDocs() {
		d.do(func(tx *Tx) {
			tx.total = tallied(prices, tx.tally)
		})
	}
	w.registry.index(func(ix *index) {
		for path, h := range ix.heads {
			h.Spent = inTree(tallied(prices, h.tally))
			ix.heads[path] = h
		}
		ix.tellTree()
	})
}

// below is what the agents used that stem from the one of a notebook.
func (reg *registry) below(path string) cost.Total {
	return indexed(reg, func(ix *index) cost.Total {
		i, there := slices.BinarySearchFunc(ix.nodes, path, func(n agenttree.Node, path string) int { return cmp.Compare(n.File, path) })
		if !there {
			return cost.Total{}
		}
		own, all := ix.nodes[i].Own, ix.nodes[i].Subtree
		return cost.Total{Cost: cost.Money(min(all.Cost-own.Cost, int64(cost.Most/perBillionth))) * perBillionth, Estimated: all.Estimated && all != own}
	})
}

// underWay is what the run that writes into the notebook has used so far.
func (tx spendingTx) underWay() cost.Total {
	if tx.active == nil || tx.active.over {
		return cost.Total{}
	}
	return tx.active.spent
}

// spent is the total as the interface shows it, with the budget.
func (tx spendingTx) spent() notebook.Spent {
	t := tx.total.Add(tx.underWay())
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
