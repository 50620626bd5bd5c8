package slots

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

type run struct{ _ int }

// Waiting runs start in order, never more than the limit at once; resuming
// runs come before new ones.
func TestRunsStartInOrderWithinTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limit atomic.Int32
		limit.Store(2)
		s := New[*run](func() int { return int(limit.Load()) })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { s.Serve(ctx); close(ended) }()
		var mu sync.Mutex
		var order []string
		note := func(what string) { mu.Lock(); order = append(order, what); mu.Unlock() }
		said := func() string { synctest.Wait(); mu.Lock(); defer mu.Unlock(); return strings.Join(order, " ") }
		runs := make([]*run, 6)
		for i := range runs {
			runs[i] = &run{}
			s.Acquire(runs[i], func() { note(fmt.Sprint(i)) })
		}
		if got := said(); got != "0 1" || s.Waiting() != 4 {
			t.Errorf("began %s, %d wait", got, s.Waiting())
		}
		// 0 waits for something else: its slot is free in the meantime, and it gets the next one.
		if !s.Release(runs[0]) || s.Release(runs[0]) {
			t.Error("a run has one slot to release")
		}
		if got := said(); got != "0 1 2" {
			t.Errorf("began %s", got)
		}
		back := make(chan struct{})
		go func() {
			waited := s.Reacquire(ctx, runs[0], func(waits bool) { note(fmt.Sprintf("0 waits %v", waits)) })
			note(fmt.Sprintf("0 again %v", waited))
			close(back)
		}()
		synctest.Wait()
		s.Remove(runs[1])
		<-back
		if got := said(); got != "0 1 2 0 waits true 0 waits false 0 again true" {
			t.Errorf("began %s", got)
		}
		order = nil
		s.Remove(runs[4]) // it no longer waits
		limit.Store(3)
		s.Wake()
		if got := said(); got != "3" {
			t.Errorf("began %s", got)
		}
		limit.Store(1)
		s.Remove(runs[0])
		s.Remove(runs[2])
		if got := said(); got != "3" {
			t.Errorf("with a lower limit began %s", got)
		}
		s.Remove(runs[3])
		if got := said(); got != "3 5" || s.Waiting() != 0 {
			t.Errorf("began %s, %d wait", got, s.Waiting())
		}
		// A run that released a slot that nobody took gets it back at once; one that had none waits for none.
		s.Release(runs[5])
		never := func(bool) { t.Error("it waits") }
		for _, r := range []*run{runs[5], runs[5], {}} {
			if s.Reacquire(ctx, r, never) {
				t.Error("it waited")
			}
		}
		if s.Release(&run{}) || s.Release(nil) {
			t.Error("a run without a slot released one")
		}
		// A run that is stopped while it waits leaves nothing behind.
		s.Release(runs[5])
		last := &run{}
		s.Acquire(last, func() { note("last") })
		stopped, stop := context.WithCancel(ctx)
		time.AfterFunc(time.Second, stop)
		synctest.Wait()
		s.Reacquire(stopped, runs[5], func(bool) {})
		if got := said(); got != "3 5 last" || s.Waiting() != 0 {
			t.Errorf("began %s, %d wait", got, s.Waiting())
		}
		s.Remove(last)
		s.Acquire(&run{}, func() { note("free") })
		if got := said(); got != "3 5 last free" {
			t.Errorf("began %s: the slot of the run that was stopped is taken", got)
		}
		cancel()
		<-ended
	})
}

// Runs release and reacquire slots at random, and some are stopped while they
// wait: never more than the limit have one, each that is not stopped gets one
// again, and in the end all are free.
func TestManyRunsReleaseAndReacquire(t *testing.T) {
	const limit, agents, rounds = 3, 40, 20
	s := New[*run](func() int { return limit })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.Serve(ctx)
	var at, most atomic.Int32
	hold := func() {
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
		s.Acquire(r, func() { close(began) })
		all.Go(func() {
			defer s.Remove(r)
			defer stop()
			<-began
			hold()
			for n := range rounds {
				at.Add(-1)
				if !s.Release(r) {
					t.Error("it had no slot")
				}
				if i%4 == 0 && n == rounds/2 {
					go stop()
				}
				if s.Reacquire(own, r, func(bool) {}); own.Err() != nil {
					return
				}
				hold()
			}
			at.Add(-1)
		})
	}
	all.Wait()
	if most.Load() > limit || len(s.taken)+len(s.released)+len(s.waiting) > 0 {
		t.Errorf("%d had a slot at once; left behind: %d taken, %d released, %d waiting", most.Load(), len(s.taken), len(s.released), len(s.waiting))
	}
}
