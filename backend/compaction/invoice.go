package compaction

import "mutsumi/backend/cost"

// Invoice is what a compaction costs and saves.
type Invoice struct {
	Before, After int        // tokens of what is covered, and of the summary
	Rewritten     int        // tokens behind the summary that a server reads anew once, since its cache of them is gone
	Once          cost.Money // the request for the summary, and what is read anew
	EachTurn      cost.Money // less, for every request from then on
	PaysBack      int        // after how many turns; 0: never, or no price is known
}

// Bill makes the invoice. summary is what the request for the summary cost or
// will cost; after its tokens; behind the tokens of the request that stand behind
// it. The server keeps the beginning of a request in its cache where cached says so.
func Bill(before, after, behind int, summary cost.Money, price cost.Price, cached bool) Invoice {
	read := price.Input // of a token that was in the request before
	if cached && price.Cached > 0 {
		read = price.Cached
	}
	v := Invoice{Before: before, After: after, Once: summary}
	if cached {
		v.Rewritten = after + behind
		v.Once = v.Once.Add(dollars(v.Rewritten, price.Input-read))
	}
	v.EachTurn = dollars(before-after, read)
	if v.EachTurn > 0 {
		v.PaysBack = int((v.Once + v.EachTurn - 1) / v.EachTurn)
	}
	return v
}

// dollars is what so many tokens cost at dollars per million.
func dollars(tokens int, perMillion float64) cost.Money {
	return cost.FromDollars(float64(tokens) * perMillion / 1e6)
}

// Saved is what a compaction has saved after so many turns; below 0 while it has
// not paid back.
func (v Invoice) Saved(turns int) cost.Money {
	return cost.Money(turns)*v.EachTurn - v.Once
}
