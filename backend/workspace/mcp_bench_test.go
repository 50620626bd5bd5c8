package workspace_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"mutsumi/backend/provider/openai"
	"mutsumi/backend/runner"
)

// BenchmarkFirstRequestWithServers measures 20 servers with more than 500 tools: from the press on
// Run, when none of them runs, to the first request that a model gets, the same once they run, and
// what this program keeps of them. Their processes are not counted.
func BenchmarkFirstRequestWithServers(b *testing.B) {
	manners := map[string]string{}
	for i := range 20 {
		manners[fmt.Sprintf("s%d", i)] = "many"
	}
	kept := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var cold, warm time.Duration
	grown := int64(0)
	for b.Loop() {
		b.StopTimer()
		d := openServers(b, "answer always\ntext Fine.", openai.New, manners)
		path := d.create("Asking")
		before := kept()
		turn := func(text string) time.Duration {
			cell, sent, began := d.prompt(path, text), len(d.server.Requests()), time.Now()
			d.run(path, cell, runner.RunCell)
			for len(d.server.Requests()) == sent {
				time.Sleep(100 * time.Microsecond)
			}
			took := time.Since(began)
			d.untilFinished(1)
			return took
		}
		b.StartTimer()
		cold += turn("Turn 0.")
		warm += turn("Turn 1.")
		b.StopTimer()
		if tools := len(d.list()); tools != 20 || len(d.definitions()) < 2 {
			b.Fatal(tools, d.definitions())
		}
		grown += int64(kept()) - int64(before)
		d.Close()
		b.StartTimer()
	}
	n := float64(b.N)
	b.ReportMetric(cold.Seconds()*1000/n, "ms/first")
	b.ReportMetric(warm.Seconds()*1000/n, "ms/later")
	b.ReportMetric(float64(grown)/1e6/n, "MB")
}
