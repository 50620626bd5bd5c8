package builtin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/tool/builtin"
)

// How long a command takes that does nothing, and how long the end of a tree
// of processes takes that floods its terminal (SPEC 7.3: soon).
func BenchmarkShell(b *testing.B) {
	x := newTerminal(b, true, nil)
	for b.Loop() {
		if res := x.run(b, b.Context(), `{"command":"true"}`); res.IsError {
			b.Fatal(res.Content)
		}
	}
}

func BenchmarkStopInAFlood(b *testing.B) {
	x := newTerminal(b, true, nil)
	var total time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var at time.Time
		time.AfterFunc(150*time.Millisecond, func() { at = time.Now(); cancel() })
		x.run(b, ctx, `{"command":"sleep 1000 & setsid sleep 1000 & yes"}`)
		total += time.Since(at)
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms/stop")
}

func BenchmarkOutput(b *testing.B) {
	x := newTerminal(b, true, func(builtin.TaskChange) {})
	for b.Loop() {
		if res := x.run(b, b.Context(), `{"command":"seq 1 1000000"}`); !strings.HasSuffix(res.Content, "1000000") {
			b.Fatal(res.Content)
		}
	}
	b.SetBytes(6888896)
}
