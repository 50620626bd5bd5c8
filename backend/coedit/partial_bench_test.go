package coedit

import (
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/tool"
)

// BenchmarkLargeChange is what the card of a change costs whose sides have
// 40,000 lines each that differ everywhere, the worst there is.
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
