package workspace

import (
	"context"
	"fmt"
	"runtime"
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
		// 0 waits for somebody: its seat is free meanwhile, and it is the next to get one.
		if !s.leave(runs[0]) || s.leave(runs[0]) {
			t.Error("it has one seat to leave")
		}
		if got := said(); got != "0 1 2" {
			t.Errorf("began %s", got)
		}
		back := make(chan struct{})
		go func() {
			waited := s.again(ctx, runs[0], func(waits bool) { note(fmt.Sprintf("0 waits %v", waits)) })
			note(fmt.Sprintf("0 again %v", waited))
			close(back)
		}()
		synctest.Wait()
		s.drop(runs[1])
		<-back
		if got := said(); got != "0 1 2 0 waits true 0 waits false 0 again true" {
			t.Errorf("began %s", got)
		}
		order = nil
		s.drop(runs[4]) // it waits no more
		limit.Store(3)
		s.look()
		if got := said(); got != "3" {
			t.Errorf("began %s", got)
		}
		limit.Store(1)
		s.drop(runs[0])
		s.drop(runs[2])
		if got := said(); got != "3" {
			t.Errorf("with a lower limit began %s", got)
		}
		s.drop(runs[3])
		if got := said(); got != "3 5" || s.queued() != 0 {
			t.Errorf("began %s, %d wait", got, s.queued())
		}
		// Who left a seat that nobody took has it again at once; who had none waits for none.
		s.leave(runs[5])
		never := func(bool) { t.Error("it waits") }
		if s.again(ctx, runs[5], never) || s.again(ctx, runs[5], never) || s.again(ctx, &run{}, never) || s.leave(&run{}) || s.leave(nil) {
			t.Error("it waited")
		}
		// Who is stopped while it waits for one leaves nothing behind.
		s.leave(runs[5])
		last := &run{}
		s.wait(last, func() { note("last") })
		stopped, stop := context.WithCancel(ctx)
		time.AfterFunc(time.Second, stop)
		synctest.Wait()
		s.again(stopped, runs[5], func(bool) {})
		if got := said(); got != "3 5 last" || s.queued() != 0 {
			t.Errorf("began %s, %d wait", got, s.queued())
		}
		s.drop(last)
		s.wait(&run{}, func() { note("free") })
		if got := said(); got != "3 5 last free" {
			t.Errorf("began %s: the seat of the one that was stopped is taken", got)
		}
		cancel()
		<-ended
	})
}

// Agents leave their seats and come back as they like, and some are stopped
// while they wait: never do more than the limit have one, each one that is not
// stopped comes back, and in the end all seats are free.
func TestSeatsOfManyAgentsThatComeAndGo(t *testing.T) {
	const limit, agents, rounds = 3, 40, 20
	s := newSeats(func() int { return limit })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.follow(ctx)
	var at, most atomic.Int32
	sit := func() {
		for n := at.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		runtime.Gosched()
	}
	var all sync.WaitGroup
	for i := range agents {
		r := &run{}
		own, stop := context.WithCancel(ctx)
		began := make(chan struct{})
		s.wait(r, func() { close(began) })
		all.Go(func() {
			defer s.drop(r)
			defer stop()
			<-began
			sit()
			for n := range rounds {
				at.Add(-1)
				if !s.leave(r) {
					t.Error("it had no seat")
				}
				if i%4 == 0 && n == rounds/2 {
					go stop()
				}
				if s.again(own, r, func(bool) {}); own.Err() != nil {
					return
				}
				sit()
			}
			at.Add(-1)
		})
	}
	all.Wait()
	if most.Load() > limit || len(s.taken)+len(s.away)+len(s.waiting) > 0 {
		t.Errorf("%d had a seat at once; left behind: %d taken, %d away, %d waiting", most.Load(), len(s.taken), len(s.away), len(s.waiting))
	}
}
