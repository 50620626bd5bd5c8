package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream: no token is that long, only an
// attack or a mistake.
const maxEvent = 32 << 20

var errEventTooLong = errors.New("an event is longer than 32 MB")

// event is one server-sent event.
type event struct {
	name string
	data []byte // valid until the next call of next
}

// decoder reads server-sent events: joined data lines, comments, any line length up to maxEvent,
// and common deviations from the standard: events without a blank line between them, a last one
// without any line break, an "error:" field, plain text instead of events (kept in stray).
type decoder struct {
	r     *bufio.Reader
	long  []byte // a line that is longer than the buffer of r
	data  []byte
	name  string
	lines int    // data lines of the event so far
	held  []byte // a line that belongs to the next event
	stray []byte // the first KB of lines that are not fields of an event
	first bool
}

func newDecoder(r io.Reader) *decoder {
	return &decoder{r: bufio.NewReaderSize(r, 32<<10), first: true}
}

// next returns the next event with data. At the end of the body it returns
// io.EOF, or io.ErrUnexpectedEOF when an event was cut off.
func (d *decoder) next() (event, error) {
	d.data, d.name, d.lines = d.data[:0], "", 0
	if d.held != nil {
		d.field(d.held)
		d.held = nil
	}
	for {
		line, err := d.line()
		if err != nil && (err != io.EOF || len(line) == 0) {
			return d.end(err)
		}
		if d.first {
			line, d.first = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), false
		}
		switch {
		case len(line) == 0:
			if d.lines > 0 {
				return event{d.name, d.data}, nil
			}
			d.name = ""
		case d.lines == 1 && bytes.HasPrefix(line, []byte("data:")) && whole(d.data):
			// Only after one line: to ask after each would take time that grows with the square.
			d.held = bytes.Clone(line)
			return event{d.name, d.data}, nil
		default:
			d.field(line)
			if len(d.data) > maxEvent {
				return event{}, errEventTooLong
			}
		}
		if err == io.EOF {
			return d.end(err)
		}
	}
}

// end returns the data read before the body ended, if it is an event.
func (d *decoder) end(err error) (event, error) {
	switch {
	case err != io.EOF || d.lines == 0:
		return event{}, err
	case whole(d.data):
		return event{d.name, d.data}, nil
	}
	return event{}, io.ErrUnexpectedEOF
}

// whole reports whether data is one complete message of the API.
func whole(data []byte) bool {
	return bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) || json.Valid(data)
}

func (d *decoder) field(line []byte) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if d.lines > 0 {
			d.data = append(d.data, '\n')
		}
		d.data, d.lines = append(d.data, value...), d.lines+1
	case "event":
		d.name = string(value)
	case "error": // llama.cpp
		d.name, d.data, d.lines = "error", append(d.data[:0], value...), 1
	case "id", "retry":
	default:
		if (!ok || len(name) > 0) && len(d.stray) < 1024 {
			d.stray = append(append(d.stray, line[:min(len(line), 1024)]...), '\n')
		}
	}
}

// line reads a line without its end. The bytes are valid until the next call.
func (d *decoder) line() ([]byte, error) {
	d.long = d.long[:0]
	for {
		part, err := d.r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			if len(d.long)+len(part) > maxEvent {
				return nil, errEventTooLong
			}
			d.long = append(d.long, part...)
			continue
		}
		if len(d.long) > 0 {
			d.long = append(d.long, part...)
			part = d.long
		}
		return bytes.TrimRight(part, "\r\n"), err
	}
}
