package subprocess

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// The amount a server may write in a window of time: far more than any work needs, yet little
// enough that reading it slows nothing else down.
const (
	window      = 10 * time.Second
	maxMessages = 20_000
	maxBytes    = 128 << 20
)

// MaxMessage is the longest message that is read, in bytes.
const MaxMessage = 16 << 20

// ErrTooLong says that a message was longer.
var ErrTooLong = fmt.Errorf("it sent a message of more than %d MB", MaxMessage>>20)

// Counted returns a reader that fails when too much comes at once; it calls refused with the reason first.
func Counted(from io.ReadCloser, refused func(error)) io.ReadCloser {
	return &counted{from: from, now: time.Now, refused: refused}
}

// counted is the reader of Counted. Its error is for people and models.
type counted struct {
	from     io.ReadCloser
	now      func() time.Time
	since    time.Time
	messages int
	bytes    int
	line     int         // bytes of the current message
	refused  func(error) // gets the reason why reading ended
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if now := c.now(); now.Sub(c.since) > window {
		c.since, c.messages, c.bytes = now, 0, 0
	}
	c.messages += bytes.Count(p[:n], []byte("\n"))
	c.bytes += n
	if last := bytes.LastIndexByte(p[:n], '\n'); last >= 0 {
		c.line = n - last - 1
	} else {
		c.line += n
	}
	var refused error
	switch {
	case c.line > MaxMessage:
		refused = ErrTooLong
	case c.messages > maxMessages, c.bytes > maxBytes:
		refused = fmt.Errorf("it floods: %d messages and %d MB within %s", c.messages, c.bytes>>20, window)
	default:
		return n, err
	}
	c.refused(refused)
	return 0, refused
}

func (c *counted) Close() error { return c.from.Close() }
