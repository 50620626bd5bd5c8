package coedit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever changes are excluded, the edits lead exactly to the rest, and each names a unique place.
func TestReplacementsLeadToTheText(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	words := []string{"a\n", "b\n", "\n", "}\n", "a\r\n"}
	text := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[r.IntN(len(words))]
		}
		return out
	}
	for range 3_000 {
		before := text(1 + r.IntN(40))
		after := append([]string{}, before...)
		for range 1 + r.IntN(4) {
			at := r.IntN(len(after) + 1)
			end := min(len(after), at+r.IntN(3))
			after = append(append(append([]string{}, after[:at]...), text(r.IntN(3))...), after[end:]...)
		}
		a, b := strings.Join(before, ""), strings.Join(after, "")
		if r.IntN(3) == 0 {
			b = strings.TrimSuffix(b, "\n")
		}
		if a == b {
			continue
		}
		got := a
		for _, e := range replacements(a, b) {
			if at := strings.Index(got, e.Old); at < 0 || strings.Contains(got[at+1:], e.Old) {
				t.Fatalf("%q is not in exactly one place of %q", e.Old, got)
			}
			got = strings.Replace(got, e.Old, e.New, 1)
		}
		if got != b {
			t.Fatalf("from %q came %q, want %q", a, got, b)
		}
	}
}
