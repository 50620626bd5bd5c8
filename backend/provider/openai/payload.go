package openai

import (
	"io"
	"sync"
)

// payload is the body of a request. It can be read again, as a redirect or a
// connection that went stale needs it, until an answer has come; then it lets
// go of the text: a conversation can be as large as a notebook, and an answer
// streams for minutes. It is safe for concurrent use.
type payload struct {
	mu       sync.Mutex
	text     []byte
	sent     bool // a reader came to the end
	answered bool
}

// reader gives the body from its beginning.
func (p *payload) reader() (io.ReadCloser, error) { return &payloadReader{of: p}, nil }

// release says that an answer has come. A server that answers before it has
// heard all still gets the rest.
func (p *payload) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = true
	p.forget()
}

func (p *payload) forget() {
	if p.answered && p.sent {
		p.text = nil
	}
}

type payloadReader struct {
	of *payload
	at int
}

func (r *payloadReader) Read(b []byte) (int, error) {
	p := r.of
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.at >= len(p.text) {
		return 0, io.EOF
	}
	n := copy(b, p.text[r.at:])
	if r.at += n; r.at == len(p.text) {
		p.sent = true
		p.forget()
	}
	return n, nil
}

func (r *payloadReader) Close() error { return nil }
