package acp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/subprocess"
	"mutsumi/backend/version"
)

// timing bounds how long to wait for an agent.
type timing struct {
	start  time.Duration // until it has declared its capabilities
	setUp  time.Duration // of a session: it may start servers of its own for it
	choose time.Duration // until a choice is made
	signIn time.Duration
	stop   time.Duration // of a turn, until it is ended by force
	idle   time.Duration // after a turn, until its process ends
}

var defaultTiming = timing{
	start: 30 * time.Second, setUp: 2 * time.Minute, choose: 15 * time.Second, signIn: 10 * time.Minute, stop: 2 * time.Second, idle: 2 * time.Minute,
}

// lastWords is how long to wait for the output of an agent that ended, or for the end of one that
// closed its output: usually milliseconds.
const lastWords = 5 * time.Second

// maxInFlight is how many requests of an agent are answered at once.
const maxInFlight = 200

// peer is what a conn brings messages to. Its methods are called from several goroutines, note by
// one at a time and in order.
type peer interface {
	note(method string, params json.RawMessage)
	request(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// conn is a process of an agent, and the connection to it. It is safe for concurrent use.
type conn struct {
	start   launch
	process *subprocess.Process
	rpc     *sdk.Connection
	log     subprocess.Tail
	about   initialized // read after connect
	running atomic.Int32
	deaf    atomic.Bool         // it does not read any more
	refused lock.Guarded[error] // why reading from it stopped
}

// launch is how to start an agent.
type launch struct {
	id, name string
	program  string // absolute
	args     []string
	older    []string // the arguments of earlier versions; nil: the same
	env      map[string]string
	dir      string
}

// same reports whether a process that was started in this way can be used for another launch.
func (l launch) same(as launch) bool {
	args := slices.Equal(l.args, as.args) || as.older != nil && slices.Equal(l.args, as.older)
	return args && l.id == as.id && l.program == as.program && l.dir == as.dir && maps.Equal(l.env, as.env)
}

// connect starts an agent. The process runs until Close: started gets it before the agent answered,
// and its error ends it.
func connect(ctx context.Context, l launch, to peer, t timing, started func(*conn) error) (*conn, error) {
	c := &conn{start: l}
	p, err := subprocess.Start(subprocess.Command{Program: l.program, Args: l.args, Env: l.env, AllEnv: true, Dir: l.dir, Log: &c.log})
	if err != nil {
		return nil, fault.New(fault.Internal, "Could not start %s: %w", l.name, err)
	}
	c.process = p
	ready := make(chan struct{})
	from := reader(p, lines{ready: ready, note: to.note, log: &c.log, refused: c.refuse})
	c.rpc = sdk.NewConnection(c.handler(to), writer{c}, from)
	c.rpc.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	if err = started(c); err == nil {
		err = c.initialize(ctx, t)
	}
	if err != nil {
		c.close(true)
		return nil, err
	}
	return c, nil
}

// capabilities are what this program offers to agents.
var capabilities = map[string]any{
	"fs":       map[string]bool{"readTextFile": true, "writeTextFile": true},
	"terminal": true,
	"session":  map[string]any{"configOptions": map[string]any{"boolean": map[string]any{}}},
	"auth":     map[string]any{"terminal": true}, // the person is told the command
	"_meta":    map[string]any{"terminal-auth": true},
}

func (c *conn) initialize(ctx context.Context, t timing) error {
	params := initializeParams{ProtocolVersion: protocolVersion, Capabilities: capabilities, Info: implementation{Name: "mutsumi", Title: "Mutsumi", Version: version.Number}}
	err := c.call(ctx, t.start, "initialize", params, &c.about)
	switch {
	case errors.Is(err, errSilent):
		return fault.New(fault.Internal, "Could not start %s: it did not answer within %d seconds. Check that its command starts an agent that speaks the Agent Client Protocol: %s", c.start.name, int(t.start.Seconds()), c.start.line())
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fault.New(fault.Internal, "Could not start %s: %w", c.start.name, c.told(err))
	case c.about.ProtocolVersion != protocolVersion:
		return fault.New(fault.Internal, "Could not start %s: it speaks version %d of the Agent Client Protocol, and this program version %d. Update the older of the two", c.start.name, c.about.ProtocolVersion, protocolVersion)
	}
	return nil
}

var (
	errSilent = errors.New("it did not answer in time")
	errEnded  = errors.New("EOF")
)

// answerError is the error with which an agent answers a request.
type answerError struct {
	code int
	text string
}

func (e *answerError) Error() string { return e.text }

// Codes of the protocol.
const (
	codeAuthRequired = -32000
	codeNotFound     = -32002
)

// call sends a request and waits for the result: at most for limit, if that is not 0. The error is
// that of ctx, errSilent, errEnded, or an *answerError.
func (c *conn) call(ctx context.Context, limit time.Duration, method string, params, result any) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errSilent)
		defer cancel()
	}
	type answer struct {
		raw json.RawMessage
		err error
	}
	got := make(chan answer, 1)
	go func() { // an agent that does not read makes writing wait, until it ends
		raw, err := sdk.SendRequest[json.RawMessage](c.rpc, ctx, method, params)
		got <- answer{raw, err}
	}()
	var a answer
	select {
	case a = <-got:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.process.Done():
		select { // what it wrote last may be the answer
		case a = <-got:
		case <-time.After(lastWords):
			return errEnded
		}
	}
	if a.err != nil {
		return c.errorOf(ctx, a.err)
	}
	return decode(a.raw, result)
}

