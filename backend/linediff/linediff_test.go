package linediff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Applying the changes to the old lines gives the new ones, whatever they are.
func TestChangesLeadFromOneToTheOther(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	lines := func(most int) []string {
		out := make([]string, rnd.IntN(most))
		for i := range out {
			out[i] = fmt.Sprintln(rnd.IntN(6))
		}
		return out
	}
	for i := range 3000 {
		most := 30
		if i%500 == 0 {
			most = 2 * effort // beyond what is looked for to find the fewest
		}
		a, b := lines(most), lines(most)
		var got []string
		at := 0
		for _, c := range Changes(a, b) {
			if c.A0 < at || c.A0 == c.A1 && c.B0 == c.B1 {
				t.Fatalf("change %v of %v and %v", c, a, b)
			}
			got = append(got, a[at:c.A0]...)
			got = append(got, b[c.B0:c.B1]...)
			at = c.A1
		}
		if got = append(got, a[at:]...); !slices.Equal(got, b) {
			t.Fatalf("from %v came %v, want %v", a, got, b)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string][]string{"": {}, "a": {"a"}, "a\n": {"a\n"}, "a\n\nb": {"a\n", "\n", "b"}} {
		if got := Lines(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Changes whose surroundings meet are shown together.
func TestNear(t *testing.T) {
	all := []Change{{0, 1, 0, 1}, {7, 8, 7, 7}, {15, 15, 14, 16}}
	if got := fmt.Sprint(Near(all, 3)); got != "[[{0 1 0 1} {7 8 7 7}] [{15 15 14 16}]]" || Near(nil, 3) != nil {
		t.Error(got)
	}
}
