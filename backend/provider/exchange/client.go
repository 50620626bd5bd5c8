// Package exchange carries one request to a model's server and its answer back, whichever protocol
// the two speak: it connects, adds the key, writes the body while it is sent, reads events, watches
// for silence, retries what may succeed the next time and words failures for a person (SPEC 7.2).
// The packages of the protocols (openai, responses, anthropic) make a Client of it and add what
// only they know: how to write a request and how to read an event.
//
// It is not the agent's loop: it knows one request, runs no tool and keeps no
// history.
package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/lock"
	"mutsumi/backend/provider"
)

// Config is the address of a server and how patient to be with it. Zero values mean the defaults
// given with each field.
type Config struct {
	Name    string                 // the provider's name for messages to a person; default: the host
	BaseURL string                 // up to and without the endpoint (/chat/completions, ...), usually ending in /v1
	Key     func() (string, error) // asked before every request; nil or "": none is sent

	// PlainKey lets the key travel over http:// to any host. Without it a key is sent over http://
	// only to this machine and to private networks.
	PlainKey bool

	Refusals *Refusals // shared by clients that are made for one run each; default: its own

	Transport http.RoundTripper // default: one shared by all clients, with proxies from the environment

	FirstToken time.Duration // from sending to the first byte of the body; default 5 min: local models read slowly
	Stall      time.Duration // between two signs of life in a stream; default 2 min
	Idle       time.Duration // between two pieces of an answer, while the server sends only signs of life; default 10 min

	Attempts      int           // how often a request is sent at most; default 5
	Elapsed       time.Duration // no further attempt later than this, unless the server names the wait; default 90 s
	FirstWait     time.Duration // before the second attempt, growing by 2, jittered; default 1 s
	LongestWait   time.Duration // default 30 s
	MaxRetryAfter time.Duration // cap for a wait the server asks for; default 2 min
}

// Protocol is the protocol-specific part. It may be used by several goroutines at once.
type Protocol interface {
	// Endpoint is the path of its requests below the base address, "chat/completions".
	Endpoint() string
	// Authorize adds the key and other required fields to a header; key is "" if there is none.
	Authorize(h http.Header, key string)
	// Outgoing returns the request without the parts that this server does not accept.
	Outgoing(req provider.Request, off Features, server *url.URL) provider.Request
	// Tool returns a tool as encoded in the body.
	Tool(t provider.ToolSpec) ([]byte, error)
	// Call returns a call of an answer as encoded in the body.
	Call(c chat.ToolCall) ([]byte, error)
	// Encode returns the body of a request without the features in off.
	Encode(req provider.Request, off Features, server *url.URL) (*Body, error)
	// Refused returns the feature of a request that an error with the status 400 or 422 is about,
	// or 0; said is in lower case. off are those that were not sent.
	Refused(said string, off Features) Features
	// Parser reads one answer to req.
	Parser(req provider.Request, server *url.URL) Parser
}

// Client sends requests to one server. It may be used by several goroutines
// at once. It holds no key, only the way to one.
type Client struct {
	cfg   Config
	speak Protocol
	base  *url.URL
	bad   error // what is wrong with BaseURL; every call returns it
	http  *http.Client

	mu     lock.Mutex
	limits RateLimit
}

// Features are parts of a request that some servers refuse; each protocol has
// bits of its own.
type Features uint

// Refusals records the features that servers refused, so that they are left out from then on. It
// may be used by several goroutines at once.
type Refusals struct {
	mu lock.Mutex
	of map[served]Features
}

// served is a model at an endpoint.
type served struct{ url, endpoint, model string }

// NewRefusals begins with nothing refused.
func NewRefusals() *Refusals { return &Refusals{of: map[served]Features{}} }

func (r *Refusals) add(s served, f Features) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of[s] |= f
}

func (r *Refusals) get(s served) Features {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[s]
}

// New makes a client. A BaseURL that is not one is reported by the first call.
func New(cfg Config, p Protocol) *Client {
	cfg.FirstToken = cmp.Or(cfg.FirstToken, 5*time.Minute)
	cfg.Stall = cmp.Or(cfg.Stall, 2*time.Minute)
	cfg.Idle = cmp.Or(cfg.Idle, 10*time.Minute)
	cfg.Attempts = cmp.Or(cfg.Attempts, 5)
	cfg.Elapsed = cmp.Or(cfg.Elapsed, 90*time.Second)
	cfg.FirstWait = cmp.Or(cfg.FirstWait, time.Second)
	cfg.LongestWait = cmp.Or(cfg.LongestWait, 30*time.Second)
	cfg.MaxRetryAfter = cmp.Or(cfg.MaxRetryAfter, 2*time.Minute)
	if cfg.Refusals == nil {
		cfg.Refusals = NewRefusals()
	}
	c := &Client{cfg: cfg, speak: p}
	c.base, c.bad = parseBase(cfg.BaseURL, p.Endpoint())
	if c.bad == nil {
		c.cfg.Name = cmp.Or(cfg.Name, c.base.Host)
	} else {
		c.base = &url.URL{}
	}
	if cfg.Transport == nil {
		cfg.Transport = sharedTransport()
	}
	c.http = &http.Client{Transport: cfg.Transport, CheckRedirect: sameOriginOnly}
	return c
}

// String names the provider and its host.
func (c *Client) String() string {
	if c.bad != nil {
		return c.cfg.Name
	}
	return c.cfg.Name + " at " + c.base.Host
}

