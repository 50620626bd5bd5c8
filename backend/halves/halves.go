// Package halves runs a loop over many elements as two loops at the same time.
package halves

import (
	"runtime"
	"sync"
)

// Do calls f for the elements from 0 up to n: for each half, in two goroutines, or once for all of
// them if there are fewer than many, or only one processor. f gets where its part begins and ends.
// Do returns when all is done.
func Do(n, many int, f func(from, to int)) { At(n/2, n, many, f) }

// At is Do with the end of the first half. If either half is empty, f is called once.
func At(middle, n, many int, f func(from, to int)) {
	if n < many || middle <= 0 || middle >= n || runtime.GOMAXPROCS(0) < 2 {
		f(0, n)
		return
	}
	var first sync.WaitGroup
	first.Go(func() { f(0, middle) })
	defer first.Wait() // also when f panics here
	f(middle, n)
}
