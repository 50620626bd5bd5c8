// Package cost computes what requests cost: from tokens and a price, added up over an answer, a
// notebook and an agent with its children (SPEC 7.5). It also decides whether a budget is spent.
//
// It is pure: prices come from the settings, usage from the notebooks, and package runner asks. An
// unknown price never counts as zero, and one estimate makes the sum an estimate.
package cost

import (
	"math"

	"mutsumi/backend/chat"
)

// Money is an amount in millionths of a millionth of a dollar. It is a whole
// number, so that sums do not depend on their order; it is never negative and
// stops at Most instead of wrapping round.
type Money int64

const (
	// Dollar is one dollar.
	Dollar Money = 1e12
	// Most is the largest amount, some nine million dollars.
	Most Money = math.MaxInt64
)

// FromDollars returns an amount; negative values and NaN become 0.
func FromDollars(d float64) Money {
	switch v := d * float64(Dollar); {
	case !(v > 0): // NaN as well
		return 0
	case v >= float64(Most):
		return Most
	default:
		return Money(math.Round(v))
	}
}

// Dollars is the amount for a chart or a file; sums are made of Money.
func (m Money) Dollars() float64 { return float64(m) / float64(Dollar) }

// Add returns m+n.
func (m Money) Add(n Money) Money {
	m, n = max(m, 0), max(n, 0)
	if m > Most-n {
		return Most
	}
	return m + n
}

// Price is the price of a model, in dollars per million tokens, as in the table that the person
// edits. 0 means unknown; a model that costs nothing, since it runs on this machine, is Free.
// Guessed means that the numbers are unconfirmed: costs are then estimates.
type Price struct {
	Input, Cached, Output float64
	Free                  bool
	Guessed               bool
}

// Total is the usage and cost of some requests. The zero Total means no requests.
type Total struct {
	Cost      Money      `json:"cost"`      // of the requests with known prices
	Usage     chat.Usage `json:"usage"`     // of all
	Requests  int        `json:"requests"`  // number of requests
	Unpriced  int        `json:"unpriced"`  // requests without a known price
	Estimated bool       `json:"estimated"` // tokens or a price in Cost were estimated
}

// maxTokens limits a server's claims, so that sums cannot overflow.
const maxTokens = 1 << 40

// Of is the total of one request. Usage is reported by a server: negative counts become 0, and
// cached tokens beyond the input are ignored. Cached tokens without a price of their own are
// charged as input, an upper estimate. A cost that the server reported counts instead of the price.
func Of(u chat.Usage, p Price) Total {
	u = believable(u)
	reported := Money(u.Micros) * (Dollar / 1e6)
	u.Micros = 0
	t := Total{Cost: reported, Usage: u, Requests: 1, Estimated: u.Estimated && reported == 0}
	if reported > 0 {
		return t
	}
	if p.Free {
		return t
	}
	t.Estimated = t.Estimated || p.Guessed
	fresh, cached := u.Input-u.Cached, u.Cached
	cachedPrice := p.Cached
	if rate(cachedPrice) == 0 && cached > 0 {
		cachedPrice = p.Input
		t.Estimated = true
	}
	if fresh+cached > 0 && rate(p.Input) == 0 && (fresh > 0 || rate(p.Cached) == 0) || u.Output > 0 && rate(p.Output) == 0 || p == (Price{}) {
		t.Unpriced, t.Estimated = 1, u.Estimated
		return t
	}
	t.Cost = times(fresh, rate(p.Input)).Add(times(cached, rate(cachedPrice))).Add(times(u.Output, rate(p.Output)))
	return t
}

// Add returns the total of both.
func (t Total) Add(o Total) Total {
	return Total{
		Cost: t.Cost.Add(o.Cost),
		Usage: chat.Usage{
			Input: plus(t.Usage.Input, o.Usage.Input), Cached: plus(t.Usage.Cached, o.Usage.Cached),
			Output: plus(t.Usage.Output, o.Usage.Output), Reasoning: plus(t.Usage.Reasoning, o.Usage.Reasoning),
			Estimated: t.Usage.Estimated || o.Usage.Estimated,
		},
		Requests:  plus(t.Requests, o.Requests),
		Unpriced:  plus(t.Unpriced, o.Unpriced),
		Estimated: t.Estimated || o.Estimated,
	}
}

// Known reports whether the cost of every request is known, be it estimated.
func (t Total) Known() bool { return t.Unpriced == 0 }

// Exact reports whether Cost equals a bill.
func (t Total) Exact() bool { return t.Known() && !t.Estimated }

// rate is a price in Money for one token.
func rate(dollarsPerMillion float64) Money { return FromDollars(dollarsPerMillion / 1e6) }

func times(tokens int, each Money) Money {
	if tokens <= 0 || each <= 0 {
		return 0
	}
	if each > Most/Money(tokens) {
		return Most
	}
	return each * Money(tokens)
}

func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func believable(u chat.Usage) chat.Usage {
	u.Input = min(max(u.Input, 0), maxTokens)
	u.Output = min(max(u.Output, 0), maxTokens)
	u.Cached = min(max(u.Cached, 0), u.Input)
	u.Reasoning = min(max(u.Reasoning, 0), u.Output)
	u.Micros = min(max(u.Micros, 0), maxTokens)
	return u
}
