package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"mutsumi/backend/clip"
	"mutsumi/backend/subprocess"
)

// maxLine is the longest request or response of an agent that is read, in bytes: that of the SDK.
const maxLine = 10<<20 - 1

var errTooLong = fmt.Errorf("it sent a message of more than %d MB", (maxLine+1)>>20)

// lines are the messages of an agent on their way to the SDK. Notifications stop here: note gets
// them in order, before anything that was sent later. The SDK would queue them, take requests out
// of their order, and break off if too many came at once.
type lines struct {
	from    *bufio.Reader
	ready   <-chan struct{} // closed when the SDK is set up
	note    func(method string, params json.RawMessage)
	log     io.Writer   // gets what is not a message
	refused func(error) // gets the reason why reading ended
	rest    []byte      // of the current message
	failed  error
}

func newLines(from io.Reader, l lines) *lines {
	l.from = bufio.NewReaderSize(from, 64<<10)
	return &l
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	<-l.ready
	for len(l.rest) == 0 {
		if l.failed != nil {
			return 0, l.failed
		}
		line, err := l.from.ReadBytes('\n')
		if l.failed = err; len(bytes.TrimSpace(line)) == 0 || !l.passes(line) {
			continue
		}
		if len(line) > maxLine {
			l.refused(errTooLong)
			return 0, errTooLong
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// passes reports whether a message is for the SDK.
func (l *lines) passes(line []byte) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		io.WriteString(l.log, clip.Text(string(line[:min(len(line), 1<<10)]), 500)+"\n")
		return false
	}
	if m.Method == "" || len(m.ID) > 0 && string(m.ID) != "null" || m.Method == "$/cancel_request" {
		return true
	}
	l.note(m.Method, m.Params)
	return false
}

// reader returns the messages of a process for the SDK.
func reader(p *subprocess.Process, l lines) io.Reader { return newLines(p.Reader(l.refused), l) }
