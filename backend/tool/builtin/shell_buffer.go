package builtin

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/lock"
	"mutsumi/backend/tool"
)

// Limits for the kept output of one command, in bytes.
const (
	keepRaw  = 1 << 20   // for the screen
	keepText = 256 << 10 // for the model, in memory
	keepFile = 64 << 20  // in the scratch folder
)

// buffer keeps the output of a command: raw for the screen, and as plain text for the model. It is
// bounded; the excess goes to a file, and beyond that is only counted.
type buffer struct {
	scratch string // "" keeps no file
	spillAt int    // bytes of text from which a file is written

	mu      lock.Mutex
	raw     []byte // the last of it
	rawEnd  int64  // bytes that came
	plain   stripper
	head    []byte // the first of the text, spillAt bytes at most
	tail    []byte // the last of it
	textEnd int64  // bytes of text that came
	file    *os.File
	path    string
	written int64
	lost    string // why the file does not hold everything
	closed  bool   // nothing more comes
	grown   chan struct{}
}

func newBuffer(scratch string, limit tool.Limit) *buffer {
	return &buffer{scratch: scratch, spillAt: limit.Bytes, grown: make(chan struct{})}
}

// Write takes output. It never fails.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rawEnd += int64(len(p))
	b.raw = keepLast(b.raw, p, keepRaw)
	b.takeText(b.plain.feed(p))
	close(b.grown)
	b.grown = make(chan struct{})
	return len(p), nil
}

func (b *buffer) takeText(text []byte) {
	if len(text) == 0 {
		return
	}
	b.textEnd += int64(len(text))
	if room := b.spillAt - len(b.head); room > 0 {
		b.head = append(b.head, text[:min(room, len(text))]...)
	}
	before := b.tail
	b.tail = keepLast(b.tail, text, keepText)
	switch {
	case b.scratch == "" || b.lost != "":
	case b.file != nil:
		b.toFile(text)
	case b.textEnd > int64(b.spillAt):
		b.open()
		b.toFile(before) // everything: the file begins before anything is dropped
		b.toFile(text)
	}
}

// keepLast appends p to s and drops the front beyond most bytes, seldom
// enough to be cheap.
func keepLast(s, p []byte, most int) []byte {
	if len(p) >= most {
		return append(s[:0], p[len(p)-most:]...)
	}
	if len(s)+len(p) > 2*most {
		n := copy(s, s[len(s)-most:])
		s = s[:n]
	}
	return append(s, p...)
}

func (b *buffer) open() {
	if err := os.MkdirAll(b.scratch, 0o700); err != nil {
		b.lost = err.Error()
		return
	}
	b.path = filepath.Join(b.scratch, "shell-"+strings.ToLower(rand.Text()[:10])+".txt")
	f, err := os.OpenFile(b.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		b.lost = err.Error()
		return
	}
	b.file = f
}

func (b *buffer) toFile(p []byte) {
	if b.file == nil || len(p) == 0 {
		return
	}
	if b.written+int64(len(p)) > keepFile {
		p = p[:max(0, keepFile-b.written)]
		b.lost = fmt.Sprintf("only its first %d MB", keepFile>>20)
	}
	n, err := b.file.Write(p)
	b.written += int64(n)
	if err != nil {
		b.lost = err.Error()
	}
	if b.lost != "" {
		b.file.Close()
		b.file = nil
	}
}

// close ends the text and adds the rest of the last line.
func (b *buffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.takeText(b.plain.flush())
	if b.file != nil {
		b.file.Close()
		b.file = nil
	}
	close(b.grown)
	b.grown = make(chan struct{})
}

// report is the output for a model: all of it, or the beginning and the end with the name of the
// file that holds everything.
func (b *buffer) report(l tool.Limit) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.textEnd <= int64(len(b.tail)) && tool.Cut(string(b.tail), l) == len(b.tail) {
		return strings.ToValidUTF8(string(b.tail), "\uFFFD")
	}
	first := tool.Cut(string(b.head), tool.Limit{Bytes: l.Bytes / 4, Lines: l.Lines / 4})
	last := lastLines(b.tail, l.Bytes-l.Bytes/4, l.Lines-l.Lines/4)
	left := b.textEnd - int64(first) - int64(len(last))
	note := fmt.Sprintf("[%d bytes of output are left out here.", left)
	switch {
	case b.path == "":
	case b.lost != "":
		note += fmt.Sprintf(" %s holds %d bytes of it (%s).", b.path, b.written, b.lost)
	default:
		note += " All of it is in " + b.path + ": read it in ranges or grep it."
	}
	return strings.ToValidUTF8(strings.TrimRight(string(b.head[:first]), "\n")+"\n"+note+"]\n"+string(last), "\uFFFD")
}

// lastLines is the end of s in whole lines, within the limits.
func lastLines(s []byte, bytes, lines int) []byte {
	from := max(0, len(s)-bytes)
	if from > 0 {
		if i := strings.IndexByte(string(s[from:]), '\n'); i >= 0 && i+1 < len(s)-from {
			from += i + 1
		}
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
	}
	n := 0
	for i := len(s) - 2; i >= from; i-- {
		if s[i] == '\n' {
			if n++; n >= lines {
				return s[i+1:]
			}
		}
	}
	return s[from:]
}

// text returns at most `most` bytes of plain text from an offset, and the offset after them. A
// negative offset means the end. A note replaces dropped text.
func (b *buffer) text(from int64, most int) (string, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	begin := b.textEnd - int64(len(b.tail))
	note := ""
	switch {
	case from < 0:
		from = max(begin, b.textEnd-int64(most))
		if from > 0 {
			note = fmt.Sprintf("[%d bytes before this are not shown]\n", from)
		}
	case from > b.textEnd:
		from = b.textEnd
	case from < begin:
		note = fmt.Sprintf("[%d bytes before this are not kept]\n", begin-from)
		if b.path != "" {
			note = fmt.Sprintf("[%d bytes before this are in %s]\n", begin-from, b.path)
		}
		from = begin
	}
	end := min(b.textEnd, from+int64(most))
	text := note + string(b.tail[from-begin:end-begin])
	if end == b.textEnd && len(b.plain.line) > 0 {
		text += string(b.plain.line) + " [this line continues]"
	}
	return strings.ToValidUTF8(text, "\uFFFD"), end
}

// since returns raw output from an offset on, at most `most` bytes (0: all that is kept), and where
// the next begins. No character is split.
func (b *buffer) since(from int64, most int) (raw string, begin, end int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.rawEnd - int64(len(b.raw))
	begin = min(max(from, first), b.rawEnd)
	rest := b.raw[begin-first:]
	n := len(rest)
	for len(rest) > 0 && n-len(rest) < utf8.UTFMax && !utf8.RuneStart(rest[0]) {
		rest = rest[1:]
	}
	begin += int64(n - len(rest))
	if most > 0 && len(rest) > most {
		rest = rest[:most]
	}
	if whole := wholeRunes(rest); !b.closed || begin+int64(len(rest)) < b.rawEnd {
		rest = rest[:whole]
	}
	return strings.ToValidUTF8(string(rest), "\uFFFD"), begin, begin + int64(len(rest))
}

// wholeRunes is how long s is without a character at its end that is not all
// there yet.
func wholeRunes(s []byte) int {
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(s[i]) {
			if utf8.FullRune(s[i:]) {
				return len(s)
			}
			return i
		}
	}
	return len(s)
}

// size is how many bytes of text have arrived, and a channel that closes when more arrives.
func (b *buffer) size() (int64, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.textEnd, b.grown
}

// rawSize is how many bytes have arrived.
func (b *buffer) rawSize() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rawEnd
}
