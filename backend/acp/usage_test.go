package acp

import (
	"slices"
	"testing"
)

// What an agent reports that its session cost counts with the messages: what is more than it
// reported before.
func TestReportedCost(t *testing.T) {
	w := newWorld(t)
	cost := func(dollars string) string {
		return `update {"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":` + dollars + `,"currency":"USD"}}` + "\n"
	}
	check := func(a answered, each ...int) {
		t.Helper()
		var got []int
		sum := 0
		for _, p := range a.puts {
			if p.Usage != nil {
				got = append(got, p.Usage.Micros)
			}
		}
		for _, n := range each {
			sum += n
		}
		if !slices.Equal(got, each) || a.Usage.Micros != sum {
			t.Errorf("%d, in all %d, want %d", got, a.Usage.Micros, each)
		}
	}
	a := w.ask(cost("0.25") + "say Hm.\ncall c1 execute make\n" + cost("0.5") + "done c1 made\nsay x\n" + cost("0.625") +
		`update {"sessionUpdate":"usage_update","cost":{"amount":70,"currency":"EUR"}}` + "\n" + cost("-1") + cost("1e300") +
		`usage {"inputTokens":10,"outputTokens":5}`)
	check(a, 500_000, 125_000)
	if a.Usage.Input != 10 || a.micros != 625_000 {
		t.Errorf("%+v, the session %d", a.Usage, a.micros)
	}
	a = w.ask(cost("0.75")+"say y", func(t *Turn) { t.Session = Session{a.session, a.micros} })
	check(a, 125_000)
	a = w.ask(cost("0.1")+"say z", func(t *Turn) { t.Session = Session{a.session, a.micros} }) // it counts from 0 again
	check(a, 100_000)
	check(w.ask(cost("0.1")+"say in a new session", func(t *Turn) { t.Session = Session{"", 50_000} }), 100_000)
}
