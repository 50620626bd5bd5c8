package cost

import (
	"fmt"
	"math"
	"strings"
)

// String returns the amount as people read it, with two significant digits below ten cents and
// whole cents above: $0.0031, $0.031, $0.31, $12.40, $1,240.00. Amounts that would round to zero
// are "<$0.0001"; half is rounded up.
func (m Money) String() string {
	if m <= 0 {
		return "$0.00"
	}
	digits := 2
	for d := 4; d > 2; d-- {
		if limit := Dollar / pow10(d-2); round(m, d) < limit {
			digits = d
			break
		}
	}
	m = round(m, digits)
	if m == 0 {
		return "<$0.0001"
	}
	s := fmt.Sprintf("%0*d", digits+1, m/(Dollar/pow10(digits)))
	return "$" + thousands(s[:len(s)-digits]) + "." + s[len(s)-digits:]
}

// round returns the nearest amount with `decimals` decimal places of a dollar.
func round(m Money, decimals int) Money {
	unit := Dollar / pow10(decimals)
	if m > Most-unit/2 {
		return Most / unit * unit
	}
	return (m + unit/2) / unit * unit
}

func pow10(n int) Money { return Money(math.Pow10(n)) }

func thousands(whole string) string {
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Text returns the cost with its marks: "$0.31" is exact, "~$0.31" includes an estimate, "at least
// $0.31" omits requests with unknown prices, and "price unknown" means that none is known.
func (t Total) Text() string {
	switch {
	case t.Requests > 0 && t.Unpriced == t.Requests:
		return "price unknown"
	case !t.Known() && t.Estimated:
		return "at least ~" + t.Cost.String()
	case !t.Known():
		return "at least " + t.Cost.String()
	case t.Estimated:
		return "~" + t.Cost.String()
	}
	return t.Cost.String()
}
