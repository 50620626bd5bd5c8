package halves_test

import (
	"testing"

	"mutsumi/backend/halves"
)

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
