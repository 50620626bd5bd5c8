// Package providertest is a scripted server of the OpenAI chat API, the OpenAI Responses API and
// Anthropic's Messages API, for tests of the clients, the loop, the workspace and the command line,
// over real HTTP. It is the only fake: everything on this side of the network is real.
//
// It is as strict as the strictest real server: a request that one would refuse fails
// the test and gets a 400 (see refused). It records the requests that arrive.
//
// A script is lines; # begins a comment. Before the first answer:
//
//	key sk-test               requests need this bearer key, else 401
//	models gpt-a gpt-b        what GET /models lists
//	lenient                   accepts any request, as some servers do
//
// Then answers, each begun by a line with the word answer (the first may omit it). A request gets
// the first matching answer that is not used up:
//
//	answer                    serves one request
//	answer times 3            serves three
//	answer always             serves any number
//	answer when "some text"   only requests that have the text in their last
//	                          user message or after it
//
// An answer is statements. A text is the rest of the line, or a Go string in
// double quotes. Before its body:
//
//	status 503                the HTTP status
//	header Retry-After: 2     a header
//	fail 429 Slow down        the status and an error body with this message
//	body {"a":1}              a body that is no stream; with header or status if need be
//	html <h1>Welcome</h1>     the same as text/html
//
// and for a stream:
//
//	model gpt-a               the model's name in what follows
//	text Hello                a chunk of content
//	words 20ms One two three  a chunk for each word, with pauses
//	repeat 1000 word          that many chunks
//	size 100000               one chunk of that many bytes
//	reasoning Hm              a chunk of reasoning_content
//	thinking Hm               the same under the name reasoning
//	sign abc                  what the thought before it is signed, or encrypted, with (not in the chat API)
//	redacted abc              a thought that is encrypted (Messages API)
//	phase commentary          the part of the answer that the next text is (Responses API)
//	tool ls {"uri":"."}       a whole tool call, with an id of its own
//	call 0 id1 ls {"uri       the first fragment of call 0; - leaves the id or the name out
//	args 0 ":"."}             a further fragment
//	usage 12 5 cached=3 reasoning=2    sent at the end, if it was asked for
//	comment keep-alive        an SSE comment
//	chunk {"choices":[]}      an event with exactly this data
//	raw data: [DONE]          bytes as they are; a quoted text has no line break added
//	delay 100ms               a pause
//	wait half                 a pause until the test calls Server.Let("half"), so that
//	                          tests do not depend on the machine's speed
//	error Overloaded          an error event with this message, or with this JSON; ends the stream
//
// A stream ends normally unless it says otherwise: with the finish reason (tool_calls
// after a call, else stop), usage and [DONE]. Other ends:
//
//	finish length             another finish reason, then usage and [DONE]
//	nodone                    the finish reason, then the end without [DONE]
//	end                       ends here: no finish reason, no [DONE]
//	cut                       the connection closes inside the body
//	reset                     the connection is reset
//	stall                     sends nothing more until the client disconnects
package providertest

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/chat"
)

// Server serves a script. URL is its base address, ending in /v1.
type Server struct {
	URL string

	script *script
	srv    *http.Server
	pipe   *pipeListener // nil on loopback
	closed context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	gates    map[string]chan struct{} // of wait; closed by Let
	requests []Request
	lastBody *body                            // of the last valid request
	report   func(format string, args ...any) // reports requests that were refused or have no answer
}

// Request is a request that arrived.
type Request struct {
	Method string
	Path   string // with /v1
	Header http.Header
	Body   []byte

	Model    string
	Messages []chat.Message // of the other protocols: their texts and calls
	Tools    []string       // names
	Usage    bool           // stream_options asks for usage
}

// New starts a server on loopback, which ends with the test. A mistake in the script, a
// request without an answer and an unused answer fail the test.
func New(t testing.TB, script string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return start(t, script, l, nil)
}

// NewPipe is New without sockets, for tests in a bubble of testing/synctest:
// give the client Transport.
func NewPipe(t testing.TB, script string) *Server {
	t.Helper()
	l := newPipeListener()
	return start(t, script, l, l)
}

func start(t testing.TB, text string, l net.Listener, pipe *pipeListener) *Server {
	t.Helper()
	s, err := serve(text, l, pipe, t.Errorf)
	if err != nil {
		_ = l.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if rest := s.script.unused(); len(rest) > 0 && !t.Failed() {
			t.Errorf("providertest: no request used the answer in line %v of the script", rest)
		}
	})
	return s
}

