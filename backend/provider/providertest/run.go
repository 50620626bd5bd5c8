package providertest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// player carries out one answer.
type player struct {
	closed context.Context
	gate   func(name string) chan struct{}
	w      http.ResponseWriter
	r      *http.Request
	a      *answer
	asked  bool // for usage

	say   speaker
	begun bool
	model string
	calls int
	usage map[string]int
}

// speaker writes the events of one protocol.
type speaker interface {
	text(s string)
	thought(field, s string)                    // field is the name that the chat API has for it
	sign(s string)                              // the thought before
	redacted(s string)                          // a thought
	phase(s string)                             // of the next text
	call(index int, id, name, arguments string) // a first fragment, or one more that repeats it
	arguments(index int, s string)
	finish(reason string, done bool) // done: with the end marker
	failure(message string) string   // the data of an error event
}

type object = map[string]any

func (s *Server) run(w http.ResponseWriter, r *http.Request, a *answer, req Request) {
	p := &player{closed: s.closed, gate: s.gate, w: w, r: r, a: a, asked: req.Usage, model: cmp.Or(req.Model, "test")}
	switch req.Path {
	case messagesPath:
		p.say = &messagesSpeaker{player: p, blocks: map[int]int{}}
	case responsesPath:
		p.say = &responsesSpeaker{player: p, calls: map[int]*responsesCall{}}
	default:
		p.say = chatSpeaker{p}
	}
	if a.status != 0 && a.status != http.StatusOK && len(a.steps) == 0 {
		p.begin("text/plain") // a status alone
		return
	}
	for _, st := range a.steps {
		if !p.step(st) {
			return
		}
	}
	p.finish("", true)
}

// step carries out one statement; false ends the answer.
func (p *player) step(st step) bool {
	switch st.op {
	case "body":
		p.begin("application/json")
		p.write(st.text)
		return false
	case "model":
		p.model = st.text
	case "text":
		p.say.text(st.text)
	case "reasoning":
		p.say.thought("reasoning_content", st.text)
	case "thinking":
		p.say.thought("reasoning", st.text)
	case "sign":
		p.say.sign(st.text)
	case "redacted":
		p.say.redacted(st.text)
	case "phase":
		p.say.phase(st.text)
	case "size":
		p.say.text(strings.Repeat("x", st.n))
	case "repeat":
		for range st.n {
			p.say.text(st.text)
		}
	case "words":
		for _, word := range strings.SplitAfter(st.text, " ") {
			p.say.text(word)
			if !p.sleep(st.d) {
				return false
			}
		}
	case "tool":
		p.say.call(p.calls, fmt.Sprintf("call_%d", p.calls+1), st.name, st.text)
		p.calls++
	case "call":
		p.say.call(st.n, st.id, st.name, st.text)
		p.calls++
	case "args":
		p.say.arguments(st.n, st.text)
	case "usage":
		p.usage = st.usage
	case "comment":
		p.begin("")
		p.write(": " + st.text + "\n\n")
		p.flush()
	case "chunk":
		p.event("", st.text)
	case "raw":
		p.begin("")
		p.write(st.text)
		if !st.quoted {
			p.write("\n")
		}
		p.flush()
	case "delay":
		return p.sleep(st.d)
	case "wait":
		return p.wait(st.text)
	default:
		p.last(st)
		return false
	}
	return true
}

// last carries out a statement that ends the answer.
func (p *player) last(st step) {
	switch st.op {
	case "error":
		data := st.text
		if !strings.HasPrefix(data, "{") {
			data = p.say.failure(data)
		}
		p.event("", data)
	case "finish":
		p.finish(st.text, true)
	case "nodone":
		p.finish(st.text, false)
	case "end":
		p.begin("")
	case "cut":
		p.begin("")
		panic(http.ErrAbortHandler)
	case "reset":
		p.reset()
	case "stall":
		p.begin("")
		select {
		case <-p.r.Context().Done():
		case <-p.closed.Done():
		}
	}
}

// begin sends the head of the answer, once.
func (p *player) begin(contentType string) {
	if p.begun {
		return
	}
	p.begun = true
	h := p.w.Header()
	h.Set("Content-Type", cmp.Or(contentType, "text/event-stream"))
	for k, v := range p.a.header {
		h[k] = v
	}
	p.w.WriteHeader(cmp.Or(p.a.status, http.StatusOK))
	p.flush()
}

func (p *player) finish(reason string, done bool) {
	if reason == "" {
		reason = "stop"
		if p.calls > 0 {
			reason = "tool_calls"
		}
	}
	p.say.finish(reason, done)
}

func (p *player) event(name, data string) {
	p.begin("")
	if name != "" {
		p.write("event: " + name + "\n")
	}
	p.write("data: " + data + "\n\n")
	p.flush()
}

// write and flush do not report errors: a client that went away ends the
// answer through its context.
func (p *player) write(s string) { _, _ = io.WriteString(p.w, s) }

func (p *player) flush() {
	if p.begun { // else it would send a head
		_ = http.NewResponseController(p.w).Flush()
	}
}

func (p *player) sleep(d time.Duration) bool {
	p.flush()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.r.Context().Done():
	case <-p.closed.Done():
	}
	return false
}

func (p *player) wait(name string) bool {
	p.flush()
	select {
	case <-p.gate(name):
		return true
	case <-p.r.Context().Done():
	case <-p.closed.Done():
	}
	return false
}

// reset closes the connection so that the client sees "connection reset".
func (p *player) reset() {
	p.flush()
	conn, _, err := http.NewResponseController(p.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only maps, strings and numbers come here
	}
	return string(b)
}
