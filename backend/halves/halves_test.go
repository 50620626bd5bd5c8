package halves_test

import (
	"testing"

	"mutsumi/backend/halves"
)

// Without a first or a second half there is one call.
func TestAnEmptyHalf(t *testing.T) {
	for _, middle := range []int{0, 7} {
		calls := 0
		halves.At(middle, 7, 0, func(from, to int) {
			if calls++; from != 0 || to != 7 {
				t.Errorf("from %d to %d", from, to)
			}
		})
		if calls != 1 {
			t.Errorf("with the middle at %d, %d calls", middle, calls)
		}
	}
}

func TestEveryElementOnce(t *testing.T) {
	for n := range 70 {
		times := make([]int, n)
		halves.Do(n, 64, func(from, to int) {
			for i := from; i < to; i++ {
				times[i]++
			}
		})
		for i, k := range times {
			if k != 1 {
				t.Errorf("of %d, element %d came %d times", n, i, k)
			}
		}
	}
}
