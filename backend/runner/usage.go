package runner

import (
	"mutsumi/backend/cost"
	"mutsumi/backend/notebook"
)

// total returns what the answers of the notebook cost.
func (tx spendingTx) total() cost.Total {
	_, t := tx.Usage()
	return t
}

// underWay returns the usage of the active run so far.
func (tx spendingTx) underWay() cost.Total {
	if !tx.Running() || tx.active.finished {
		return cost.Total{}
	}
	return tx.active.spent
}

// spent returns the total with the budget, as the interface shows it.
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
