package agentfiles_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/inspect"
)

// BenchmarkRequestCacheOf1000Notebooks stores the last requests of 1,000 notebooks, 100 KB each,
// and reports how many files and MB remain after pruning at a start (the limit is 64 MB), how many
// after all notebooks were deleted and, as ns/op, the time to read an existing one.
func BenchmarkRequestCacheOf1000Notebooks(b *testing.B) {
	const n = 1000
	store := agentfiles.New(b.TempDir(), b.TempDir(), b.TempDir())
	var message inspect.Message
	for range 10 {
		message.Segments = append(message.Segments, inspect.Segment{Text: strings.Repeat("sent text ", 1000)})
	}
	for i := range n {
		store.KeepRequest(fmt.Sprint(i), inspect.Record{Model: "model", Messages: []inspect.Message{message}})
	}
	store.Prune(time.Now())
	files, size := kept(b, store)
	if size > 64<<20 || files == 0 {
		b.Fatalf("%d files of %d bytes are kept", files, size)
	}
	for b.Loop() {
		if r := store.Request(fmt.Sprint(n - 1)); r.Number != 1 {
			b.Fatal("the last request is not there")
		}
	}
	for i := range n {
		store.Forget(fmt.Sprint(i))
	}
	left, _ := kept(b, store)
	b.ReportMetric(float64(files), "files-kept")
	b.ReportMetric(float64(size)/(1<<20), "MB-kept")
	b.ReportMetric(float64(left), "files-after-deletion")
}

// kept returns the number and size of the requests in the cache.
func kept(b *testing.B, store *agentfiles.Store) (files int, size int64) {
	b.Helper()
	err := filepath.WalkDir(store.Cache("requests"), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		files, size = files+1, size+info.Size()
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return files, size
}
