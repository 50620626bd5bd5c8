package builtin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Applying the changes to the old lines gives the new ones, whatever they are.
func TestChangesLeadFromOneToTheOther(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	lines := func() []string {
		out := make([]string, rnd.IntN(30))
		for i := range out {
			out[i] = fmt.Sprint(rnd.IntN(6))
		}
		return out
	}
	for range 3000 {
		a, b := lines(), lines()
		var got []string
		at := 0
		for _, c := range compareLines(a, b) {
			if c.a0 < at || c.a0 == c.a1 && c.b0 == c.b1 {
				t.Fatalf("change %v of %v and %v", c, a, b)
			}
			got = append(got, a[at:c.a0]...)
			got = append(got, b[c.b0:c.b1]...)
			at = c.a1
		}
		if got = append(got, a[at:]...); !slices.Equal(got, b) {
			t.Fatalf("from %v came %v, want %v", a, got, b)
		}
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a\n", "a\n", ""},
		{"a\r\n", "a\n", ""},
		{"", "a\n", "@@ -0,0 +1,1 @@\n+a"},
		{"a\n", "", "@@ -1,1 +0,0 @@\n-a"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nX\n6\n7\n8\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8"},
		{"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n", "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B"},
	} {
		if got := unified(c.a, c.b, 100); got != c.want {
			t.Errorf("%q to %q gave\n%s\nwant\n%s", c.a, c.b, got, c.want)
		}
	}
	if got := unified(strings.Repeat("a\n", 50), strings.Repeat("b\n", 50), 10); strings.Count(got, "\n") > 10 || !strings.HasSuffix(got, "[the rest of the difference is left out]") {
		t.Error(got)
	}
}

func BenchmarkUnified(b *testing.B) {
	var x, y strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&x, "line %d\n", i)
		if i%40 != 0 {
			fmt.Fprintf(&y, "line %d\n", i)
		}
	}
	for b.Loop() {
		unified(x.String(), y.String(), 60)
	}
}
