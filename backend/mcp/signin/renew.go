package signin

import (
	"context"
	"errors"
	"slices"
	"time"
)

// begin starts a renewal of a token, one for all who need it. nil: the token was already renewed.
func (s *Session) begin(old string) *renewal {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.rec != nil && s.rec.Access != old && s.rec.isFresh(time.Now()):
		return nil
	case s.renewing != nil:
		return s.renewing
	case s.failed != nil && s.failed.old == old && time.Since(s.failedAt) < retry:
		return s.failed
	}
	r := &renewal{old: old, done: make(chan struct{})}
	s.renewing = r
	go func() { // it goes on when those who wait leave: the server has already spent the old token
		bounded, cancel := context.WithTimeout(context.Background(), renewTime)
		defer cancel()
		r.err = s.renewNow(bounded, old)
		s.mu.Lock()
		s.renewing, s.failed = nil, nil
		if r.err != nil {
			s.failed, s.failedAt = r, time.Now()
		}
		s.mu.Unlock()
		close(r.done)
	}()
	return r
}

// renew waits for the next token.
func (s *Session) renew(ctx context.Context, old string) error {
	r := s.begin(old)
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close waits a moment for a running renewal: the server counts the old token as used.
func (s *Session) Close() {
	s.mu.Lock()
	r := s.renewing
	s.mu.Unlock()
	if r == nil {
		return
	}
	select {
	case <-r.done:
	case <-time.After(closeTime):
	}
}

func (s *Session) renewNow(ctx context.Context, old string) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.release()
	unlock, err := s.with.Keep.Lock(ctx)
	if err != nil {
		return &Failed{err}
	}
	defer unlock()
	rec, err := s.read() // another process may have renewed it already
	switch {
	case err != nil:
		return &Failed{err}
	case rec == nil:
		s.set(nil)
		return s.needed("")
	case rec.Access != old && rec.isFresh(time.Now()):
		s.set(rec)
		return nil
	case rec.Refresh == "":
		s.set(rec)
		return s.needed("the sign-in ran out")
	}
	next, err := s.next(ctx, *rec)
	var needed *Needed
	switch {
	case isRefused(err, "invalid_grant", "invalid_client", "unauthorized_client"):
		rec.Access, rec.Refresh = "", "" // the registration may still be good
		s.keep(rec)
		return s.needed("the sign-in ran out")
	case errors.As(err, &needed):
		return needed
	case err != nil:
		return &Failed{err}
	}
	s.keep(&next)
	return nil
}

// next renews a record at its issuer, if the server still has people sign in there: tokens of one
// issuer are shown to no other.
func (s *Session) next(ctx context.Context, rec Record) (Record, error) {
	r, err := newReach(ctx, s.with.Network, s.with.Server)
	if err != nil {
		return Record{}, err
	}
	s.mu.Lock()
	c := s.asked
	s.mu.Unlock()
	_, issuers, err := r.resource(ctx, s.with.Server, c.metadata)
	if err != nil {
		return Record{}, err
	}
	if !slices.ContainsFunc(issuers, func(one string) bool { return sameIssuer(one, rec.Issuer) }) {
		return Record{}, s.needed("the server has people sign in elsewhere now")
	}
	return r.renewed(ctx, rec)
}
