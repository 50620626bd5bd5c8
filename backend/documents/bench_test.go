package documents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mutsumi/backend/files/filestest"
)

// BenchmarkListingWhile2000NotebooksLoad asks a registry for its 2,000 agents
// over and over while one goroutine reads the summaries of all their notebooks
// again and another opens each of them. Nothing is read from the disk under the
// registry's lock, so a listing does not wait for the loading. It reports the
// median and the slowest listing, in µs.
func BenchmarkListingWhile2000NotebooksLoad(b *testing.B) {
	const n = 2000
	folder, files := b.TempDir(), map[string]bool{}
	for i := range n {
		name := fmt.Sprintf("agent%04d.mtm", i)
		files[name] = true
		if err := os.WriteFile(filepath.Join(folder, name), []byte(filestest.Notebook(fmt.Sprint("uuid", i), name)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	for b.Loop() {
		d := openUnwatched(b, folder, nobody{})
		d.reg.FilesChanged(files)
		b.StopTimer()
		changed := time.Now().Add(time.Duration(len(took)+1) * time.Second)
		for name := range files {
			if err := os.Chtimes(filepath.Join(folder, name), changed, changed); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		read, opened := make(chan struct{}), make(chan error, 1)
		go func() {
			defer close(read)
			d.reg.FilesChanged(files)
		}()
		go func() {
			for name := range files {
				if _, err := d.reg.Live(name); err != nil {
					opened <- err
					return
				}
			}
			opened <- nil
		}()
		for loading := true; loading; time.Sleep(100 * time.Microsecond) { // a window asks now and then
			began := time.Now()
			if got := len(d.Nodes()); got != n {
				b.Fatalf("%d agents are listed", got)
			}
			took = append(took, time.Since(began))
			select {
			case err := <-opened:
				if err != nil {
					b.Fatal(err)
				}
				loading = false
			default:
			}
		}
		<-read
		if len(d.Nodes()) != n || d.OpenDocs() != n {
			b.Fatalf("%d agents, %d open", len(d.Nodes()), d.OpenDocs())
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs/listing")
	b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1000, "µs/slowest")
}
