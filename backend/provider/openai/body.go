package openai

import (
	"bytes"
	"io"

	"mutsumi/backend/jsontext"
)

// body is the text of a request. It is made while it is sent, one message at a
// time: a conversation can be as large as a notebook, is in memory already, and
// goes out anew with every step of an agent. It can be read again, as a
// redirect or a connection that went stale needs it, by several readers at once.
type body struct {
	head     []byte // an object without its end
	messages []message
	size     int64 // of all of it, in bytes
}

// The messages are last in the object.
const (
	beforeMessages = `,"messages":[`
	behindMessages = `]}`
)

// newBody writes r with messages. The error is of JSON that a server or a file
// brought in and that is none.
func newBody(r request, messages []message) (*body, error) {
	head, err := jsontext.Append(nil, r)
	if err != nil {
		return nil, err
	}
	b := &body{head: append(bytes.TrimSuffix(head, []byte("}")), beforeMessages...), messages: messages}
	b.size, err = io.Copy(io.Discard, b.reader())
	return b, err
}

func (b *body) reader() *bodyReader { return &bodyReader{of: b, text: b.head} }

type bodyReader struct {
	of   *body
	next int    // the message to be written, len(messages) for the end of all
	text []byte // not read yet
	room []byte // where messages are written
}

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (n int, err error) {
	for len(r.text) == 0 {
		if r.next > len(r.of.messages) {
			return 0, io.EOF
		}
		if err := r.write(); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// write makes the next piece of text.
func (r *bodyReader) write() (err error) {
	out := r.room[:0]
	if r.next == len(r.of.messages) {
		out = append(out, behindMessages...)
	} else {
		if r.next > 0 {
			out = append(out, ',')
		}
		out, err = jsontext.Append(out, r.of.messages[r.next])
	}
	r.next++
	r.text, r.room = out, out
	return err
}

// Close implements io.Closer.
func (r *bodyReader) Close() error { return nil }
