package demo

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"mutsumi/backend/chat"
)

// maxBody bounds a request, in bytes: images come inside it.
const maxBody = 128 << 20

type object = map[string]any

// request is the part of a request that the model looks at.
type request struct {
	Model         string         `json:"model"`
	Messages      []chat.Message `json:"messages"`
	Tools         []offered      `json:"tools"`
	Stream        bool           `json:"stream"`
	MaxTokens     int            `json:"max_tokens"`
	MaxCompletion int            `json:"max_completion_tokens"`
	StreamOptions struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// offered is a tool that may be called.
type offered struct {
	Function struct {
		Name       string `json:"name"`
		Parameters struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"parameters"`
	} `json:"function"`
}

// reply is the answer to send.
type reply struct {
	reasoning string
	text      string
	calls     []call
	pace      int // tokens a second; 0: no pause

	status  int    // not 0: an HTTP error with text as its message
	code    string // of the error
	after   int    // Retry-After in seconds
	html    bool   // text is a web page
	ending  ending // how the stream ends
	trouble string // the message of an error inside the stream
}

type call struct {
	name string
	args string // JSON
}

type ending int

const (
	well    ending = iota
	broken         // the connection is cut
	stalled        // nothing more comes
	failing        // an error event
)

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		writeError(w, http.StatusMethodNotAllowed, "method", "Only POST is allowed here.")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("The request is larger than %d bytes, or broke off.", maxBody))
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_json", "The request is not valid: "+err.Error())
		return
	}
	i := slices.IndexFunc(Models(), func(m Model) bool { return m.ID == req.Model })
	if i < 0 {
		writeError(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("The model %q does not exist.", req.Model))
		return
	}
	rep := s.answer(req, Models()[i].Reasoning)
	switch {
	case rep.status != 0:
		if rep.after > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(rep.after))
		}
		writeError(w, rep.status, rep.code, rep.text)
	case rep.html:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, rep.text) // a client that is gone needs no answer
	case req.Stream:
		writeStream(w, r, req, rep)
	default:
		writeWhole(w, req, rep)
	}
}

// writer sends an answer as events.
type writer struct {
	w     http.ResponseWriter
	model string
	ctx   context.Context
	began time.Time
	pace  int
	sent  int // bytes, for the pace
	left  int // bytes that max_tokens allows; -1: any number
}

func writeStream(w http.ResponseWriter, r *http.Request, req request, rep reply) {
	ctx := r.Context()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := &writer{w: w, model: req.Model, ctx: ctx, began: time.Now(), pace: rep.pace, left: -1}
	if n := cmp.Or(req.MaxCompletion, req.MaxTokens); n > 0 {
		out.left = n * bytesPerToken
	}
	out.delta(object{"role": "assistant", "content": ""})
	whole := out.text("reasoning_content", rep.reasoning) && out.text("content", rep.text)
	if ctx.Err() != nil {
		return
	}
	switch rep.ending {
	case broken:
		panic(http.ErrAbortHandler)
	case stalled:
		<-ctx.Done()
		return
	case failing:
		out.event(object{"error": object{"message": rep.trouble, "type": "server_error", "code": "server_error"}})
		return
	}
	reason := "stop"
	switch {
	case !whole:
		reason = "length"
	case len(rep.calls) > 0:
		reason = "tool_calls"
		for i, c := range rep.calls {
			out.call(i, c)
		}
	}
	out.choice(object{}, reason)
	if req.StreamOptions.Usage {
		out.event(object{"id": "demo", "object": "chat.completion.chunk", "model": req.Model, "choices": []any{}, "usage": usage(req, rep)})
	}
	out.line("[DONE]")
}

// text sends s in pieces of about a token, and false when it was not all: the
// client is gone or the limit reached.
func (o *writer) text(field, s string) bool {
	for s != "" {
		n := piece(s)
		if o.left >= 0 && n > o.left {
			return false
		}
		o.delta(object{field: s[:n]})
		s = s[n:]
		o.sent += n
		if o.left >= 0 {
			o.left -= n
		}
		if !o.rest() {
			return false
		}
	}
	return true
}

// rest waits until the next piece is due.
func (o *writer) rest() bool {
	if o.pace <= 0 {
		return o.ctx.Err() == nil
	}
	due := o.began.Add(time.Duration(o.sent) * time.Second / time.Duration(o.pace*bytesPerToken))
	t := time.NewTimer(time.Until(due))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-o.ctx.Done():
		return false
	}
}

// piece is the length of the next piece of s: a word with the following space, at most 12 bytes,
// never splitting a character.
func piece(s string) int {
	for i, r := range s {
		if i > 0 && (s[i-1] == ' ' || s[i-1] == '\n') && r != ' ' && r != '\n' {
			return i
		}
		if i+utf8.RuneLen(r) > 12 && i > 0 {
			return i
		}
	}
	return len(s)
}

func callID() string { return "call_" + rand.Text() }

// call sends a tool call in fragments, as models do.
func (o *writer) call(i int, c call) {
	o.delta(object{"tool_calls": []any{object{"index": i, "id": callID(), "type": "function", "function": object{"name": c.name, "arguments": ""}}}})
	for args := c.args; args != ""; {
		n := piece(args)
		o.delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": args[:n]}}}})
		args = args[n:]
	}
}

func (o *writer) delta(d object) { o.choice(d, nil) }

func (o *writer) choice(d object, reason any) {
	o.event(object{"id": "demo", "object": "chat.completion.chunk", "created": o.began.Unix(), "model": o.model,
		"choices": []any{object{"index": 0, "delta": d, "finish_reason": reason}}})
}

func (o *writer) event(v object) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only maps, strings and numbers come here
	}
	o.line(string(b))
}

// line does not report errors: a client that is gone ends the context.
func (o *writer) line(data string) {
	_, _ = io.WriteString(o.w, "data: "+data+"\n\n")
	_ = http.NewResponseController(o.w).Flush()
}

// writeWhole answers a request that did not ask for a stream.
func writeWhole(w http.ResponseWriter, req request, rep reply) {
	m := object{"role": "assistant", "content": rep.text}
	if rep.reasoning != "" {
		m["reasoning_content"] = rep.reasoning
	}
	reason := "stop"
	if len(rep.calls) > 0 {
		reason = "tool_calls"
		var calls []any
		for _, c := range rep.calls {
			calls = append(calls, object{"id": callID(), "type": "function", "function": object{"name": c.name, "arguments": c.args}})
		}
		m["tool_calls"] = calls
	}
	writeJSON(w, http.StatusOK, object{"id": "demo", "object": "chat.completion", "created": time.Now().Unix(), "model": req.Model,
		"choices": []any{object{"index": 0, "message": m, "finish_reason": reason}}, "usage": usage(req, rep)})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, object{"error": object{"message": message, "type": "invalid_request_error", "code": code}})
}

// bytesPerToken is the rough estimate with which tokens are counted here; nothing is computed from
// them.
const bytesPerToken = 4

// imageTokens is the count for an image.
const imageTokens = 765

func tokens(s string) int { return (len(s) + bytesPerToken - 1) / bytesPerToken }

func usage(req request, rep reply) object {
	in := 0
	for _, m := range req.Messages {
		in += 4 + tokens(m.Content.String()) + tokens(m.ReasoningContent)
		for _, p := range m.Content.Parts {
			if p.Type == chat.PartImage {
				in += imageTokens
			}
		}
		for _, c := range m.ToolCalls {
			in += tokens(c.Function.Name) + tokens(c.Function.Arguments)
		}
	}
	thought := tokens(rep.reasoning)
	out := thought + tokens(rep.text)
	for _, c := range rep.calls {
		out += tokens(c.name) + tokens(c.args)
	}
	return object{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
		"completion_tokens_details": object{"reasoning_tokens": thought}}
}
