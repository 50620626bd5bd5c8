package subprocess

import (
	"bufio"
	"errors"
	"io"
)

// messages reads the lines that begin like messages. Other lines go to the log: many servers print
// a greeting where only messages belong.
type messages struct {
	from   *bufio.Reader
	log    io.Writer
	inside bool // reading is inside a line
	drops  bool // the current line goes to the log
	close  io.Closer
}

func newMessages(from io.ReadCloser, log io.Writer) *messages {
	return &messages{from: bufio.NewReaderSize(from, 64<<10), log: log, close: from}
}

func (m *messages) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if !m.inside {
			start, err := m.from.Peek(2)
			if len(start) == 0 {
				return 0, err
			}
			m.inside, m.drops = true, start[0] != '{' && string(start) != "[{"
		}
		// Peek fills the buffer with whatever is there, so this does not wait for more.
		if _, err := m.from.Peek(1); err != nil {
			return 0, err
		}
		part, _ := m.from.Peek(min(len(p), m.from.Buffered()))
		for i, b := range part {
			if b == '\n' {
				part, m.inside = part[:i+1], false
				break
			}
		}
		n := len(part)
		if !m.drops {
			n = copy(p, part)
		} else {
			m.log.Write(part)
		}
		if _, err := m.from.Discard(n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if !m.drops {
			return n, nil
		}
	}
}

func (m *messages) Close() error { return m.close.Close() }
