package documents

import (
	"cmp"
	"slices"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/notebook"
)

// RunCost returns the cost of an answer.
func RunCost(prices cost.Table, info *notebook.RunInfo) cost.Total {
	if info == nil || info.Usage == nil {
		return cost.Total{}
	}
	t := usageCost(prices, notebook.ModelUsage{Model: info.Model, Requests: info.Count(), Usage: *info.Usage})
	for _, m := range info.Asked {
		t = t.Add(usageCost(prices, m))
	}
	return t
}

// FillInCosts fills in the costs of the answers in cells, and returns the cells.
func FillInCosts(prices func() cost.Table, cells []notebook.CellView) []notebook.CellView {
	var table cost.Table
	for _, c := range cells {
		if c.Body == nil || c.Body.Run == nil || c.Body.Run.Usage == nil {
			continue
		}
		if table == nil {
			table = prices()
		}
		if t := RunCost(table, c.Body.Run); t.Unpriced == 0 {
			c.Body.Run.Cost = t.Text()
		}
	}
	return cells
}

// usageCost returns the cost of some requests to one model.
func usageCost(prices cost.Table, m notebook.ModelUsage) cost.Total {
	t := cost.Of(m.Usage, prices.Find(cost.Model{ID: m.Model}))
	t.Requests, t.Unpriced = m.Requests, t.Unpriced*m.Requests
	return t
}

// tallyCost returns the cost of the runs in a tally.
func tallyCost(prices cost.Table, tally *notebook.Tally) (t cost.Total) {
	if tally == nil {
		return t
	}
	for _, m := range slices.Concat(tally.Models, tally.Past) {
		t = t.Add(usageCost(prices, m))
	}
	return t
}

// TreeTotal is a total as the tree of agents shows it.
func TreeTotal(t cost.Total) agenttree.Total {
	return agenttree.Total{
		Tokens: t.Usage.Input + t.Usage.Output, Input: t.Usage.Input, Cached: t.Usage.Cached,
		Cost:    int64(t.Cost / perBillionth),
		Guessed: t.Usage.Estimated, Estimated: t.Estimated, Unpriced: !t.Known(),
	}
}

// perBillionth is a billionth of a dollar, the unit of agenttree.
const perBillionth = cost.Dollar / 1e9

// CountUsage adds up the answers of the notebook. It looks at every prompt, so it is called when
// answers are added or removed, not while somebody types.
func (tx *Tx) CountUsage() {
	tx.tally = tx.nb.Tally()
	tx.total = tallyCost(tx.reg.prices(), tx.tally)
}

// RecountUsage is CountUsage after a change of the cells. Costs of removed answers stay counted,
// and the file's own tally is updated.
func (tx *Tx) RecountUsage() {
	tx.tally = tx.nb.Tally().After(tx.tally)
	tx.total = tallyCost(tx.reg.prices(), tx.tally)
	if tx.nb.KeepsTally() || len(tx.tally.Past) > 0 {
		tx.nb.KeepTally(tx.tally)
	}
}

// AddUsage counts requests that are in no answer of the notebook.
func (tx *Tx) AddUsage(used ...notebook.ModelUsage) {
	for _, m := range used {
		tx.tally = tx.tally.With(m)
	}
	tx.total = tallyCost(tx.reg.prices(), tx.tally)
	tx.nb.KeepTally(tx.tally)
}

// addDeletedUsage counts the usage of a deleted agent. With its uuid, restoredUsage subtracts it
// again when the agent is restored.
func (tx *Tx) addDeletedUsage(uuid string, used []notebook.ModelUsage) {
	tx.tally = tx.tally.WithDeleted(uuid, used)
	tx.AddUsage()
}

func (tx *Tx) restoredUsage(uuid string) {
	tx.tally = tx.tally.WithRestored(uuid)
	tx.AddUsage()
}

// Reprice recalculates all costs after prices changed.
func (reg *Registry) Reprice() {
	prices := reg.prices()
	for _, d := range reg.OpenDocs() {
		d.Do(func(tx *Tx) {
			tx.total = tallyCost(prices, tx.tally)
		})
	}
	reg.index(func(ix *index) {
		for path, h := range ix.summaries {
			h.Spent = TreeTotal(tallyCost(prices, h.tally))
			ix.summaries[path] = h
		}
		ix.publishTree()
	})
}

// Below returns the costs of the agents that descend from the one of a notebook.
func (reg *Registry) Below(path string) cost.Total {
	return indexed(reg, func(ix *index) cost.Total {
		i, there := slices.BinarySearchFunc(ix.nodes, path, func(n agenttree.Node, path string) int { return cmp.Compare(n.File, path) })
		if !there {
			return cost.Total{}
		}
		own, all := ix.nodes[i].Own, ix.nodes[i].Subtree
		return cost.Total{Cost: cost.Money(min(all.Cost-own.Cost, int64(cost.Most/perBillionth))) * perBillionth, Estimated: (all.Estimated || all.Unpriced) && all != own}
	})
}

// Usage returns the usage of the notebook's answers and its cost.
func (tx *Tx) Usage() (*notebook.Tally, cost.Total) { return tx.tally, tx.total }
