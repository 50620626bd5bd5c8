package linediff

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a\n", "a\n", ""},
		{"a\r\n", "a\n", ""},
		{"", "a\n", "@@ -0,0 +1,1 @@\n+a"},
		{"a\n", "", "@@ -1,1 +0,0 @@\n-a"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nX\n6\n7\n8\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8"},
		{"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n", "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B"},
	} {
		if got := Unified(TextLines(c.a), TextLines(c.b), 100); got != c.want {
			t.Errorf("%q to %q gave\n%s\nwant\n%s", c.a, c.b, got, c.want)
		}
	}
	if got := Unified(TextLines(strings.Repeat("a\n", 50)), TextLines(strings.Repeat("b\n", 50)), 10); strings.Count(got, "\n") > 10 || !strings.HasSuffix(got, "[the rest of the difference is left out]") {
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
		Unified(TextLines(x.String()), TextLines(y.String()), 60)
	}
}
