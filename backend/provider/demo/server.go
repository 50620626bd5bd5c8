// Package demo is the built-in offline model: a real HTTP server on loopback, inside the process,
// that speaks the OpenAI chat API and is reached by the same client as every other provider. It is
// not a language model and says so in every answer. Still it is useful: it reads the messages,
// calls the offered tools on the real folder and reports their results, describes attached files,
// measures attached images and explains how to use the program. The command line and the window
// start it; package settings lists it.
//
// Its behaviour follows from words in the last prompt, in English or Chinese (see intent.go).
// Prompts that begin with /demo make it behave in a certain way, for tests and for showing the
// interface:
//
//	/demo                    lists these commands
//	/demo stream N [RATE]    N tokens, RATE a second (0: as fast as possible)
//	/demo reasoning [N]      thinks for N tokens before it answers
//	/demo markdown           everything that Markdown can do
//	/demo echo TEXT          says TEXT
//	/demo messages           lists the messages as they arrived
//	/demo tool NAME [JSON]   calls a tool
//	/demo tools              calls several tools at once
//	/demo error STATUS       answers with an HTTP error: 401, 404, 429, 500 ...
//	/demo error stream       sends an error inside the stream
//	/demo error context      says that the request is too long
//	/demo flaky N            fails N times with 503, then answers
//	/demo break              breaks the connection inside the answer
//	/demo stall              falls silent inside the answer
//	/demo html               answers with a web page
//	/demo empty              answers with nothing
package demo

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"time"

	"mutsumi/backend/lock"
)

// DefaultPace is how many tokens an answer streams per second: a little faster than one reads.
const DefaultPace = 60

// Server is a running offline model.
type Server struct {
	BaseURL string // ends in /v1
	Key     string // random, required as a bearer key

	srv  *http.Server
	pace int

	mu     lock.Mutex
	failed map[string]int // by conversation: how often /demo flaky failed already
}

// Option changes how a server behaves.
type Option func(*Server)

// Pace sets how many tokens per second answers stream; 0 means no pause at all.
func Pace(tokens int) Option { return func(s *Server) { s.pace = tokens } }

// Model describes one of the models.
type Model struct {
	ID, Name                 string
	ContextTokens            int
	Images, Tools, Reasoning bool
}

// contextTokens is the models' stated limit; it is large because nothing is computed from the text.
const contextTokens = 1 << 20

// Models lists the models that a server offers.
func Models() []Model {
	return []Model{
		{ID: "demo", Name: "Offline guide", ContextTokens: contextTokens, Images: true, Tools: true},
		{ID: "demo-reasoning", Name: "Offline guide, thinking aloud", ContextTokens: contextTokens, Images: true, Tools: true, Reasoning: true},
	}
}

// Start listens on a free port of 127.0.0.1 until ctx ends or Close is called.
func Start(ctx context.Context, options ...Option) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the offline model: %w", err)
	}
	s := &Server{
		BaseURL: "http://" + l.Addr().String() + "/v1", Key: "demo-" + rand.Text(),
		pace: DefaultPace, failed: map[string]int{},
	}
	for _, o := range options {
		o(s)
	}
	// Answers end after the listener is closed: a client whose answer breaks off finds no server.
	answers, end := context.WithCancel(context.WithoutCancel(ctx))
	s.srv = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return answers },
	}
	go func() { _ = s.srv.Serve(l) }() // ends with Close
	context.AfterFunc(ctx, func() {
		s.Close()
		end()
	})
	return s, nil
}

// Close ends the server and every answer under way.
func (s *Server) Close() { _ = s.srv.Close() }

// ServeHTTP serves GET /v1/models and POST /v1/chat/completions to whoever has the key.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.Key)) != 1 {
		writeError(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided.")
		return
	}
	switch r.URL.Path {
	case "/v1/models":
		s.models(w)
	case "/v1/chat/completions":
		s.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) models(w http.ResponseWriter) {
	list := []object{}
	for _, m := range Models() {
		input := []string{"text"}
		if m.Images {
			input = append(input, "image")
		}
		params := []string{"tools", "max_tokens"}
		if m.Reasoning {
			params = append(params, "reasoning")
		}
		list = append(list, object{"id": m.ID, "object": "model", "owned_by": "mutsumi", "name": m.Name, "context_length": m.ContextTokens,
			"architecture": object{"input_modalities": input}, "supported_parameters": params})
	}
	writeJSON(w, http.StatusOK, object{"object": "list", "data": list})
}
