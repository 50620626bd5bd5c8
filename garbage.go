package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how much garbage, in bytes, may pile up before it is cleared away.
// The share of what is in use has bounds: little garbage is not worth a
// collection, and with a lot in use a collection takes long.
const (
	garbage      = 6 << 20
	leastPercent = 10
	mostPercent  = 100
)

// boundGarbage keeps what garbage takes the same, however much is in use. Go's
// own rule is a share of that: a window is open all day, and as agents write
// its memory would grow by their text and half as much again. GOGC, when set,
// has the last word: then this is not called.
func boundGarbage() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := 0
	var next func()
	next = func() {
		metrics.Read(live)
		if now := garbagePercent(live[0].Value.Uint64()); now != percent {
			percent = now
			debug.SetGCPercent(now)
		}
		// What nothing points to is found by the next collection.
		runtime.SetFinalizer(new(*byte), func(**byte) { next() })
	}
	next()
}

// garbagePercent is the share of live bytes that garbage may take. It changes
// in steps, since setting it stops the program for a moment.
func garbagePercent(live uint64) int {
	const step = 5
	percent := int(garbage * 100 / max(live, 1))
	return min(max(percent/step*step, leastPercent), mostPercent)
}
