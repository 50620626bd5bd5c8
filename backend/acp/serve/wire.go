package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/lock"
)

const (
	messageBytes = 64 << 20        // the longest message that is read: images come in base64
	headBytes    = 4 << 10         // of a longer message, to find out whose answer it wants
	unwritten    = 256             // messages that wait for the client to read
	patience     = 2 * time.Second // how long a client that has gone may take to read what is left
)

// message is a request, a notification or an answer of JSON-RPC 2.0.
type message struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *acp.RequestError `json:"error,omitempty"`
}

// work answers a request of the client. then, unless it is nil, is called after the answer was sent.
type work func(ctx context.Context) (result any, then func(), err error)

// conn speaks JSON-RPC in lines with the client. It hands messages on in the order in which they
// come, so that a cancellation finds the prompt before it, and sends in the order of the calls.
type conn struct {
	out   chan []byte
	flush chan struct{} // closed when only what waits is still to be written
	dead  chan struct{} // closed when nothing is written any more
	tasks sync.WaitGroup
	state lock.Guarded[exchange]
}

// exchange is what is under way.
type exchange struct {
	closed bool
	next   int                           // number of the next request to the client
	asked  map[string]chan message       // requests to the client, by id
	works  map[string]context.CancelFunc // requests of the client, by id
}

func newConn() *conn {
	c := &conn{out: make(chan []byte, unwritten), flush: make(chan struct{}), dead: make(chan struct{})}
	c.state.Do(func(e *exchange) { e.asked, e.works = map[string]chan message{}, map[string]context.CancelFunc{} })
	return c
}

// run exchanges messages until in ends, ctx does, or the client takes nothing more, and waits for
// the requests under way, whose contexts end then. handle is called for each message in turn: it
// returns at once, with the work for an answer. Of a notification the work is nil.
func (c *conn) run(ctx context.Context, in io.Reader, out io.Writer, handle func(method string, params json.RawMessage) work) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer cancel()
		c.write(out)
	}()
	ended := make(chan error, 1)
	go func() { ended <- c.read(ctx, in, handle) }() // it stays until in gives something: nothing else ends a read
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	cancel()
	c.state.Do(func(e *exchange) { e.closed = true })
	timer := time.AfterFunc(patience, func() { close(c.dead) })
	defer timer.Stop()
	c.tasks.Wait()
	close(c.flush)
	select {
	case <-written:
	case <-c.dead:
	}
	return err
}

// write writes what is sent, in order, until flush is closed and nothing waits.
func (c *conn) write(out io.Writer) {
	for {
		select {
		case line := <-c.out:
			if _, err := out.Write(line); err != nil {
				return
			}
			continue
		default:
		}
		select {
		case line := <-c.out:
			if _, err := out.Write(line); err != nil {
				return
			}
		case <-c.flush:
			if len(c.out) == 0 {
				return
			}
		}
	}
}

// send hands a message over to be written. It waits while the client does not read.
func (c *conn) send(m message) {
	m.Version = "2.0"
	line, err := jsontext.Marshal(m)
	if err != nil { // only of a message whose parts are no JSON
		return
	}
	select {
	case c.out <- append(bytes.TrimSpace(line), '\n'):
	case <-c.dead:
	}
}

// read hands the messages of in to handle until in ends.
func (c *conn) read(ctx context.Context, in io.Reader, handle func(string, json.RawMessage) work) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, whole, err := readLine(lines, messageBytes)
		if line = bytes.TrimSpace(line); len(line) > 0 && whole {
			c.take(ctx, line, handle)
		} else if len(line) > 0 {
			c.send(message{ID: idIn(line), Error: &acp.RequestError{Code: -32600, Message: "Could not take a message of more than 64 MB: send less at once, such as smaller images."}})
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// readLine reads a line. If it has more than most bytes, it returns its beginning, and whole is false.
func readLine(r *bufio.Reader, most int) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if whole {
			line = append(line, part...)
		}
		if len(line) > most {
			line, whole = slices.Clone(line[:min(headBytes, most)]), false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// idIn finds the id of a message in its beginning; null: it is not there.
func idIn(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(head))
	if _, err := d.Token(); err != nil {
		return json.RawMessage("null")
	}
	for {
		var value json.RawMessage
		key, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			return json.RawMessage("null")
		}
		if key == "id" {
			return value
		}
	}
}

