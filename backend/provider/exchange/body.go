package exchange

import (
	"io"

	"mutsumi/backend/fingerprint"
	"mutsumi/backend/unzeroed"
)

// Body is the text of a request. It is made while it is sent, one piece at a time: a conversation
// can be as large as a notebook, is in memory already, and is sent again with every step of an
// agent. It can be read repeatedly, as needed after a redirect or on a stale connection, by several
// readers at once.
type Body struct {
	head, tail string
	pieces     int
	write      func(dst []byte, i int) ([]byte, error)
}

// NewBody makes a body of head, the given number of pieces with commas between them, and tail.
// write appends piece i to dst; it is called by several goroutines, more than once for a piece, and
// always returns the same. It returns an error for invalid JSON from a server or a file.
func NewBody(head string, pieces int, write func(dst []byte, i int) ([]byte, error), tail string) *Body {
	return &Body{head: head, tail: tail, pieces: pieces, write: write}
}

// size returns the total size in bytes.
func (b *Body) size() (int64, error) { return b.reader().WriteTo(io.Discard) }

// print returns the fingerprint of the whole body.
func (b *Body) print() (fingerprint.Print, error) {
	w := fingerprint.NewWriter()
	_, err := b.reader().WriteTo(w)
	return w.Print(), err
}

// bytes returns the whole body, of about that size.
func (b *Body) bytes(about int) (all []byte, err error) {
	all = append(unzeroed.Bytes(len(b.head)+about+len(b.tail)), b.head...)
	for i := range b.pieces {
		if i > 0 {
			all = append(all, ',')
		}
		if all, err = b.write(all, i); err != nil {
			return nil, err
		}
	}
	return append(all, b.tail...), nil
}

func (b *Body) reader() *bodyReader { return &bodyReader{of: b, text: []byte(b.head)} }

type bodyReader struct {
	of   *Body
	next int    // the next piece to write; after the last one: the tail
	text []byte // not read yet
	room []byte // where pieces are written
}

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (n int, err error) {
	for len(r.text) == 0 {
		if r.next > r.of.pieces {
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

// WriteTo implements io.WriterTo: each piece is handed over as it was made.
func (r *bodyReader) WriteTo(w io.Writer) (n int64, err error) {
	for {
		m, err := w.Write(r.text)
		n += int64(m)
		if r.text = r.text[m:]; err != nil || r.next > r.of.pieces {
			return n, err
		}
		if err := r.write(); err != nil {
			return n, err
		}
	}
}

// write makes the next piece of text.
func (r *bodyReader) write() (err error) {
	out := r.room[:0]
	if r.next == r.of.pieces {
		out = append(out, r.of.tail...)
	} else {
		if r.next > 0 {
			out = append(out, ',')
		}
		out, err = r.of.write(out, r.next)
	}
	r.next++
	r.text, r.room = out, out
	return err
}

// Close implements io.Closer.
func (r *bodyReader) Close() error { return nil }
