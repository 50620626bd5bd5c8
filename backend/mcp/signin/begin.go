package signin

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
)

// Begin prepares a sign-in, and returns an attempt with the address to open. Its caller has the
// person's consent, and waits for the attempt or closes it.
func (s *Session) Begin(ctx context.Context) (*Attempt, error) {
	before, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	r, err := newReach(ctx, s.with.Network, s.with.Server)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	c, wants := s.asked, s.wants
	s.mu.Unlock()
	issuer := s.with.Registered.Issuer
	if before != nil && issuer == "" {
		issuer = before.Issuer
	}
	p, err := r.discover(ctx, s.with.Server, c, issuer)
	if err != nil {
		return nil, err
	}
	var called *Client // the earlier registration with the same issuer
	if before != nil && before.Issuer == p.meta.Issuer {
		called = &before.Client
	} else {
		before = nil
	}
	l, err := s.listen(ctx, called)
	if err != nil {
		return nil, err
	}
	client, err := r.register(ctx, p.meta, s.with.Registered, called, redirectOf(l, s.with.Registered.Host))
	if err != nil {
		l.Close()
		return nil, err
	}
	rec := Record{
		Server: s.with.Server, Issuer: p.meta.Issuer, Resource: p.resource, Client: client,
		Tokens: p.meta.TokenEndpoint, Revoke: p.meta.RevocationEndpoint, Scopes: s.scopes(p, c, wants, before),
	}
	return newAttempt(s, p, rec, l)
}

// listen opens the earlier address again if it is free: programs that registered by themselves
// registered that address.
func (s *Session) listen(ctx context.Context, before *Client) (net.Listener, error) {
	if s.with.Registered.Port != 0 {
		return listen(ctx, s.with.Registered.Port)
	}
	if before != nil && before.Redirect != "" {
		if u, err := url.Parse(before.Redirect); err == nil {
			var port int
			fmt.Sscan(u.Port(), &port)
			if l, err := listen(ctx, port); err == nil {
				return l, nil
			}
		}
	}
	return listen(ctx, 0)
}

// scopes returns the rights to ask for: those that the person configured, or else those that the
// server demanded or offers; and those that calls needed or that were asked for before.
func (s *Session) scopes(p place, c challenge, wants []string, before *Record) []string {
	all := c.scopes
	if len(all) == 0 {
		all = p.scopes
	}
	if own := s.with.Registered.Scopes; own != nil {
		all = own
	}
	all = append(slices.Clone(all), wants...)
	if before != nil && before.Access != "" {
		all = append(slices.Clone(before.Scopes), all...)
	}
	const offline = "offline_access" // so that the sign-in lasts
	if slices.Contains(p.meta.ScopesSupported, offline) && s.with.Registered.Scopes == nil {
		all = append(all, offline)
	}
	return cleanScopes(all)
}

// complete exchanges the browser's answer for tokens, and stores them.
func (s *Session) complete(ctx context.Context, rec Record, form url.Values) error {
	r, err := newReach(ctx, s.with.Network, s.with.Server)
	if err != nil {
		return err
	}
	if rec, err = r.fetch(ctx, rec, form); err != nil {
		return err
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.release()
	unlock, err := s.with.Keep.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s.keep(&rec)
	s.mu.Lock()
	s.why, s.wants, s.failed = "", nil, nil
	s.mu.Unlock()
	return nil
}

// Out forgets the sign-in, and tells the server so if it can. told says why the server could not be
// told; the sign-in is forgotten all the same.
func (s *Session) Out(ctx context.Context) (told, err error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	unlock, err := s.with.Keep.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	rec, err := s.read()
	if err != nil {
		rec = s.snapshot() // an unreadable entry can still be removed
	}
	if err := s.with.Keep.Remove(); err != nil && s.Standing().Unkept == nil {
		return nil, err
	}
	s.mu.Lock()
	s.rec, s.loaded, s.why, s.wants, s.unkept, s.failed = nil, true, "", nil, nil, nil
	s.mu.Unlock()
	if rec == nil || rec.Revoke == "" || rec.Access == "" && rec.Refresh == "" {
		return nil, nil
	}
	bounded, cancel := context.WithTimeout(ctx, outTime)
	defer cancel()
	r, err := newReach(bounded, s.with.Network, s.with.Server)
	if err != nil {
		return err, nil
	}
	return r.revoke(bounded, *rec), nil
}
