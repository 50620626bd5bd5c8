package exchange

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
)

// failure is a failed attempt: the message for a person, and whether another attempt may succeed.
type failure struct {
	err        *fault.Error
	again      bool          // another attempt may succeed, and nothing was emitted yet
	after      time.Duration // the wait that the server requests; 0: none
	reason     string        // for Wait.Reason
	status     int           // HTTP status; 0 when there was none
	serverText string        // the server's text, scrubbed
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fault is the failure as the caller sees it, with the number of attempts if there were several.
func (f *failure) fault(r *retry) error {
	if r.attempt < 2 {
		return f.err
	}
	e := *f.err
	e.Message = fmt.Sprintf("%s (%d attempts in %s)", e.Message, r.attempt, time.Since(r.began).Round(time.Second))
	return e.Because(f.err)
}

// refused returns the feature of a request that the server's error is about, or 0.
func (c *Client) refused(f *failure, off Features) Features {
	if f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
		return 0
	}
	return c.speak.Refused(strings.ToLower(f.serverText), off)
}

// retry decides about further attempts of one request.
type retry struct {
	cfg     Config
	began   time.Time
	attempt int // how many attempts were made
	grow    *backoff.ExponentialBackOff
}

func newRetry(cfg Config) *retry {
	grow := &backoff.ExponentialBackOff{
		InitialInterval: cfg.FirstWait, RandomizationFactor: 0.25, Multiplier: 2, MaxInterval: cfg.LongestWait,
	}
	grow.Reset()
	return &retry{cfg: cfg, began: time.Now(), grow: grow}
}

// next counts a failed attempt and returns how long to wait before another, or false if there is to
// be none.
func (r *retry) next(f *failure) (time.Duration, bool) {
	r.attempt++
	if !f.again || r.attempt >= r.cfg.Attempts {
		return 0, false
	}
	wait := r.grow.NextBackOff()
	if f.after > 0 {
		return min(max(f.after, wait/4), r.cfg.MaxRetryAfter), true
	}
	return wait, time.Since(r.began)+wait <= r.cfg.Elapsed
}

// wait announces the wait, sits it out unless skip receives, and announces
// that it is over.
func (r *retry) wait(ctx context.Context, d time.Duration, f *failure, skip <-chan struct{}, emit func(provider.Chunk) error) error {
	reason := f.reason
	if f.after > r.cfg.MaxRetryAfter {
		reason += fmt.Sprintf("; the server asks to wait %s, which is cut to %s", f.after.Round(time.Second), d)
	}
	select {
	case <-skip: // meant for an earlier wait
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	w := &provider.Wait{Attempt: r.attempt, Until: time.Now().Add(d), Reason: reason}
	if err := emit(provider.Chunk{Wait: w}); err != nil {
		return err
	}
	select {
	case <-timer.C:
	case <-skip:
	case <-ctx.Done():
		return ctx.Err()
	}
	over := time.Now()
	err := emit(provider.Chunk{Wait: &provider.Wait{Attempt: r.attempt, Reason: reason}})
	r.began = r.began.Add(time.Since(over)) // the time for which the attempt is held back does not count for the server
	return err
}

// retryAfter returns the wait that a server requests: retry-after-ms, Retry-After in seconds or as
// a date, or the reset of the exhausted limit. 0: none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil {
			return seconds(s)
		}
		if t, err := http.ParseTime(v); err == nil {
			return max(t.Sub(now), 0)
		}
	}
	l := parseLimits(h, now)
	var until time.Time
	if l.RequestsLeft == 0 && l.Requests > 0 {
		until = l.RequestsReset
	}
	if l.TokensLeft == 0 && l.Tokens > 0 && l.TokensReset.After(until) {
		until = l.TokensReset
	}
	if until.IsZero() {
		return 0
	}
	return max(until.Sub(now), 0)
}

// seconds makes a duration of s, at most a day; anything that is not a positive number is 0.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 86400) * float64(time.Second))
}
