package workspace

import (
	"context"
	"slices"
	"sync"
)

// seats lets so many agents run by themselves at once, over the whole
// workspace (SPEC 9). Runs that the person starts need none. An agent that
// waits for the person or for its own children leaves its seat to others, and
// takes one again before it goes on. Who waits for a seat gets one in the order
// of coming, those that go on before those that have not begun. It is safe for
// concurrent use; its lock is taken last, and nothing is called under it.
type seats struct {
	limit func() int
	wake  chan struct{} // holds one: there may be something to begin

	mu      sync.Mutex
	taken   map[*run]bool
	away    map[*run]bool // left their seat, and have to take one again
	waiting []turn        // those that go on before the others
}

// turn is a run that waits for a seat. begin is called when it has one.
type turn struct {
	run   *run
	goes  bool // on, with what it began
	begin func()
}

func newSeats(limit func() int) *seats {
	return &seats{limit: limit, wake: make(chan struct{}, 1), taken: map[*run]bool{}, away: map[*run]bool{}}
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

// drop takes a run out, whether it waits for a seat, has one or left it.
func (s *seats) drop(r *run) {
	s.mu.Lock()
	delete(s.taken, r)
	delete(s.away, r)
	s.waiting = slices.DeleteFunc(s.waiting, func(t turn) bool { return t.run == r })
	s.mu.Unlock()
	s.look()
}

// leave gives the seat of a run to others while it waits, and reports whether
// it had one. If all seats were held by those that wait, nothing would go on.
func (s *seats) leave(r *run) (had bool) {
	s.mu.Lock()
	if had = s.taken[r]; had {
		delete(s.taken, r)
		s.away[r] = true
	}
	s.mu.Unlock()
	s.look()
	return had
}

// again gives a run that left its seat one again, and returns at once for any
// other. When it has to wait for it, wait is called with true, then with false,
// and it returns true. When ctx ends it waits no more, and the run has no seat.
func (s *seats) again(ctx context.Context, r *run, wait func(bool)) (waited bool) {
	limit, back := s.limit(), make(chan struct{})
	s.mu.Lock()
	if !s.away[r] || ctx.Err() != nil {
		s.mu.Unlock()
		return false
	}
	delete(s.away, r)
	at := slices.IndexFunc(s.waiting, func(t turn) bool { return !t.goes })
	if at < 0 {
		at = len(s.waiting)
	}
	if at == 0 && len(s.taken) < limit {
		s.taken[r] = true
		s.mu.Unlock()
		return false
	}
	s.waiting = slices.Insert(s.waiting, at, turn{run: r, goes: true, begin: func() { close(back) }})
	s.mu.Unlock()
	s.look()
	wait(true)
	defer wait(false)
	select {
	case <-back:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		s.drop(r) // it may have got one at the same moment
	}
	return true
}

// seatAgain returns when a run of the notebook that left its seat has one
// again, or ctx ends, and reports whether it had to wait. The tree says that
// it does. Not under d.mu.
func (d *doc) seatAgain(ctx context.Context, r *run) (waited bool) {
	return d.w.seats.again(ctx, r, func(waits bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		r.unseated = waits
		d.tellLive("")
	})
}

// leaveSeat gives the seat of the agent of a notebook to others while it waits.
func (w *Workspace) leaveSeat(path string) {
	if _, r := w.atWork(path); r != nil {
		w.seats.leave(r)
	}
}

// atWork gives a notebook with the run under way in it; nil when there is none.
func (w *Workspace) atWork(path string) (*doc, *run) {
	w.mu.Lock()
	d := w.docs[path]
	if d == nil {
		d = w.docs[w.renamed[path]]
	}
	w.mu.Unlock()
	if d == nil {
		return nil, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d, d.active
}
