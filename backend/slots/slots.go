// Package slots limits how many runs work at once.
package slots

import (
	"context"
	"slices"

	"mutsumi/backend/lock"
)

// Limiter gives out slots to runs of type K (SPEC 9). A run that waits for
// something else releases its slot and reacquires one before it continues.
// Waiting runs are served in order of arrival, resuming runs before new ones.
// A Limiter is safe for concurrent use; it calls no function of the caller
// under its lock.
type Limiter[K comparable] struct {
	limit func() int
	wake  chan struct{} // holds one: look whether a run can start

	mu       lock.Mutex
	taken    map[K]bool
	released map[K]bool // have to reacquire a slot before they continue
	waiting  []waiter[K]
}

// waiter is a run that waits for a slot; start is called when it has one.
type waiter[K comparable] struct {
	run     K
	resumes bool
	start   func()
}

// New returns a limiter. limit returns the number of slots; it is called each time, and after a
// change the caller must call Wake.
func New[K comparable](limit func() int) *Limiter[K] {
	return &Limiter[K]{limit: limit, wake: make(chan struct{}, 1), taken: map[K]bool{}, released: map[K]bool{}}
}

// Serve starts waiting runs as slots come free, until ctx ends.
func (l *Limiter[K]) Serve(ctx context.Context) {
	for {
		for w, ok := l.next(); ok && ctx.Err() == nil; w, ok = l.next() {
			w.start()
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
	}
}

// Wake has Serve look again whether a run can start.
func (l *Limiter[K]) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// next gives a free slot to the first waiting run.
func (l *Limiter[K]) next() (w waiter[K], ok bool) {
	limit := l.limit()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 || len(l.taken) >= limit {
		return w, false
	}
	w = l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	l.taken[w.run] = true
	return w, true
}

// Acquire has start called, from Serve's goroutine, when run has a slot. It
// does not wait.
func (l *Limiter[K]) Acquire(run K, start func()) {
	l.mu.Lock()
	l.waiting = append(l.waiting, waiter[K]{run: run, start: start})
	l.mu.Unlock()
	l.Wake()
}

// Waiting is the number of runs that wait for a slot.
func (l *Limiter[K]) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// Remove forgets a run, whether it waits for a slot, has one or released it.
func (l *Limiter[K]) Remove(run K) {
	l.mu.Lock()
	delete(l.taken, run)
	delete(l.released, run)
	l.waiting = slices.DeleteFunc(l.waiting, func(w waiter[K]) bool { return w.run == run })
	l.mu.Unlock()
	l.Wake()
}

// Release gives up the slot of a run while it waits for something else,
// and reports whether it had one.
func (l *Limiter[K]) Release(run K) (had bool) {
	l.mu.Lock()
	if had = l.taken[run]; had {
		delete(l.taken, run)
		l.released[run] = true
	}
	l.mu.Unlock()
	l.Wake()
	return had
}

// Reacquire gives a run that released its slot one again, and returns at once
// for any other. If the run has to wait, waits is called with true, then with
// false, and Reacquire returns true. If ctx ends, the run has no slot.
func (l *Limiter[K]) Reacquire(ctx context.Context, run K, waits func(bool)) (waited bool) {
	limit, got := l.limit(), make(chan struct{})
	l.mu.Lock()
	if !l.released[run] || ctx.Err() != nil {
		l.mu.Unlock()
		return false
	}
	delete(l.released, run)
	at := slices.IndexFunc(l.waiting, func(w waiter[K]) bool { return !w.resumes })
	if at < 0 {
		at = len(l.waiting)
	}
	if at == 0 && len(l.taken) < limit {
		l.taken[run] = true
		l.mu.Unlock()
		return false
	}
	l.waiting = slices.Insert(l.waiting, at, waiter[K]{run: run, resumes: true, start: func() { close(got) }})
	l.mu.Unlock()
	l.Wake()
	waits(true)
	defer waits(false)
	select {
	case <-got:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		l.Remove(run) // it may have got a slot at the same moment
	}
	return true
}
