package ledger

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/fingerprint"
)

func plain() Request {
	const body = `{"model":"m"}`
	return Of([]byte(body), fingerprint.Of([]byte(body)), "Server", "m", "c1", 1, time.Now())
}

// The number of remembered file ends is limited, and numbering continues for a forgotten file.
func TestManyRecords(t *testing.T) {
	s, dir := NewStore(), t.TempDir()
	file := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)) }
	var all sync.WaitGroup
	for i := range 3 * maxKnown {
		all.Go(func() {
			for want := 1; want <= 2; want++ {
				if number, err := s.Sent(file(i), plain()); err != nil || number != want {
					t.Errorf("request %d of %d: %d, %v", want, i, number, err)
				}
			}
		})
	}
	all.Wait()
	for i := range 2 { // earlier files are forgotten as others are added
		if number, err := s.Sent(file(i), plain()); err != nil || number != 3 {
			t.Errorf("file %d continues with %d, %v; want 3", i, number, err)
		}
	}
	for i := range 3 * maxKnown {
		if err := s.Answered(file(i), 1, Answer{}); err != nil {
			t.Error(err)
		}
	}
	if n := len(s.known); n > maxKnown {
		t.Errorf("the ends of %d files are known, want %d at most", n, maxKnown)
	}
}

// No agent waits while the record of another one is written.
func TestRecordsDoNotWaitForEachOther(t *testing.T) {
	s, dir := NewStore(), t.TempDir()
	err := s.do(filepath.Join(dir, "slow.jsonl"), func(*record) error {
		_, err := s.Sent(filepath.Join(dir, "other.jsonl"), plain())
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