// Start is New outside a test: the caller closes the server, and a request without an answer gets a
// 400 that says so.
func Start(script string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start provider for tests: %w", err)
	}
	return serve(script, l, nil, func(string, ...any) {})
}

func serve(text string, l net.Listener, pipe *pipeListener, problem func(string, ...any)) (*Server, error) {
	sc, err := parse(text)
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String() + "/v1", script: sc, pipe: pipe, gates: map[string]chan struct{}{}, report: problem}
	s.closed, s.cancel = context.WithCancel(context.Background())
	s.srv = &http.Server{Handler: s}
	go func() { _ = s.srv.Serve(l) }() // ends with Close
	return s, nil
}

// Close ends the server and every answer in progress.
func (s *Server) Close() {
	s.cancel()
	_ = s.srv.Close()
}

// Transport returns the transport that reaches the server; nil: the default one does.
func (s *Server) Transport() http.RoundTripper {
	if s.pipe == nil {
		return nil
	}
	return &http.Transport{DialContext: s.pipe.dial, DisableCompression: true}
}

// Let releases every answer that waits for name, now or later.
func (s *Server) Let(name string) {
	gate := s.gate(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

func (s *Server) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

// Requests returns the chat requests that arrived, in order, without those for /models.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Forget drops the requests that arrived so far, for a benchmark that measures memory.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.lastBody = nil, nil
}

// ServeHTTP serves GET /v1/models and the POST requests of the three protocols.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, 0)+bytes.MinRead)) // room that it never outgrows
	if _, err := text.ReadFrom(r.Body); err != nil {
		return // the client is gone
	}
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if r.URL.Path == messagesPath {
		key = r.Header.Get("X-Api-Key")
	}
	if s.script.key != "" && subtle.ConstantTimeCompare([]byte(key), []byte(s.script.key)) != 1 {
		writeError(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+key)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/models":
		s.models(w)
	case "POST " + chatPath, "POST " + messagesPath, "POST " + responsesPath:
		s.answer(w, r, text.Bytes())
	default:
		http.NotFound(w, r)
	}
}

// Where the protocols are.
const (
	chatPath      = "/v1/chat/completions"
	messagesPath  = "/v1/messages"
	responsesPath = "/v1/responses"
)

func (s *Server) answer(w http.ResponseWriter, r *http.Request, text []byte) {
	req, err := s.record(r, text)
	if err != nil && !s.script.lenient {
		s.report("providertest: a strict server refuses the request: %v\n%s", err, text)
		writeError(w, http.StatusBadRequest, "invalid_value", "Invalid request: "+err.Error())
		return
	}
	a := s.script.take(req)
	if a == nil {
		s.report("providertest: no answer in the script for the request %s", text)
		writeError(w, http.StatusBadRequest, "script", "the script has no answer for this request")
		return
	}
	s.run(w, r, a, req)
}

func (s *Server) models(w http.ResponseWriter) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		OwnedBy string `json:"owned_by"`
	}
	list := []model{}
	for _, id := range s.script.models {
		list = append(list, model{id, "model", "providertest"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// record records a request. The error is the reason why a strict server refuses it.
func (s *Server) record(r *http.Request, text []byte) (req Request, err error) {
	req = Request{Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: text}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case messagesPath:
		err = req.readMessages()
	case responsesPath:
		err = req.readResponses()
	default:
		err = s.readChat(&req)
	}
	s.requests = append(s.requests, req)
	return req, err
}

// readChat reads a request of the chat API; s.mu is held.
func (s *Server) readChat(req *Request) error {
	b, err := readBody(req.Body, s.lastBody)
	if err != nil {
		return err
	}
	req.Model, req.Messages, req.Tools, req.Usage = b.model, b.messages, b.names, b.usage
	s.lastBody = b
	return b.refused()
}

// Text returns the last user message of the request and everything after it.
func (r Request) Text() string {
	from := 0
	for i, m := range r.Messages {
		if m.Role == chat.User {
			from = i
		}
	}
	var b strings.Builder
	for _, m := range r.Messages[min(from, len(r.Messages)):] {
		b.WriteString(m.Content.String())
		b.WriteByte('\n')
	}
	return b.String()
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "code": code}})
}
