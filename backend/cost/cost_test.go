package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/quick"

	"mutsumi/backend/chat"
)

var mini = Price{Input: 0.15, Cached: 0.075, Output: 0.6}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		usage chat.Usage
		price Price
		want  string
	}{
		{"all kinds", chat.Usage{Input: 1_000_000, Cached: 400_000, Output: 100_000, Reasoning: 50_000}, mini, "$0.18"},
		{"a small one", chat.Usage{Input: 12_000, Output: 2_000}, mini, "$0.0030"},
		{"one token", chat.Usage{Input: 1}, mini, "<$0.0001"},
		{"nothing used", chat.Usage{}, mini, "$0.00"},
		{"an estimate", chat.Usage{Input: 1_000_000, Output: 1, Estimated: true}, mini, "~$0.15"},
		{"no price", chat.Usage{Input: 1_000_000, Output: 5}, Price{}, "price unknown"},
		{"no price, nothing used", chat.Usage{}, Price{}, "price unknown"},
		{"no price of output", chat.Usage{Input: 1_000_000, Output: 5}, Price{Input: 1}, "price unknown"},
		{"no output to price", chat.Usage{Input: 1_000_000}, Price{Input: 1}, "$1.00"},
		{"no price of input", chat.Usage{Input: 5, Output: 5}, Price{Output: 1}, "price unknown"},
		{"no price of input, all cached", chat.Usage{Input: 1_000_000, Cached: 1_000_000}, Price{Cached: 1}, "$1.00"},
		{"no price of cached", chat.Usage{Input: 1_000_000, Cached: 500_000}, Price{Input: 2, Output: 4}, "~$2.00"},
		{"no price of cached, none cached", chat.Usage{Input: 1_000_000}, Price{Input: 2, Output: 4}, "$2.00"},
		{"reported", chat.Usage{Input: 9, Output: 9, Estimated: true, Micros: 1_250_000}, mini, "$1.25"},
		{"reported, no tokens and no price", chat.Usage{Micros: 20_000}, Price{}, "$0.020"},
		{"reported, beyond all bounds", chat.Usage{Micros: math.MaxInt}, Price{}, "$1,099,511.63"},
		{"reported, below nothing", chat.Usage{Input: 1_000_000, Micros: -1}, mini, "$0.15"},
		{"on this machine", chat.Usage{Input: 9, Output: 9}, Price{Free: true}, "$0.00"},
		{"a price below nothing", chat.Usage{Input: 9, Output: 9}, Price{Input: -1, Output: -1}, "price unknown"},
		{"a price that is no number", chat.Usage{Input: 9, Output: 9}, Price{Input: math.NaN(), Output: 1}, "price unknown"},
		{"more cached than there is", chat.Usage{Input: 1_000_000, Cached: 5_000_000}, Price{Input: 2, Cached: 1, Output: 1}, "$1.00"},
		{"negative counts", chat.Usage{Input: -5, Cached: -1, Output: -9}, mini, "$0.00"},
		{"beyond all bounds", chat.Usage{Input: math.MaxInt, Output: math.MaxInt}, Price{Input: math.Inf(1), Output: 1e300}, "$9,223,372.03"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Of(c.usage, c.price)
			if got.Text() != c.want {
				t.Errorf("%s (%+v), want %s", got.Text(), got, c.want)
			}
			if got.Requests != 1 || got.Exact() != (c.want[0] == '$' || c.want[0] == '<') {
				t.Errorf("%+v for %s", got, c.want)
			}
		})
	}
}

// The result equals a sum by hand, to the last digit.
func TestPricesAreExact(t *testing.T) {
	var sum Total
	for range 1000 {
		sum = sum.Add(Of(chat.Usage{Input: 1, Cached: 0, Output: 1}, Price{Input: 0.1, Output: 0.2}))
	}
	if want := Dollar * 3 / 10_000; sum.Cost != want {
		t.Errorf("1,000 times 0.1 and 0.2 of a millionth are %d, want %d", sum.Cost, want)
	}
}

