package builtin

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// match finds and shows the matching lines of a text.
func (s *search) match(data []byte) foundFile {
	var out foundFile
	if bytes.Contains(data, crlf) {
		data = bytes.ReplaceAll(data, crlf, newline)
	}
	if s.names {
		for off := 0; ; out.matches++ {
			_, end, _, ok := s.finder.next(data, off)
			if !ok {
				return out
			}
			off = end + 1
		}
	}
	var b strings.Builder
	number := 1  // of the line at counted
	counted := 0 // start of the line with that number
	shown := 0   // everything before this offset has been shown or passed
	pending := 0 // context lines still due after the last match
	after := func(until int) {
		for ; pending > 0 && shown < until; pending-- {
			end := lineEnd(data, shown)
			number += bytes.Count(data[counted:shown], newline)
			counted = shown
			fmt.Fprintf(&b, "%d-%s\n", number, trimLine(data[shown:end], 0))
			shown = min(end+1, len(data))
		}
	}
	for off := 0; off <= len(data); {
		start, end, at, ok := s.finder.next(data, off)
		if !ok {
			break
		}
		if out.matches == s.limit {
			out.more = true
			break
		}
		after(start)
		first := start
		for i := 0; i < s.context && first > shown; i++ {
			first = lineStart(data, first-1)
		}
		if s.context > 0 && first > shown && out.matches > 0 {
			b.WriteString("--\n")
		}
		number += bytes.Count(data[counted:first], newline)
		counted = first
		for counted < start {
			e := lineEnd(data, counted)
			fmt.Fprintf(&b, "%d-%s\n", number, trimLine(data[counted:e], 0))
			number++
			counted = e + 1
		}
		fmt.Fprintf(&b, "%d:%s\n", number, trimLine(data[start:end], at-start))
		out.matches++
		out.ends = append(out.ends, b.Len())
		pending = s.context
		shown = min(end+1, len(data))
		off = end + 1
	}
	after(len(data))
	out.text = b.String()
	return out
}

var newline, crlf = []byte("\n"), []byte("\r\n")

func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(data)
}

// trimLine shows a line, of a very long one the part around the match.
func trimLine(line []byte, at int) string {
	const most, before = 400, 120
	if len(line) <= most {
		return string(line)
	}
	from := max(0, at-before)
	to := min(len(line), from+most)
	s := strings.ToValidUTF8(string(line[from:to]), "")
	if from > 0 {
		s = "..." + s
	}
	if to < len(line) {
		s += fmt.Sprintf("... [line of %d bytes]", len(line))
	}
	return s
}

// finder finds lines that match. Texts without anything special are looked
// for as bytes, which is many times faster.
type finder struct {
	expr       string
	ignoreCase bool

	literal []byte
	whole   *regexp.Regexp // over many lines: finds candidates; nil: look at every line
	line    *regexp.Regexp // decides about one line
}

func newFinder(expr string, ignoreCase bool) (*finder, error) {
	if _, err := syntax.Parse(expr, syntax.Perl); err != nil { // without our group around it
		return nil, err
	}
	flags := ""
	if ignoreCase {
		flags = "i"
	}
	line, err := regexp.Compile("(?" + flags + ":" + expr + ")")
	if err != nil {
		return nil, err
	}
	f := &finder{expr: expr, ignoreCase: ignoreCase, line: line}
	if prefix, complete := line.LiteralPrefix(); complete && prefix != "" && !strings.Contains(prefix, "\n") {
		f.literal = []byte(prefix)
		return f, nil
	}
	if !strings.Contains(expr, `\A`) && !strings.Contains(expr, `\z`) {
		f.whole, err = regexp.Compile("(?m" + flags + ":" + expr + ")")
	}
	return f, err
}

// next finds the first matching line at or after off, which is the start of a
// line: its bounds without the line break, and where in data the match is.
func (f *finder) next(data []byte, off int) (start, end, at int, ok bool) {
	for off < len(data) {
		switch {
		case f.literal != nil:
			i := bytes.Index(data[off:], f.literal)
			if i < 0 {
				return 0, 0, 0, false
			}
			at = off + i
			return lineStart(data, at), lineEnd(data, at), at, true
		case f.whole != nil:
			// A match over several lines starts no later than the first line
			// that matches alone: look at the line where it starts, then continue.
			m := f.whole.FindIndex(data[off:])
			if m == nil {
				return 0, 0, 0, false
			}
			at = off + m[0]
			if at >= len(data) {
				return 0, 0, 0, false
			}
			start, end = lineStart(data, at), lineEnd(data, at)
		default:
			start, end = off, lineEnd(data, off)
		}
		if m := f.line.FindIndex(data[start:end]); m != nil {
			return start, end, start + m[0], true
		}
		off = end + 1
	}
	return 0, 0, 0, false
}
