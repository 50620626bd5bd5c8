package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
)

// BenchmarkServers measures 20 servers with more than 500 tools: building the tool list of a first
// request from nothing, building a later one, and the memory this program keeps for them.
func BenchmarkServers(b *testing.B) {
	all := map[string]any{}
	for i := range 20 {
		s := mcptest.Server("", "many")
		all[fmt.Sprintf("s%d", i)] = map[string]any{"command": s.Command, "env": s.Env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), raw, 0o600); err != nil {
		b.Fatal(err)
	}
	kept := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	start := func() *mcp.Servers {
		s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(string) bool { return true }, Timing: client.DefaultTiming})
		s.Start(b.Context())
		if n := len(s.Known()); n < 500 {
			b.Fatalf("%d tools", n)
		}
		return s
	}
	b.Run("first", func(b *testing.B) {
		before := kept()
		for b.Loop() {
			s := start()
			b.StopTimer()
			b.ReportMetric(float64(kept()-before)/1e6, "MB")
			s.Close()
			b.StartTimer()
		}
	})
	b.Run("later", func(b *testing.B) {
		s := start()
		defer s.Close()
		for b.Loop() {
			s.Start(b.Context())
			s.Known()
		}
	})
}
