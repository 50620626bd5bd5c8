package workspace

import (
	"context"
	"slices"
	"sync"
)

// seats lets so many agents run by themselves at once, over the whole
// workspace (SPEC 9). Runs that the person starts need none. Who waits gets
// one in the order of coming; an agent that waited for its own children and
// goes on comes before those that have not begun. It is safe for concurrent
// use; its lock is taken last, and nothing is called under it.
type seats struct {
	limit func() int
	wake  chan struct{} // holds one: there may be something to begin

	mu      sync.Mutex
	taken   map[*run]bool
	waiting []turn
}

// turn is a run that waits for a seat. begin is called when it has one.
type turn struct {
	run   *run
	goes  bool // on, with what it began
	begin func()
}

func newSeats(limit func() int) *seats {
	return &seats{limit: limit, wake: make(chan struct{}, 1), taken: map[*run]bool{}}
}

// follow begins runs as seats come free, until ctx ends.
func (s *seats) follow(ctx context.Context) {
	for {
		for t, ok := s.next(); ok && ctx.Err() == nil; t, ok = s.next() {
			t.begin()
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
	}
}

// look has follow look again: a seat came free, somebody waits, the limit is
// another one.
func (s *seats) look() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next gives a free seat to the first that waits.
func (s *seats) next() (t turn, ok bool) {
	limit := s.limit()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 || len(s.taken) >= limit {
		return t, false
	}
	t = s.waiting[0]
	s.waiting = slices.Delete(s.waiting, 0, 1)
	s.taken[t.run] = true
	return t, true
}

// wait has begin called, from follow's goroutine, when r has a seat.
func (s *seats) wait(r *run, begin func()) {
	s.mu.Lock()
	s.waiting = append(s.waiting, turn{run: r, begin: begin})
	s.mu.Unlock()
	s.look()
}

// queued is how many wait for a seat.
func (s *seats) queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// has reports whether a run has a seat.
func (s *seats) has(r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken[r]
}

// drop takes a run out, whether it waits or has a seat; true: it had one.
func (s *seats) drop(r *run) (had bool) {
	s.mu.Lock()
	had = s.taken[r]
	delete(s.taken, r)
	s.waiting = slices.DeleteFunc(s.waiting, func(t turn) bool { return t.run == r })
	s.mu.Unlock()
	s.look()
	return had
}

// without calls f while the seat of r, if it has one, is free for others, and
// returns when r has one again. Who waits for other agents does it with this:
// if all seats were held by those that wait, nothing would go on. A nil r has
// no seat. When ctx ends it waits for nothing.
func (s *seats) without(ctx context.Context, r *run, f func()) {
	had := s.drop(r)
	f()
	if !had || ctx.Err() != nil {
		return
	}
	back := make(chan struct{})
	s.mu.Lock()
	at := slices.IndexFunc(s.waiting, func(t turn) bool { return !t.goes })
	if at < 0 {
		at = len(s.waiting)
	}
	s.waiting = slices.Insert(s.waiting, at, turn{run: r, goes: true, begin: func() { close(back) }})
	s.mu.Unlock()
	s.look()
	select {
	case <-back:
	case <-ctx.Done():
		s.drop(r)
	}
}
