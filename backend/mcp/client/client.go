// Package client speaks the Model Context Protocol with one server (SPEC 13.1), revisions
// 2024-11-05 to 2026-07-28, over the standard input and output of a process that it starts or over
// streamable HTTP. Only this package and package signin know the SDK.
//
// Everything from the server is hostile: this package limits its size and time, and whoever shows
// it makes it safe to show. The package decides nothing about trust and approvals.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/clip"
	"mutsumi/backend/lock"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/signin"
	"mutsumi/backend/subprocess"
	"mutsumi/backend/version"
)

// Options say how to connect to a server.
type Options struct {
	Server  config.Server // with its references filled in
	Dir     string        // working directory of its process
	Log     io.Writer     // gets the standard error of its process; it must not block
	Changed func(List)    // called when one of the server's lists changed; nil: nothing
	Auth    Auth          // authenticates requests over HTTP; nil: with the server's headers alone
	Updated func(string)  // called with the address of a resource that changed; nil: nothing
	Asks    Asks          // answers the server's questions to the person; nil: nobody is there
	Timing  Timing
}

// Timing bounds how long to wait for a server. A zero field means the value of DefaultTiming.
type Timing struct {
	Connect time.Duration // until it has declared its capabilities
	List    time.Duration // for a list, a resource or a prompt
	Quiet   time.Duration // of a call without a sign of progress
	Call    time.Duration // of a call
}

// DefaultTiming leaves enough time for a server that has to be downloaded first.
var DefaultTiming = Timing{Connect: time.Minute, List: 30 * time.Second, Quiet: 2 * time.Minute, Call: 30 * time.Minute}

func (t Timing) or() Timing {
	for _, f := range []struct{ to, from *time.Duration }{
		{&t.Connect, &DefaultTiming.Connect}, {&t.List, &DefaultTiming.List}, {&t.Quiet, &DefaultTiming.Quiet}, {&t.Call, &DefaultTiming.Call},
	} {
		if *f.to <= 0 {
			*f.to = *f.from
		}
	}
	return t
}

// List is one of the lists of a server.
type List string

const (
	Tools     List = "tools"
	Resources List = "resources"
	Prompts   List = "prompts"
)

// Conn is a connection to a server. It is safe for concurrent use.
type Conn struct {
	with    Options
	session *mcp.ClientSession
	process *subprocess.Process // nil: the server runs on another machine
	done    chan struct{}       // closed when the connection has ended
	ended   error               // why; read after done
	lists   *subscription       // to changes of the server's lists

	mu      lock.Mutex
	calls   map[string]*call // by progress token
	tokens  int
	closing bool
	refused error // why reading from it stopped

	subscribed map[string]*subscription // by address of the resource
}

// legacy is the newest revision before server/discover: the one to use with a server that does not
// understand the newest.
const legacy = "2025-11-25"

// Connect starts a server, or reaches it over HTTP, and negotiates a revision. It ends when ctx
// does. The error is for people and models.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	o.Timing = o.Timing.or()
	// A server of an earlier revision may leave an unknown request unanswered, so the newest
	// revision gets half of the time.
	c, err := connect(ctx, o, "", o.Timing.Connect/2)
	if errors.Is(err, errSilent) && ctx.Err() == nil {
		c, err = connect(ctx, o, legacy, o.Timing.Connect/2)
	}
	if errors.Is(err, errSilent) {
		return nil, fmt.Errorf("it did not answer within %s: check that it is an MCP server, and what it prints", o.Timing.Connect)
	}
	return c, err
}

// errSilent says that a server did not answer in time.
var errSilent = errors.New("it did not answer in time")

func connect(ctx context.Context, o Options, revision string, limit time.Duration) (*Conn, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, limit, errSilent)
	defer cancel()
	c := &Conn{with: o, done: make(chan struct{}), calls: map[string]*call{}, lists: newSubscription()}
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	var session *mcp.ClientSession
	finished := make(chan struct{})
	go func() { // the SDK may wait forever for a server that neither reads nor writes
		defer close(finished)
		client := mcp.NewClient(&mcp.Implementation{Name: "mutsumi", Version: version.Number}, c.clientOptions())
		client.AddReceivingMiddleware(c.acknowledged)
		session, err = client.Connect(bounded, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	}()
	select {
	case <-finished:
	case <-bounded.Done():
		c.endProcess(true)
		return nil, context.Cause(bounded)
	}
	if err != nil {
		c.endProcess(true)
		if bounded.Err() != nil {
			return nil, context.Cause(bounded)
		}
		return nil, c.explain(err)
	}
	c.session = session
	c.watchLists()
	go c.watch()
	return c, nil
}

