package event

import (
	"context"
	"slices"

	"mutsumi/backend/lock"
)

// Subscription receives events as they are emitted, as Go values, for a reader in this process.
// None is dropped: it stores unread ones.
type Subscription struct {
	outbox *Outbox
	wants  func(Event) bool

	mu     lock.Mutex
	events []Event
	more   chan struct{} // holds one: there is something in events
}

// Subscribe hands every event from now on that wants allows to the
// subscription, until it is closed. wants is called while the event is
// emitted: it must be quick and take no lock.
func (o *Outbox) Subscribe(wants func(Event) bool) *Subscription {
	s := &Subscription{outbox: o, wants: wants, more: make(chan struct{}, 1)}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.subscriptions = append(o.subscriptions, s)
	return s
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.outbox.mu.Lock()
	defer s.outbox.mu.Unlock()
	s.outbox.subscriptions = slices.DeleteFunc(s.outbox.subscriptions, func(o *Subscription) bool { return o == s })
}

// Next returns the next event, waiting for it as long as ctx allows; nil means
// that ctx ended first. One goroutine at a time may call it.
func (s *Subscription) Next(ctx context.Context) Event {
	for {
		s.mu.Lock()
		if len(s.events) > 0 {
			e := s.events[0]
			s.events[0] = nil
			s.events = s.events[1:]
			s.mu.Unlock()
			return e
		}
		s.mu.Unlock()
		select {
		case <-s.more:
		case <-ctx.Done():
			return nil
		}
	}
}

// offer takes an event in if it is wanted.
func (s *Subscription) offer(e Event) {
	if !s.wants(e) {
		return
	}
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}
