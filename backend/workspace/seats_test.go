package workspace

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Who waits begins in the order of coming, never more than the limit at once;
// who goes on comes before who begins.
func TestSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limit atomic.Int32
		limit.Store(2)
		s := newSeats(func() int { return int(limit.Load()) })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { s.follow(ctx); close(ended) }()
		var mu sync.Mutex
		var order []string
		note := func(what string) { mu.Lock(); order = append(order, what); mu.Unlock() }
		said := func() string { synctest.Wait(); mu.Lock(); defer mu.Unlock(); return strings.Join(order, " ") }
		runs := make([]*run, 6)
		for i := range runs {
			runs[i] = &run{}
			s.wait(runs[i], func() { note(fmt.Sprint(i)) })
		}
		if got := said(); got != "0 1" || s.queued() != 4 {
			t.Errorf("began %s, %d wait", got, s.queued())
		}
		// 0 waits for others: its seat is free meanwhile, and it is the next to get one.
		done, back := make(chan struct{}), make(chan struct{})
		go func() {
			s.without(ctx, runs[0], func() { <-done })
			note("0 again")
			close(back)
		}()
		if got := said(); got != "0 1 2" {
			t.Errorf("began %s", got)
		}
		close(done)
		synctest.Wait()
		s.drop(runs[1])
		<-back
		if got := said(); got != "0 1 2 0 again" {
			t.Errorf("began %s", got)
		}
		if s.drop(runs[4]) { // it waits no more
			t.Error("it had no seat")
		}
		limit.Store(3)
		s.look()
		if got := said(); got != "0 1 2 0 again 3" {
			t.Errorf("began %s", got)
		}
		limit.Store(1)
		s.drop(runs[0])
		s.drop(runs[2])
		if got := said(); got != "0 1 2 0 again 3" {
			t.Errorf("with a lower limit began %s", got)
		}
		s.drop(runs[3])
		if got := said(); got != "0 1 2 0 again 3 5" || s.queued() != 0 {
			t.Errorf("began %s, %d wait", got, s.queued())
		}
		// Who had no seat waits for none; who is stopped neither.
		s.without(ctx, &run{}, func() {})
		s.without(ctx, nil, func() {})
		stopped, stop := context.WithCancel(ctx)
		s.wait(&run{}, func() { note("last") })
		time.AfterFunc(time.Second, stop)
		s.without(stopped, runs[5], synctest.Wait) // meanwhile the last takes its seat
		cancel()
		<-ended
		if got := said(); !strings.HasSuffix(got, "5 last") {
			t.Errorf("began %s", got)
		}
	})
}
