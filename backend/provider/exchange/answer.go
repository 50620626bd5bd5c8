package exchange

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
)

// Parser reads the events of one answer.
type Parser interface {
	// Event processes one event and emits its content. Its error is one of Answer's, and ends the
	// answer.
	Event(a *Answer, name string, data []byte) error
	// Rest returns text and reasoning that were held back.
	Rest() provider.Chunk
}

// Answer is the body of one answer while it is read. A Parser fills in what it learns.
type Answer struct {
	Model  string      // the server's name for it
	Finish string      // why the answer ended, in the words of provider.Chunk; "": it has not
	Usage  *chat.Usage // as counted by the server; nil: not reported

	maker string          // of the kept items
	held  []chat.KeptItem // kept, and not emitted yet
	text  int             // bytes of text that were sent
	calls int             // that were begun

	where   requestContext
	emit    func(provider.Chunk) error
	started bool // a token was emitted: no more retries
	pieces  int  // of the answer that were emitted
}

// graceAfterFinish is how long the usage and the end mark may take after the
// finish reason; the answer itself is whole by then.
const graceAfterFinish = 10 * time.Second

// read reads the body to its end and emits its content.
func (a *Answer) read(p Parser, body *watchedReader, contentType string) error {
	d := newDecoder(body)
	if !strings.Contains(strings.ToLower(contentType), "event-stream") {
		if head, _ := d.r.Peek(1); !looksLikeEvents(d, head) {
			b, _ := io.ReadAll(io.LimitReader(d.r, maxErrorBody))
			return a.where.notAStream(contentType, b)
		}
	}
	for {
		e, err := d.next()
		if err != nil {
			return a.end(p, d, err)
		}
		data := bytes.TrimSpace(e.data)
		if len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			return a.end(p, d, io.EOF)
		}
		before := a.pieces
		if err := p.Event(a, e.name, data); err != nil {
			if _, ok := errors.AsType[*failure](err); ok {
				a.leave(p)
			}
			return err
		}
		switch {
		case a.Finish != "" && !body.grace:
			body.hurry(graceAfterFinish)
		case a.pieces > before:
			body.progress()
		}
	}
}

// looksLikeEvents reports whether a body that is not declared as an event
// stream is one nevertheless. Blank lines before the first event are skipped.
func looksLikeEvents(d *decoder, head []byte) bool {
	for len(head) > 0 && (head[0] == '\n' || head[0] == '\r') {
		_, _ = d.r.Discard(1)
		head, _ = d.r.Peek(1)
	}
	for _, field := range []string{":", "data:", "event:", "id:", "retry:"} {
		if len(head) == 0 || head[0] != field[0] {
			continue
		}
		if b, _ := d.r.Peek(len(field)); string(b) == field {
			return true
		}
	}
	return false
}

// Send emits a chunk if it has content; the first has the model's name.
func (a *Answer) Send(c provider.Chunk) error {
	if c.Text == "" && c.Reasoning == "" && len(c.ToolCalls) == 0 {
		return nil
	}
	a.pieces++
	a.text += len(c.Text)
	for _, call := range c.ToolCalls {
		if call.ID != "" {
			a.calls++
		}
	}
	c.Kept = a.kept()
	if !a.started {
		a.started, c.Model = true, a.Model
	}
	return a.emit(c)
}

// Failed is an error that the server sent inside the stream. Before the first token, a transient
// one is retried.
func (a *Answer) Failed(data []byte) error { return a.where.inStream(data, !a.started) }

// Malformed is an event that is not JSON of the protocol, or has an impossible value.
func (a *Answer) Malformed(data []byte, err error) error { return a.where.malformed(data, err) }

// end closes the answer: successfully if there was a finish reason, otherwise as a broken one.
func (a *Answer) end(p Parser, d *decoder, err error) error {
	if err := a.Send(p.Rest()); err != nil {
		return err
	}
	if a.Finish == "" {
		a.leave(p)
		if err == io.EOF && len(d.stray) > 0 && !a.started {
			return a.where.notAStream("text/event-stream", d.stray)
		}
		return a.where.broken(err, a.started)
	}
	if errors.Is(err, errEventTooLong) {
		return a.where.broken(err, a.started)
	}
	last := provider.Chunk{FinishReason: a.Finish, Usage: a.Usage, Kept: a.kept()}
	if !a.started {
		last.Model = a.Model
	}
	return a.emit(last)
}

// leave emits the rest of a failed answer: text that was held back, and its usage. The stream's own
// error is the one to report, not emit's.
func (a *Answer) leave(p Parser) {
	if !a.started {
		return
	}
	c := p.Rest()
	c.Usage, c.Kept = a.Usage, a.kept()
	if c.Text+c.Reasoning != "" || c.Usage != nil || c.Kept != nil {
		_ = a.emit(c)
	}
	a.Usage = nil
}

// MaxCalls limits the tool calls of one answer: more is a mistake or an attack.
const MaxCalls = 512

// ErrTooManyCalls is the cause for Answer.Malformed where there are more.
var ErrTooManyCalls = errors.New("more than 512 tool calls")

// CallID returns the id that a server gave a call, or one of our own if it gave none.
func CallID(id string) string {
	if id == "" {
		return "call_" + rand.Text()
	}
	return id
}