func TestMarksStay(t *testing.T) {
	exact, guess := Of(chat.Usage{Input: 1_000_000}, mini), Of(chat.Usage{Input: 1_000_000, Estimated: true}, mini)
	unknown := Of(chat.Usage{Input: 7, Output: 1}, Price{})
	for _, c := range []struct {
		sum  Total
		want string
	}{
		{sum(), "$0.00"},
		{sum(exact, exact), "$0.30"},
		{sum(exact, guess), "~$0.30"},
		{sum(exact, unknown), "at least $0.15"},
		{sum(guess, unknown), "at least ~$0.15"},
		{sum(unknown, unknown), "price unknown"},
	} {
		if got := c.sum.Text(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if got := sum(exact, unknown); got.Requests != 2 || got.Unpriced != 1 || got.Usage.Input != 1_000_007 {
		t.Errorf("%+v", got)
	}
}

func sum(totals ...Total) (all Total) {
	for _, t := range totals {
		all = all.Add(t)
	}
	return all
}

// anyTotal makes totals as hostile as a server and a table can.
func anyTotal(r *rand.Rand) Total {
	n := func() int {
		return []int{0, 1, -1, r.IntN(1 << 20), r.Int(), math.MaxInt, math.MinInt}[r.IntN(7)]
	}
	p := func() float64 {
		return []float64{0, 0.075, r.Float64() * 100, r.ExpFloat64() * 1e9, -1, math.NaN(), math.Inf(1), math.MaxFloat64}[r.IntN(8)]
	}
	return Of(chat.Usage{Input: n(), Cached: n(), Output: n(), Reasoning: n(), Estimated: r.IntN(3) == 0},
		Price{Input: p(), Cached: p(), Output: p(), Free: r.IntN(9) == 0})
}

func TestSumLaws(t *testing.T) {
	holds := func(seed uint64) bool {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b, c := anyTotal(r), anyTotal(r), anyTotal(r)
		if a.Add(b).Add(c) != a.Add(b.Add(c)) || a.Add(b) != b.Add(a) || a.Add(Total{}) != a {
			t.Errorf("the order matters: %+v %+v %+v", a, b, c)
			return false
		}
		s := sum(a, b, c)
		if s.Cost < a.Cost || s.Cost < 0 || s.Usage.Input < 0 || s.Usage.Output < 0 || s.Usage.Cached > s.Usage.Input || s.Usage.Reasoning > s.Usage.Output {
			t.Errorf("%+v", s)
			return false
		}
		return s.Estimated == (a.Estimated || b.Estimated || c.Estimated) && s.Known() == (a.Known() && b.Known() && c.Known()) && s.Requests == 3
	}
	if err := quick.Check(holds, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

// Sums that reach the end stay there in every order.
func TestSumsDoNotWrap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var sum Total
	for range 5_000 {
		next := sum.Add(anyTotal(r))
		if next.Cost < sum.Cost || next.Usage.Input < sum.Usage.Input || next.Usage.Output < sum.Usage.Output {
			t.Fatalf("%+v became %+v", sum, next)
		}
		sum = next
	}
	if sum.Cost != Most {
		t.Errorf("%d is not the most", sum.Cost)
	}
	if m := Money(-5).Add(-7); m != 0 {
		t.Errorf("less than nothing: %d", m)
	}
}

func TestMoneyText(t *testing.T) {
	for _, c := range []struct {
		dollars float64
		want    string
	}{
		{0, "$0.00"}, {-3, "$0.00"}, {math.NaN(), "$0.00"},
		{0.000_049, "<$0.0001"}, {0.000_05, "$0.0001"}, {0.000_1, "$0.0001"},
		{0.003_1, "$0.0031"}, {0.003_149, "$0.0031"}, {0.003_15, "$0.0032"},
		{0.009_949, "$0.0099"}, {0.009_951, "$0.010"}, {0.009_99, "$0.010"}, {0.01, "$0.010"}, {0.031_4, "$0.031"},
		{0.099_4, "$0.099"}, {0.099_6, "$0.10"}, {0.1, "$0.10"}, {0.31, "$0.31"}, {0.314_9, "$0.31"}, {0.315, "$0.32"},
		{0.995, "$1.00"}, {12.4, "$12.40"}, {999.994, "$999.99"}, {999.995, "$1,000.00"}, {1240, "$1,240.00"}, {1_234_567.891, "$1,234,567.89"},
		{1e300, "$9,223,372.03"},
	} {
		if got := FromDollars(c.dollars).String(); got != c.want {
			t.Errorf("%v is %s, want %s", c.dollars, got, c.want)
		}
	}
}

// More money never reads as less.
func TestMoneyTextGrows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	value := func(m Money) float64 {
		s := m.String()
		if s[0] == '<' {
			return 0.000_01
		}
		var v float64
		var plain []byte
		for i := 1; i < len(s); i++ {
			if s[i] != ',' {
				plain = append(plain, s[i])
			}
		}
		if _, err := fmt.Sscan(string(plain), &v); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return v
	}
	for range 100_000 {
		a := Money(math.Exp(r.Float64() * 43))
		b := a + Money(r.Float64()*float64(a)*0.01)
		if value(a) > value(b) {
			t.Fatalf("%s is more than %s", a, b)
		}
		if off := math.Abs(value(a) - a.Dollars()); a > Dollar/100 && off > 0.051*a.Dollars() || off > 0.00501 && a < Dollar*1000 {
			t.Fatalf("%v reads as %s", a.Dollars(), a)
		}
	}
}

func TestBudget(t *testing.T) {
	at := func(d float64) Total { return Total{Cost: FromDollars(d), Requests: 1} }
	unknown := Of(chat.Usage{Input: 5}, Price{})
	for _, c := range []struct {
		limit       float64
		spent, next Total
		want        Verdict
		percent     int
		text        string
	}{
		{0, at(1e6), at(1), GoOn, 0, ""},
		{1, Total{}, Total{}, GoOn, 0, ""},
		{1, at(0.799), Total{}, GoOn, 79, ""},
		{1, at(0.8), at(0.2), NearlySpent, 80, "80% of the budget of $1.00 is spent."},
		{1, at(0.8), at(0.21), Ask, 80, "This notebook has cost $0.80; the next request ($0.21 at least) would go past its budget of $1.00."},
		{1, at(0.9999), Total{}, NearlySpent, 99, "99% of the budget of $1.00 is spent."},
		{1, at(1), Total{}, Ask, 100, "This notebook has cost $1.00 of its budget of $1.00."},
		{0.05, at(40), Total{}, Ask, 999, "This notebook has cost $40.00 of its budget of $0.050."},
		{1, at(0.1).Add(unknown), Total{}, GoOn, 10, "The budget cannot count requests to models whose price is not known: set it in the settings."},
		{1, at(2).Add(unknown), Total{}, Ask, 200, "This notebook has cost at least $2.00 of its budget of $1.00. The budget cannot count requests to models whose price is not known: set it in the settings."},
		{1, at(0.1), unknown, GoOn, 10, "The budget cannot count requests to models whose price is not known: set it in the settings."},
		{1e-12, Total{Cost: 1}, Total{}, Ask, 100, "This notebook has cost <$0.0001 of its budget of <$0.0001."},
	} {
		got := Budget{Limit: FromDollars(c.limit)}.Decide(c.spent, c.next)
		if got.Verdict != c.want || got.Percent != c.percent || got.Text != c.text {
			t.Errorf("budget %v, spent %s, next %s: %+v", c.limit, c.spent.Text(), c.next.Text(), got)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{
		{"a", "same"}: mini, {"b", "same"}: mini,
		{"a", "other"}: mini, {"b", "other"}: {Input: 9, Output: 9},
	}
	for _, c := range []struct {
		model Model
		want  Price
	}{
		{Model{"a", "other"}, mini}, {Model{"b", "other"}, Price{Input: 9, Output: 9}},
		{Model{"", "same"}, mini}, {Model{"", "other"}, Price{}},
		{Model{"c", "same"}, Price{}}, {Model{"", "none"}, Price{}},
	} {
		if got := table.Find(c.model); got != c.want {
			t.Errorf("%v: %+v", c.model, got)
		}
	}
}

// An unconfirmed price makes an estimate; a price that is given twice, once as a guess, is known.
func TestGuessedPrices(t *testing.T) {
	guess := mini
	guess.Guessed = true
	used := chat.Usage{Input: 1000, Output: 1000}
	if a, b := Of(used, mini), Of(used, guess); a.Estimated || !b.Estimated || b.Usage.Estimated || a.Cost != b.Cost {
		t.Errorf("%+v, %+v", a, b)
	}
	if got := (Table{{"a", "m"}: guess, {"b", "m"}: mini}).Find(Model{ID: "m"}); got != mini {
		t.Errorf("found %+v", got)
	}
}

// An indexed table gives the same prices, even without a provider.
func TestIndexedTable(t *testing.T) {
	guess := mini
	guess.Guessed = true
	make := func() Table {
		return Table{
			{"a", "same"}: mini, {"b", "same"}: mini, {"a", "other"}: mini, {"b", "other"}: {Input: 9, Output: 9},
			{"a", "guess"}: guess, {"b", "guess"}: mini, {"c", "one"}: guess,
		}
	}
	plain, indexed := make(), make()
	indexed.Index()
	for _, provider := range []string{"", "a", "b", "c", "none"} {
		for _, id := range []string{"same", "other", "guess", "one", "none"} {
			m := Model{provider, id}
			if got, want := indexed.Find(m), plain.Find(m); got != want {
				t.Errorf("%v: %+v, want %+v", m, got, want)
			}
			if _, there := indexed[Model{ID: id}]; provider == "" && id != "none" && !there {
				t.Errorf("%s is not in the index", id)
			}
		}
	}
}