// watch waits for the end of the connection, then cleans up what is left of it.
func (c *Conn) watch() {
	over := make(chan error, 1)
	go func() { over <- c.session.Wait() }()
	var err error
	if c.process == nil {
		err = <-over
	} else {
		select {
		case err = <-over:
		case <-c.process.Done():
			select { // its last output may say why
			case err = <-over:
			case <-time.After(time.Second):
			}
		}
	}
	c.endProcess(err != nil)
	c.ended = c.explain(err)
	close(c.done)
}

func (c *Conn) endProcess(hurry bool) {
	if c.process != nil {
		c.process.Close(hurry)
	}
}

// explain turns an error of the SDK into one that people and models can act on.
func (c *Conn) explain(err error) error {
	c.mu.Lock()
	closing, refused := c.closing, c.refused
	c.mu.Unlock()
	var needed *signin.Needed
	var failed *signin.Failed
	switch {
	case !closing && errors.As(err, &needed):
		return needed
	case !closing && errors.As(err, &failed):
		return failed
	case refused != nil:
		return refused
	case closing:
		return errors.New("it was stopped")
	}
	if c.process != nil {
		select {
		case <-c.process.Done():
			if err == nil || isEnd(err) {
				return errors.New(c.process.How())
			}
		default:
		}
	}
	if err == nil || isEnd(err) {
		return errors.New("it closed the connection")
	}
	if strings.Contains(err.Error(), "SSE event exceeded") { // the SDK counts the other lines of an event too
		return subprocess.ErrTooLong
	}
	text := err.Error()
	if at := c.with.Server.URL; at != "" {
		text = strings.ReplaceAll(text, at, "its address") // which may hold a key
	}
	return errors.New(clip.VisibleLine(text, maxError))
}

// maxError is the longest error text of a server that is shown, in characters.
const maxError = 500

// isEnd reports whether an error only says that a connection ended.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, os.ErrClosed)
}

// isRefused reports whether the connection is about to end because reading from it stopped.
func (c *Conn) isRefused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused != nil && c.process != nil
}

// refuse notes why reading from the server stopped. The first reason counts.
func (c *Conn) refuse(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = why
	}
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Ended says why the connection ended. Call it after Done.
func (c *Conn) Ended() error { return c.ended }

// About is how a server describes itself.
type About struct {
	Name, Version, Revision, Instructions string
	Tools, Resources, Prompts             bool
}

// About returns how the server described itself.
func (c *Conn) About() About {
	r := c.session.InitializeResult()
	if r == nil {
		return About{}
	}
	a := About{Revision: r.ProtocolVersion, Instructions: r.Instructions}
	if r.ServerInfo != nil {
		a.Name, a.Version = r.ServerInfo.Name, r.ServerInfo.Version
	}
	if can := r.Capabilities; can != nil {
		a.Tools, a.Resources, a.Prompts = can.Tools != nil, can.Resources != nil, can.Prompts != nil
	}
	return a
}

// CloseFor is Close with a reason for the calls that still run.
func (c *Conn) CloseFor(why error) {
	c.refuse(why)
	c.Close()
}

// Close ends the connection and the server's process. It returns when nothing is left.
func (c *Conn) Close() {
	c.mu.Lock()
	c.closing = true
	running := slices.Collect(maps.Values(c.calls))
	c.mu.Unlock()
	for _, r := range running { // a session does not end while one of them waits for the person
		r.end(c.explain(nil))
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.session.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeWait):
	}
	c.endProcess(false)
	if c.process != nil {
		<-c.done
	}
}

// raw returns a value of the SDK as JSON; nil if it cannot be JSON.
func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
