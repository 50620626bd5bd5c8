package tool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mutsumi/backend/clip"
)

// Limit limits what one result adds to the conversation. Zero fields mean those of DefaultLimit.
type Limit struct {
	Bytes int
	Lines int
}

// DefaultLimit keeps a result readable for a model and cheap to send again.
var DefaultLimit = Limit{Bytes: 32 << 10, Lines: 2000}

// Or fills the fields of l that are zero from DefaultLimit.
func (l Limit) Or() Limit {
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimit.Bytes
	}
	if l.Lines <= 0 {
		l.Lines = DefaultLimit.Lines
	}
	return l
}

// limited cuts long output at the end of a line, writes all of it to a file in the scratch folder
// and names that file.
func (e Env) limited(name, s string) string {
	cut := Cut(s, e.Limit.Or())
	if cut == len(s) {
		return s
	}
	lines := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		lines++
	}
	shown := strings.TrimRight(s[:cut], "\n")
	head := fmt.Sprintf("%s\n\n[Output cut: %d of %d bytes and %d of %d lines are shown.", shown, len(shown), len(s), strings.Count(shown, "\n")+1, lines)
	if e.Scratch == "" {
		return head + " Ask for less at a time.]"
	}
	file, err := spill(e.Scratch, name, s)
	if err != nil {
		return head + " The rest could not be kept: " + err.Error() + "]"
	}
	return fmt.Sprintf("%s All of it is in %s: read it in ranges or grep it.]", head, file)
}

// Cut is the length of the longest beginning of s within the limit that ends
// at a line's end, or at a character's if the first line alone is too long.
func Cut(s string, l Limit) int {
	end := 0
	for n := 0; n < l.Lines && end < len(s); n++ {
		next := strings.IndexByte(s[end:], '\n')
		if next < 0 {
			next = len(s)
		} else {
			next += end + 1
		}
		if next > l.Bytes {
			if end == 0 {
				end = len(clip.Bytes(s, l.Bytes))
			}
			return end
		}
		end = next
	}
	return end
}

// Keep writes output to a new file in the scratch folder, which the agent can
// read, and returns its absolute path. Without such a folder it is an error.
func (e Env) Keep(name, s string) (file string, err error) {
	if e.Scratch == "" {
		return "", errors.New("there is no folder for long output")
	}
	return spill(e.Scratch, name, s)
}

// spill writes output to a new file that only the person can read. The name is random, so that
// nobody can put a link there first.
func spill(folder, name, s string) (string, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(folder, fmt.Sprintf("%s-%s.txt", name, strings.ToLower(rand.Text()[:10])))
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(s)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(file)
		return "", err
	}
	return file, nil
}
