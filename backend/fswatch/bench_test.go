package fswatch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mutsumi/backend/fswatch"
)

// BenchmarkWatch1000Folders starts and stops watching 1,000 folders below one, as when a work tree
// is made and removed. It reports the time of each and how many watches are left, which must be
// that of the one folder.
func BenchmarkWatch1000Folders(b *testing.B) {
	const n = 1000
	root := b.TempDir()
	var dirs []string
	for i := range n {
		dirs = append(dirs, filepath.Join(root, "work", fmt.Sprint(i)))
		if err := os.MkdirAll(dirs[i], 0o755); err != nil {
			b.Fatal(err)
		}
	}
	f := fswatch.New(10 * n)
	defer f.Close()
	f.Add(root)
	var adding, dropping stopwatch
	for b.Loop() {
		adding.measure(func() {
			f.Add(filepath.Join(root, "work"))
			for _, dir := range dirs {
				f.Add(dir)
			}
		})
		if f.Count() != n+2 || f.Blind() {
			b.Fatalf("%d folders are watched, blind %v", f.Count(), f.Blind())
		}
		dropping.measure(func() { f.Drop(filepath.Join(root, "work")) })
	}
	b.ReportMetric(adding.milliseconds(b.N), "ms/add1000")
	b.ReportMetric(dropping.milliseconds(b.N), "ms/drop1000")
	b.ReportMetric(float64(f.Count()), "watches-left")
}

// stopwatch sums the measured time.
type stopwatch time.Duration

func (s *stopwatch) measure(f func()) {
	began := time.Now()
	f()
	*s += stopwatch(time.Since(began))
}

// milliseconds returns the mean of n measurements.
func (s *stopwatch) milliseconds(n int) float64 {
	return time.Duration(*s).Seconds() * 1000 / float64(n)
}
