package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
)

// stream reads the body of one answer.
type stream struct {
	where requestContext
	emit  func(provider.Chunk) error
	calls calls
	tags  thinkTags

	text, thought, thought2 halves // of content, and of reasoning under its two names

	model   string
	finish  string
	usage   *chat.Usage
	started bool // a token was emitted: no retry any more
	pieces  int  // of the answer that were emitted
}

// graceAfterFinish is how long the usage and the end mark may take after the
// finish reason; the answer itself is whole by then.
const graceAfterFinish = 10 * time.Second

// read reads the body to its end and emits what it says.
func (s *stream) read(body *watchedReader, contentType string) error {
	d := newDecoder(body)
	if !strings.Contains(strings.ToLower(contentType), "event-stream") {
		if head, _ := d.r.Peek(1); !looksLikeEvents(d, head) {
			b, _ := io.ReadAll(io.LimitReader(d.r, maxErrorBody))
			return s.where.notAStream(contentType, b)
		}
	}
	for {
		e, err := d.next()
		if err != nil {
			return s.end(d, err)
		}
		data := bytes.TrimSpace(e.data)
		if len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			return s.end(d, io.EOF)
		}
		before := s.pieces
		if err := s.event(e.name, data); err != nil {
			if _, ok := errors.AsType[*failure](err); ok {
				s.leave()
			}
			return err
		}
		switch {
		case s.finish != "" && !body.grace:
			body.hurry(graceAfterFinish)
		case s.pieces > before:
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

// event takes one event in.
func (s *stream) event(name string, data []byte) error {
	var c chunk
	if err := decode(data, &c); err != nil {
		switch {
		case name == "error":
			return s.where.inStream(data, !s.started)
		case name != "" && name != "message" && name != "data":
			return nil // a ping or another event of the server's own
		}
		return s.where.malformed(data, err)
	}
	switch {
	case present(c.Error), name == "error", c.Type == "error", c.Object == "error" && present(c.Message):
		return s.where.inStream(data, !s.started)
	}
	if s.model == "" {
		s.model = c.Model
	}
	if c.Usage != nil {
		u := c.Usage.usage()
		s.usage = &u
	}
	out := provider.Chunk{}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		if present(ch.Error) {
			return s.where.inStream(ch.Error, !s.started)
		}
		s.take(ch.Delta, &out)
		if ch.FinishReason == "error" {
			return s.where.inStream(data, !s.started)
		}
		if ch.FinishReason != "" {
			s.finish = finishReason(ch.FinishReason)
		}
	}
	if len(s.calls) > maxCalls {
		return s.where.malformed(data, errTooManyCalls)
	}
	if out.Text == "" && out.Reasoning == "" && len(out.ToolCalls) == 0 {
		return nil
	}
	return s.send(out)
}

// send emits a chunk with content; the first has the model's name.
func (s *stream) send(c provider.Chunk) error {
	s.pieces++
	if !s.started {
		s.started, c.Model = true, s.model
	}
	return s.emit(c)
}

// decode reads a chunk. A field of another type than it should have is left
// out and does no harm to the others.
func decode(data []byte, c *chunk) error {
	err := json.Unmarshal(data, c)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && odd.Field != "" {
		return nil
	}
	return err
}

// take adds what a delta says to out.
func (s *stream) take(d delta, out *provider.Chunk) {
	if d.ReasoningContent.s+d.Reasoning.s+d.Content.thinking != "" {
		s.tags.off()
	}
	text, thought := s.tags.split(s.text.add(d.Content.s))
	out.Text += text + strings.ToValidUTF8(d.Refusal.s, "\uFFFD")
	out.Reasoning += s.thought.add(d.ReasoningContent.s) + thought
	if d.ReasoningContent.s == "" {
		out.Reasoning += s.thought2.add(d.Reasoning.s) // some send the same under both names
	}
	out.Reasoning += strings.ToValidUTF8(d.Content.thinking, "\uFFFD")
	if f := d.FunctionCall; f != nil {
		d.ToolCalls = append(d.ToolCalls, callFragment{Function: *f})
	}
	if len(d.ToolCalls) > 0 {
		out.ToolCalls = append(out.ToolCalls, s.calls.add(d.ToolCalls)...)
	}
}

// end closes the answer: well if there was a finish reason, as a broken one otherwise.
func (s *stream) end(d *decoder, err error) error {
	if text, thought := s.rest(); text+thought != "" {
		if err := s.send(provider.Chunk{Text: text, Reasoning: thought}); err != nil {
			return err
		}
	}
	if s.finish == "" {
		s.leave()
		if err == io.EOF && len(d.stray) > 0 && !s.started {
			return s.where.notAStream("text/event-stream", d.stray)
		}
		return s.where.broken(err, s.started)
	}
	if errors.Is(err, errEventTooLong) {
		return s.where.broken(err, s.started)
	}
	if s.finish == "stop" && len(s.calls) > 0 {
		s.finish = "tool_calls"
	}
	last := provider.Chunk{FinishReason: s.finish, Usage: s.usage}
	if !s.started {
		last.Model = s.model
	}
	return s.emit(last)
}

// rest returns what was held back of text and reasoning.
func (s *stream) rest() (text, thought string) {
	text, thought = s.tags.split(s.text.rest())
	more, further := s.tags.rest()
	return text + more, s.thought.rest() + s.thought2.rest() + thought + further
}

// leave emits what a failed answer still has: text that was held back, and
// what it cost. The stream's own error is the one to report, not emit's.
func (s *stream) leave() {
	if !s.started {
		return
	}
	text, thought := s.rest()
	if text+thought != "" || s.usage != nil {
		_ = s.emit(provider.Chunk{Text: text, Reasoning: thought, Usage: s.usage})
	}
	s.usage = nil
}

func present(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != "{}" && string(raw) != `""`
}
