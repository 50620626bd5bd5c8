package signin

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/lock"
)

// Options say to which server a sign-in belongs, and where it is stored.
type Options struct {
	Server     string // the address of the MCP server
	Registered Registered
	Keep       Keep
	Network    Network
	Say        func(string) string // translates the final page; nil: English
}

// Needed says that the person has to sign in. It is for people and models.
type Needed struct {
	Why    string
	Reason string   // why the sign-in ended, if somebody was signed in
	Rights bool     // they are signed in, but a call needs more rights
	Scopes []string // those rights
}

func (n *Needed) Error() string { return n.Why }

// Failed says that the sign-in could not be renewed for now.
type Failed struct{ cause error }

func (f *Failed) Error() string { return "the sign-in could not be renewed: " + plain(f.cause) }
func (f *Failed) Unwrap() error { return f.cause }

const (
	renewTime = 45 * time.Second // for a renewal
	retry     = 5 * time.Second  // after a failed renewal of a token, before the next
	outTime   = 15 * time.Second // to tell a server that somebody signed out
	closeTime = 3 * time.Second
)

// Session is the sign-in to one server, shared by all who talk to it. It is safe for concurrent
// use.
type Session struct {
	with Options
	turn chan struct{} // held while the record is read, renewed or replaced

	mu       lock.Mutex
	rec      *Record // nil: not signed in, as far as known
	loaded   bool
	why      string    // why there are no tokens any longer; "": nobody signed in
	asked    challenge // the server's latest demand
	wants    []string  // rights that a call needs but were not given
	renewing *renewal
	failed   *renewal // the last failed renewal
	failedAt time.Time
	unkept   error // why the record is only in memory; nil: it is in the keyring
}

// renewal is a running renewal, for all who wait for it.
type renewal struct {
	old  string // the token to renew
	done chan struct{}
	err  error
}

// New returns the sign-in to a server. It sends nothing.
func New(o Options) *Session {
	if o.Say == nil {
		o.Say = func(s string) string { return s }
	}
	s := &Session{with: o, turn: make(chan struct{}, 1)}
	return s
}

// Standing is the state of a sign-in.
type Standing struct {
	In      bool
	Renews  bool      // automatically
	Expires time.Time // when a token that does not renew itself expires; zero: unknown
	Wants   []string  // rights that a call needs but were not given
	Unkept  error     // why it ends with the program; nil: it is in the keyring
}

// Standing returns the state of the sign-in, as far as known without sending anything.
func (s *Session) Standing() Standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Standing{Wants: slices.Clone(s.wants), Unkept: s.unkept}
	switch {
	case !s.loaded:
		st.In = s.with.Keep.Has()
	case s.rec != nil && (s.rec.lasts(time.Now()) || s.rec.Refresh != ""):
		st.In, st.Renews, st.Expires = true, s.rec.Refresh != "", s.rec.Expires
	}
	return st
}

// Token returns the token to send, renewed if it is about to expire; "": nobody signed in.
func (s *Session) Token(ctx context.Context) (string, error) {
	rec, err := s.current(ctx)
	if err != nil || rec == nil {
		return "", err
	}
	now := time.Now()
	switch {
	case rec.isFresh(now):
		return rec.Access, nil
	case rec.lasts(now):
		if rec.Refresh != "" {
			s.begin(rec.Access) // this one stays good until then
		}
		return rec.Access, nil
	case rec.Refresh == "":
		return "", nil // the server will say what it wants
	}
	if err := s.renew(ctx, rec.Access); err != nil {
		return "", err
	}
	if rec = s.snapshot(); rec == nil {
		return "", nil
	}
	return rec.Access, nil
}

// Refused notes that the server refused a request with this token; "": without one. again says
// whether to send it once more. The error is a Needed, or says why the sign-in could not be
// renewed.
func (s *Session) Refused(ctx context.Context, status int, h http.Header, token string) (again bool, err error) {
	c := challengeOf(h)
	if status == http.StatusForbidden {
		if c.err != "insufficient_scope" {
			return false, nil
		}
		return false, s.wantsMore(c)
	}
	s.mu.Lock()
	s.asked = c
	s.mu.Unlock()
	rec, err := s.current(ctx)
	switch {
	case err != nil:
		return false, err
	case rec != nil && rec.Access != "" && rec.Access != token:
		return true, nil // it was renewed in the meantime
	case rec == nil || rec.Refresh == "":
		return s.another(ctx, token)
	}
	if err := s.renew(ctx, token); err != nil {
		return false, err
	}
	return true, nil
}

// another checks whether another process of the program signed in.
func (s *Session) another(ctx context.Context, token string) (again bool, err error) {
	if err := s.take(ctx); err != nil {
		return false, err
	}
	defer s.release()
	rec, err := s.read()
	if err != nil {
		return false, s.needed("the keyring could not be read (" + plain(err) + ")")
	}
	s.set(rec)
	if rec != nil && rec.Access != token && (rec.lasts(time.Now()) || rec.Refresh != "") {
		return true, nil
	}
	return false, s.needed("")
}

// wantsMore notes that a call needs more rights than were given.
func (s *Session) wantsMore(c challenge) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.rec != nil && len(c.scopes) > 0 && !slices.ContainsFunc(c.scopes, func(one string) bool { return !slices.Contains(s.rec.Scopes, one) })
	s.asked = c
	names := clip.VisibleLine(strings.Join(c.scopes, ", "), 300)
	if asked { // asking for the same again leads nowhere
		return &Needed{Why: fmt.Sprintf("it wants the rights %s for this, which it was asked for when the person signed in: their account may not have them", names), Rights: true}
	}
	s.wants = c.scopes
	if names == "" {
		names = "that it does not name"
	}
	return &Needed{Why: fmt.Sprintf("it wants more rights for this (%s): the person can give them when they sign in again", names), Rights: true, Scopes: c.scopes}
}

// needed says why the person has to sign in.
func (s *Session) needed(why string) *Needed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if why != "" {
		s.why = why
	}
	if s.why == "" {
		return &Needed{Why: "the person has to sign in first"}
	}
	return &Needed{Why: s.why + ": the person has to sign in again", Reason: s.why}
}

func (s *Session) snapshot() *Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rec
}

func (s *Session) set(rec *Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rec, s.loaded = rec, true
}

// take locks the record.
func (s *Session) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) release() { <-s.turn }

// current returns the record, and reads it the first time. If the keyring gave none, it is asked
// again when a server refuses a request.
func (s *Session) current(ctx context.Context) (*Record, error) {
	s.mu.Lock()
	rec, loaded := s.rec, s.loaded
	s.mu.Unlock()
	if loaded {
		return rec, nil
	}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	s.mu.Lock()
	rec, loaded = s.rec, s.loaded
	s.mu.Unlock()
	if !loaded {
		rec, _ = s.read()
		s.set(rec)
	}
	return rec, nil
}