// take handles one message.
func (c *conn) take(ctx context.Context, line []byte, handle func(string, json.RawMessage) work) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		c.send(message{ID: json.RawMessage("null"), Error: acp.NewParseError(map[string]string{"error": err.Error()})})
		return
	}
	switch {
	case m.Method == "":
		c.state.Do(func(e *exchange) {
			if answer := e.asked[string(m.ID)]; answer != nil {
				delete(e.asked, string(m.ID))
				answer <- m
			}
		})
	case m.Method == "$/cancel_request":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			c.state.Do(func(e *exchange) {
				if cancel := e.works[string(p.ID)]; cancel != nil {
					cancel()
				}
			})
		}
	case len(m.ID) == 0:
		handle(m.Method, m.Params)
	default:
		c.begin(ctx, m, handle(m.Method, m.Params))
	}
}

// begin does the work of a request on a goroutine, and sends the answer.
func (c *conn) begin(ctx context.Context, m message, do work) {
	ctx, cancel := context.WithCancel(ctx)
	open := true
	c.state.Do(func(e *exchange) {
		if open = !e.closed; open {
			c.tasks.Add(1)
			e.works[string(m.ID)] = cancel
		}
	})
	if !open {
		cancel()
		return
	}
	go func() {
		defer c.tasks.Done()
		defer cancel()
		result, then, err := do(ctx)
		c.state.Do(func(e *exchange) { delete(e.works, string(m.ID)) })
		if err != nil {
			c.send(message{ID: m.ID, Error: asError(err)})
			return
		}
		raw, err := jsontext.Marshal(result)
		if err != nil {
			c.send(message{ID: m.ID, Error: asError(err)})
			return
		}
		c.send(message{ID: m.ID, Result: raw})
		if then != nil {
			then()
		}
	}()
}

// asError is an error as the client gets it: the message is the sentence for the person.
func asError(err error) *acp.RequestError {
	var known *acp.RequestError
	var f *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &f) && f.Kind == fault.Invalid:
		return &acp.RequestError{Code: -32602, Message: sentence(err)}
	case errors.As(err, &f) && f.Kind == fault.NotFound:
		return &acp.RequestError{Code: -32002, Message: sentence(err)}
	}
	return &acp.RequestError{Code: -32603, Message: sentence(err)}
}

func sentence(err error) string { return clip.VisibleLine(err.Error(), 2000) }

// tell sends a notification.
func (c *conn) tell(method string, params any) {
	if raw, err := jsontext.Marshal(params); err == nil {
		c.send(message{Method: method, Params: raw})
	}
}

// ask sends a request to the client and stores its answer in result. When ctx ends first, the
// client is told that no answer is needed.
func (c *conn) ask(ctx context.Context, method string, params, result any) error {
	raw, err := jsontext.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	var id json.RawMessage
	c.state.Do(func(e *exchange) {
		e.next++
		id, _ = json.Marshal(e.next)
		e.asked[string(id)] = answer
	})
	c.send(message{ID: id, Method: method, Params: bytes.TrimSpace(raw)})
	select {
	case m := <-answer:
		if m.Error != nil {
			return m.Error
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		c.state.Do(func(e *exchange) { delete(e.asked, string(id)) })
		c.tell("$/cancel_request", map[string]json.RawMessage{"requestId": id})
		return ctx.Err()
	}
}

// params reads the parameters of a request.
func params[T any](raw json.RawMessage) (p T, err error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, acp.NewInvalidParams(map[string]string{"error": clip.Line(err.Error(), 500)})
	}
	return p, nil
}

// refused answers a request with an error.
func refused(err error) work {
	return func(context.Context) (any, func(), error) { return nil, nil, err }
}

// sorted lists the keys of a map.
func sorted[V any](m map[string]V) []string { return slices.SortedFunc(maps.Keys(m), strings.Compare) }
