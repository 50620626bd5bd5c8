package compaction

import "mutsumi/backend/cost"

// Invoice is the cost and saving of a compaction.
type Invoice struct {
	Before, After int        // tokens of the covered part, and of the summary
	Rewritten     int        // tokens after the summary that a server has to read again once, since its cache of them is lost
	Once          cost.Money // the request for the summary, and reading those tokens again
	EachTurn      cost.Money // the saving for every later request
	PaysBack      int        // after how many turns; 0: never, or no price is known
}

// Bill makes the invoice. summary is the cost of the request for the summary, past or estimated;
// after is its size in tokens; behind are the tokens of the request after it. cached reports that
// the server caches the beginning of a request.
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

// dollars is the cost of so many tokens at dollars per million.
func dollars(tokens int, perMillion float64) cost.Money {
	return cost.FromDollars(float64(tokens) * perMillion / 1e6)
}

// Saved is what a compaction has saved after so many turns; negative until it has paid back.
func (v Invoice) Saved(turns int) cost.Money {
	return cost.Money(turns)*v.EachTurn - v.Once
}
