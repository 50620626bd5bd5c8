package exchange

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RateLimit holds the limits in the headers of a server's last answer. A limit of 0 means that it
// reported none; a reset may be zero too.
type RateLimit struct {
	Requests, RequestsLeft int
	RequestsReset          time.Time
	Tokens, TokensLeft     int
	TokensReset            time.Time
}

// RateLimit returns the limits that came with the last answer that named any.
func (c *Client) RateLimit() RateLimit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits
}

func (c *Client) remember(h http.Header) {
	l := parseLimits(h, time.Now())
	if l == (RateLimit{}) {
		return
	}
	c.mu.Lock()
	c.limits = l
	c.mu.Unlock()
}

// parseLimits reads x-ratelimit-* as OpenAI writes it (separate for requests
// and tokens), as Anthropic does, and the short form of OpenRouter.
func parseLimits(h http.Header, now time.Time) RateLimit {
	num := func(names ...string) int {
		for _, n := range names {
			if v, err := strconv.Atoi(strings.TrimSpace(h.Get(n))); err == nil && v >= 0 {
				return v
			}
		}
		return 0
	}
	at := func(names ...string) time.Time {
		for _, n := range names {
			if t, ok := parseReset(h.Get(n), now); ok {
				return t
			}
		}
		return time.Time{}
	}
	return RateLimit{
		Requests:      num("X-Ratelimit-Limit-Requests", "Anthropic-Ratelimit-Requests-Limit", "X-Ratelimit-Limit"),
		RequestsLeft:  num("X-Ratelimit-Remaining-Requests", "Anthropic-Ratelimit-Requests-Remaining", "X-Ratelimit-Remaining"),
		RequestsReset: at("X-Ratelimit-Reset-Requests", "Anthropic-Ratelimit-Requests-Reset", "X-Ratelimit-Reset"),
		Tokens:        num("X-Ratelimit-Limit-Tokens", "Anthropic-Ratelimit-Tokens-Limit"),
		TokensLeft:    num("X-Ratelimit-Remaining-Tokens", "Anthropic-Ratelimit-Tokens-Remaining"),
		TokensReset:   at("X-Ratelimit-Reset-Tokens", "Anthropic-Ratelimit-Tokens-Reset"),
	}
}

// parseReset reads a duration (6m0s), a date, seconds from now, or a Unix time
// in seconds or milliseconds.
func parseReset(v string, now time.Time) (time.Time, bool) {
	v = strings.TrimSpace(v)
	if v == "" {
		return time.Time{}, false
	}
	if d, err := time.ParseDuration(v); err == nil && d >= 0 {
		return now.Add(d), true
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return t, true
	}
	n, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || !(n >= 0):
		return time.Time{}, false
	case n > 1e11:
		return time.UnixMilli(int64(n)), true
	case n > 1e8:
		return time.Unix(int64(n), 0), true
	}
	return now.Add(seconds(n)), true
}
