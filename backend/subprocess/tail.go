package subprocess

import (
	"slices"
	"strings"

	"mutsumi/backend/lock"
)

// maxTail is how many bytes of a log are kept.
const maxTail = 64 << 10

// Tail keeps the end of what is written to it. Writing never blocks and never fails. The
// zero value is empty; it is safe for concurrent use.
type Tail struct {
	mu   lock.Mutex
	text []byte
	cut  bool
}

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > maxTail {
		p, t.cut = p[len(p)-maxTail:], true
	}
	t.text = append(t.text, p...)
	if len(t.text) > 2*maxTail {
		t.text, t.cut = append([]byte{}, t.text[len(t.text)-maxTail:]...), true
	}
	return n, nil
}

// Text returns the last lines; a line that was cut off at the start is dropped.
func (t *Tail) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, cut := t.text, t.cut
	if len(text) > maxTail {
		text, cut = text[len(text)-maxTail:], true
	}
	s := strings.ToValidUTF8(string(text), "\uFFFD")
	if cut {
		if _, rest, found := strings.Cut(s, "\n"); found {
			s = rest
		}
	}
	return s
}

// trouble are words, in lower case, of lines that report an error.
var trouble = []string{"error", "exception", "panic", "fatal", "cannot", "could not", "denied", "not found", "no such", "usage"}

// Telling returns the line that best explains why the process ended, "" for none: the last one that
// reports an error, otherwise the last one. JavaScript programs print a stack trace and their version
// after it.
func (t *Tail) Telling() (line string, isLast bool) {
	const looked = 40 // lines
	lines := strings.Split(strings.TrimSpace(t.Text()), "\n")
	lines = lines[max(0, len(lines)-looked):]
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		if strings.HasPrefix(l, "at ") || strings.HasPrefix(l, "throw ") {
			continue
		}
		if small := strings.ToLower(l); slices.ContainsFunc(trouble, func(word string) bool { return strings.Contains(small, word) }) {
			return l, i == len(lines)-1
		}
	}
	line = strings.TrimSpace(lines[len(lines)-1])
	return line, line != ""
}
