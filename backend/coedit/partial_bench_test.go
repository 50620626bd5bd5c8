package coedit

import (
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/tool"
)

// BenchmarkLargeChange measures the card of a change whose sides have 40,000 lines each and differ
// everywhere, the worst case.
func BenchmarkLargeChange(b *testing.B) {
	var before, after strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&before, "before %d\n", i*7919)
		fmt.Fprintf(&after, "after %d\n", i*104729)
	}
	c := tool.Change{Path: "a", Before: before.String(), After: after.String()}
	for b.Loop() {
		if f := fileChange(c, ShownLines); f.More == 0 {
			b.Fatal("nothing is left out")
		}
	}
}