// Stream sends req and calls emit for every step of the answer, in order, from the calling
// goroutine. It returns nil when the answer is complete: the last chunk then carries FinishReason
// and, if the server reports it, Usage.
//
// Failures before the first token are retried (SPEC 7.2); each wait is emitted as Chunk.Wait and
// ends early when req.SkipWait receives. Chunks emitted before an error stay valid. Errors are
// *fault.Error of kind Provider with a code; the error of a cancelled ctx or of emit is returned as
// it is.
func (c *Client) Stream(ctx context.Context, req provider.Request, emit func(provider.Chunk) error) error {
	if c.bad != nil {
		return c.bad
	}
	r := newRetry(c.cfg)
	for {
		err := c.adapt(ctx, req, emit)
		var f *failure
		if err == nil || !errors.As(err, &f) {
			return err
		}
		wait, again := r.next(f)
		if !again {
			return f.fault(r)
		}
		if err := r.wait(ctx, wait, f, req.SkipWait, emit); err != nil {
			return err
		}
	}
}

// adapt makes one attempt, and immediately another if the server refuses a field that can be left
// out or written differently. It remembers what it learns.
func (c *Client) adapt(ctx context.Context, req provider.Request, emit func(provider.Chunk) error) error {
	for {
		off := c.features(req.Model)
		err := c.attempt(ctx, req, off, emit)
		var f *failure
		if !errors.As(err, &f) {
			return err
		}
		more := c.refused(f, off)
		if more == 0 {
			return err
		}
		c.cfg.Refusals.add(c.served(req.Model), more)
	}
}

// attempt sends the request once and reads the answer. Its error is a
// *failure, or that of ctx or emit.
func (c *Client) attempt(ctx context.Context, req provider.Request, off Features, emit func(provider.Chunk) error) error {
	where := requestContext{name: c.cfg.Name, host: c.base.Host, model: req.Model}
	body, err := c.encode(req, off)
	if err != nil {
		return err
	}
	size, err := c.announce(req, body)
	if err != nil {
		return c.noBody(err)
	}
	dog := newWatchdog(ctx, c.cfg.FirstToken)
	defer dog.stop()
	hr, key, err := c.newRequest(dog.ctx, http.MethodPost, c.speak.Endpoint(), nil)
	where.key = key
	if err != nil {
		return err
	}
	hr.ContentLength, hr.Body = size, body.reader()
	hr.GetBody = func() (io.ReadCloser, error) { return body.reader(), nil }
	hr.Header.Set("Content-Type", "application/json")
	hr.Header.Set("Accept", "text/event-stream")
	resp, err := c.http.Do(hr)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return where.unreachable(dog.cause(err), c.cfg.FirstToken)
	}
	defer resp.Body.Close()
	c.remember(resp.Header)
	if resp.StatusCode != http.StatusOK {
		return where.status(resp)
	}
	a := &Answer{where: where, emit: emit}
	err = a.read(c.speak.Parser(req, c.base), dog.reader(resp.Body, c.cfg.Stall, c.cfg.Idle), resp.Header.Get("Content-Type"))
	switch {
	case err == nil:
		// Up to the end of the body, so that the connection serves again; a
		// server that leaves it open is not waited for.
		dog.timer.Reset(100 * time.Millisecond)
		_, _ = io.CopyN(io.Discard, resp.Body, 4096)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// announce returns the size of a body, and reports what is being sent.
func (c *Client) announce(req provider.Request, body *Body) (size int64, err error) {
	if req.OnSend == nil {
		return body.size()
	}
	print, err := body.print()
	if err == nil {
		req.OnSend(provider.Sent{Server: c.String(), Head: []byte(body.head), Print: print})
	}
	return print.Bytes, err
}

func (c *Client) served(model string) served {
	return served{c.cfg.BaseURL, c.speak.Endpoint(), model}
}

func (c *Client) features(model string) Features { return c.cfg.Refusals.get(c.served(model)) }

// encode returns the body of a request.
func (c *Client) encode(req provider.Request, off Features) (*Body, error) {
	b, err := c.speak.Encode(req, off, c.base)
	if err != nil {
		return nil, c.noBody(err)
	}
	return b, nil
}

func (c *Client) noBody(err error) error {
	return fmt.Errorf("encode request to %s: %w", c.cfg.Name, err)
}

// Outgoing implements provider.Wire: it returns the part of req that is sent to this server.
func (c *Client) Outgoing(req provider.Request) provider.Request {
	return c.speak.Outgoing(req, c.features(req.Model), c.base)
}

// Tool implements provider.Wire: it returns a tool as encoded in the body.
func (c *Client) Tool(t provider.ToolSpec) ([]byte, error) { return c.speak.Tool(t) }

// Call implements provider.Wire: it returns a call of an answer as encoded in the body.
func (c *Client) Call(call chat.ToolCall) ([]byte, error) { return c.speak.Call(call) }

// about guesses the size of the messages of a request as JSON.
func about(req provider.Request) (n int) {
	for _, m := range req.Messages {
		n += 64 + m.Content.Size() + len(m.ReasoningContent)
		for _, p := range m.Content.Parts {
			n += 64
			if p.ImageURL != nil {
				n += len(p.ImageURL.URL)
			}
			if p.File != nil {
				n += len(p.File.Data)
			}
		}
		for _, c := range m.ToolCalls {
			n += 128 + len(c.Function.Arguments)
		}
	}
	return n + n/8 // room for escapes
}

// Body implements provider.Wire: it returns the whole text of a request.
func (c *Client) Body(req provider.Request) ([]byte, error) {
	b, err := c.encode(req, c.features(req.Model))
	if err != nil {
		return nil, err
	}
	text, err := b.bytes(about(req))
	if err != nil {
		return nil, c.noBody(err)
	}
	return text, nil
}
