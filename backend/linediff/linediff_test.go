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
			most = 2 * effort // beyond the effort for finding the fewest
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
	if got := fmt.Sprint(near(all, 3)); got != "[[{0 1 0 1} {7 8 7 7}] [{15 15 14 16}]]" || near(nil, 3) != nil {
		t.Error(got)
	}
}

// The lines of the hunks, with the unchanged lines between them, make both texts.
func TestHunks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		a, b := make([]string, rnd.IntN(40)), make([]string, rnd.IntN(40))
		for i := range a {
			a[i] = fmt.Sprintln(rnd.IntN(9))
		}
		if b = append(b[:0], a...); len(b) > 0 {
			for range rnd.IntN(4) {
				at := rnd.IntN(len(b))
				b = slices.Replace(b, at, min(at+rnd.IntN(3), len(b)), "x\n", "y\n")
			}
		}
		around := rnd.IntN(4)
		var old, now []string
		at := 0
		for _, h := range Hunks(a, b, around) {
			old, now = append(old, a[at:h.A0]...), append(now, a[at:h.A0]...)
			if len(now) != h.B0 {
				t.Fatalf("a hunk at %d of %q, which is %d", h.B0, b, len(now))
			}
			added, removed := Count(h.Changes)
			for _, l := range h.Lines {
				if l.A != len(old) || l.B != len(now) {
					t.Fatalf("line %+v is at %d and %d", l, len(old), len(now))
				}
				if l.Sign != '+' {
					old = append(old, l.Text)
				} else {
					added--
				}
				if l.Sign != '-' {
					now = append(now, l.Text)
				} else {
					removed--
				}
			}
			if at = h.A1; added != 0 || removed != 0 || len(old) != h.A1 || len(now) != h.B1 {
				t.Fatalf("%+v has wrong counts", h)
			}
		}
		if old, now = append(old, a[at:]...), append(now, a[at:]...); !slices.Equal(old, a) || !slices.Equal(now, b) {
			t.Fatalf("%q and %q became %q and %q", a, b, old, now)
		}
	}
}

func TestAHunkHasTheLinesAround(t *testing.T) {
	a := Lines("1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	b := Lines("1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
	var got string
	for _, h := range Hunks(a, b, 2) {
		got += fmt.Sprintln(h.A0, h.A1, h.B0, h.B1)
		for _, l := range h.Lines {
			got += string(l.Sign) + l.Text
		}
	}
	if want := "2 7 2 7\n 3\n 4\n-5\n+five\n 6\n 7\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
