package documents

import (
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/cost"
)

// An unknown price makes the cost incomplete and leaves the reported tokens exact.
func TestTreeTotal(t *testing.T) {
	priced := cost.Price{Input: 1, Output: 1}
	for _, c := range []struct {
		name  string
		usage chat.Usage
		price cost.Price
		want  agenttree.Total
	}{
		{"exact", chat.Usage{Input: 3, Output: 2}, priced, agenttree.Total{Tokens: 5, Input: 3, Cost: 5000}},
		{"no price", chat.Usage{Input: 3, Output: 2}, cost.Price{}, agenttree.Total{Tokens: 5, Input: 3, Unpriced: true}},
		{"no usage", chat.Usage{Input: 3, Output: 2, Estimated: true}, priced, agenttree.Total{Tokens: 5, Input: 3, Guessed: true, Cost: 5000, Estimated: true}},
	} {
		if got := TreeTotal(cost.Of(c.usage, c.price)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
