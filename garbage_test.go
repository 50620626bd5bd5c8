package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// The amount of garbage that may pile up does not depend on the memory in use.
func TestGarbageIsBounded(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	boundGarbage()
	var text [][]byte
	room := func() int64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}}
		metrics.Read(s)
		return int64(s[1].Value.Uint64()) - int64(s[0].Value.Uint64())
	}
	for range 5 {
		for range 64 {
			text = append(text, make([]byte, 128<<10))
		}
		// The percentage computed in one collection applies from the next one on.
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			runtime.GC()
			if room() < garbage*5/4 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("with %d MB in use %d KB of garbage may pile up", len(text)/8, room()>>10)
			}
		}
	}
	runtime.KeepAlive(text)
}

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 3 << 20: 100, 12 << 20: 50, 20 << 20: 30, 50 << 20: 10, 1 << 40: 10} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MB: %d, want %d", live>>20, got, want)
		}
	}
}
