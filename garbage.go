package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how many bytes of garbage may pile up before a collection. Its percentage of the live
// heap is limited too: little garbage is not worth a collection, and collecting a large heap takes
// long.
const (
	garbage    = 6 << 20
	minPercent = 10
	maxPercent = 100
)

// shortPercent is the percentage for commands that end at once: most of them need no collection.
const shortPercent = 800

// boundGarbage caps uncollected garbage at a constant size by adjusting GOGC. Go's own rule is a
// percentage of the live heap: a window is open all day, and as agents write, its memory would grow
// by their text and half as much again. Do not call it if the user set GOGC.
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
		// The next collection finds an object that nothing points to.
		runtime.SetFinalizer(new(*byte), func(**byte) { next() })
	}
	next()
}

// garbagePercent returns GOGC for a number of live bytes. It changes in steps, since setting it
// stops the program for a moment.
func garbagePercent(live uint64) int {
	const step = 5
	percent := int(garbage * 100 / max(live, 1))
	return min(max(percent/step*step, minPercent), maxPercent)
}