// writer writes to the process of a conn, and notes when that fails.
type writer struct{ to *conn }

// Write implements io.Writer.
func (w writer) Write(p []byte) (int, error) {
	n, err := w.to.process.Writer().Write(p)
	if err != nil {
		w.to.deaf.Store(true)
	}
	return n, err
}

// errorOf tells an agent's answer from the end of the connection.
func (c *conn) errorOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var e *sdk.RequestError
	if !errors.As(err, &e) {
		return err
	}
	text, detail := e.Message, detailOf(e.Data)
	if c.deaf.Load() || strings.HasPrefix(detail, "peer disconnected") && !c.isLive() {
		return errEnded
	}
	if detail != "" && !strings.Contains(text, detail) {
		text += ": " + detail
	}
	return &answerError{e.Code, clip.VisibleLine(text, maxSaid)}
}

// maxSaid is the longest text of an agent in an error, in characters.
const maxSaid = 500

// detailOf returns what an error's data say; "" if that is nothing for a person.
func detailOf(data any) string {
	switch d := data.(type) {
	case string:
		return d
	case map[string]any:
		for _, name := range []string{"details", "error", "message", "reason"} {
			if text, ok := d[name].(string); ok && text != "" {
				return text
			}
		}
	}
	return ""
}

// notify sends a notification. It returns before it is sent; then, or when that failed, sent is
// closed.
func (c *conn) notify(method string, params any) (sent <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.rpc.SendNotification(context.Background(), method, params) // it fails when the process has ended
	}()
	return done
}

// handler answers requests of the agent.
func (c *conn) handler(to peer) sdk.MethodHandler {
	return func(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
		if c.running.Add(1) > maxInFlight {
			c.running.Add(-1)
			return nil, &sdk.RequestError{Code: -32603, Message: "too many requests at once"}
		}
		defer c.running.Add(-1)
		result, err := to.request(ctx, method, params)
		if err != nil {
			return nil, requestError(method, err)
		}
		return result, nil
	}
}

// requestError is an error as an agent reads it.
func requestError(method string, err error) *sdk.RequestError {
	switch {
	case errors.Is(err, errNoMethod):
		return sdk.NewMethodNotFound(method)
	case errors.Is(err, errParams):
		return &sdk.RequestError{Code: -32602, Message: err.Error()}
	case isMissing(err):
		return &sdk.RequestError{Code: codeNotFound, Message: "Resource not found: " + err.Error()} // some read the text
	case errors.Is(err, context.Canceled):
		return sdk.NewRequestCancelled(nil)
	}
	return &sdk.RequestError{Code: -32603, Message: err.Error()}
}

// decode reads JSON. Members of other types than expected are left out.
func decode(raw json.RawMessage, v any) error {
	if v == nil || len(raw) == 0 {
		return nil
	}
	err := json.Unmarshal(raw, v)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return nil
	}
	return err
}

func (c *conn) refuse(why error) {
	c.refused.Do(func(e *error) {
		if *e == nil {
			*e = why
		}
	})
}

// refusal returns why reading from it stopped; nil: it did not, or the agent ended.
func (c *conn) refusal() (why error) {
	c.refused.Do(func(e *error) { why = *e })
	return why
}

// isLive reports whether the process runs and can be talked to.
func (c *conn) isLive() bool {
	select {
	case <-c.rpc.Done():
		return false
	case <-c.process.Done():
		return false
	default:
		return true
	}
}

// told adds to an error how the process ended and what it printed last.
func (c *conn) told(err error) error {
	if !errors.Is(err, errEnded) {
		return err
	}
	if refused := c.refusal(); refused != nil {
		return refused
	}
	text := "it closed the connection"
	select {
	case <-c.process.Done():
		text = c.process.How()
	case <-time.After(lastWords): // it closed its output, and still runs
	}
	switch line, isLast := c.log.Telling(); {
	case isLast:
		return errors.New(text + "; its last line is " + quote(line))
	case line != "":
		return errors.New(text + "; it printed " + quote(line))
	}
	return errors.New(text)
}

// close ends the process and what it started, and waits for that.
func (c *conn) close(hurry bool) { c.process.Close(hurry) }

// closeSoon closes the input of the process, and ends it if it does not end by itself within a time:
// some agents still save the session.
func (c *conn) closeSoon(within time.Duration) {
	c.process.Writer().Close()
	select {
	case <-c.process.Done():
	case <-time.After(within):
	}
	c.close(true)
}

// wait waits for the end of the process, and cleans up what it left.
func (c *conn) wait() {
	select {
	case <-c.process.Done():
		select { // its last output is still to be read
		case <-c.rpc.Done():
		case <-time.After(lastWords):
		}
	case <-c.rpc.Done():
		if c.refusal() == nil {
			select {
			case <-c.process.Done():
			case <-time.After(lastWords):
			}
		}
	}
	c.close(true)
	<-c.process.Done()
}

// line is the command that starts the agent, for a person.
func (l launch) line() string { return commandLine(l.program, l.args) }
