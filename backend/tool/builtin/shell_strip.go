package builtin

import "unicode/utf8"

// stripper removes from a terminal's output what is not text: escape sequences, control characters,
// and overwritten text of a line (progress bars). It accepts output in pieces, cut anywhere.
type stripper struct {
	line   []byte
	state  int
	params []byte // of a control sequence, if relevant
	behind bool   // the cursor is back at the start of the line: the following text redraws it
}

// The states: in text, after an escape, in a control sequence, in a string that ends with BEL or
// ESC \, after the escape in such a string, and before the one character that names a character
// set.
const (
	inText = iota
	inEscape
	inControl
	inString
	inStringEscape
	inCharset
)

// maxLine bounds a line that does not end.
const maxLine = 64 << 10

// feed takes a piece and returns the lines that are complete.
func (s *stripper) feed(p []byte) (text []byte) {
	for _, c := range p {
		switch s.state {
		case inText:
			text = s.plain(text, c)
		case inEscape:
			switch c {
			case '[':
				s.state, s.params = inControl, s.params[:0]
			case ']', 'P', 'X', '^', '_':
				s.state = inString
			case '(', ')', '*', '+', '#', '%', ' ':
				s.state = inCharset
			default:
				s.state = inText
			}
		case inControl:
			if c >= 0x40 && c <= 0x7E {
				s.state = inText
				s.control(c)
			} else if c == 0x1B {
				s.state = inEscape
			} else if len(s.params) < 4 {
				s.params = append(s.params, c)
			}
		case inString:
			switch c {
			case 0x07:
				s.state = inText
			case 0x1B:
				s.state = inStringEscape
			case '\n': // it was not a string after all: lose only the line
				s.state = inText
				text = s.plain(text, c)
			}
		case inStringEscape:
			s.state = inText
			if c != '\\' {
				s.state = inString
			}
		case inCharset:
			s.state = inText
		}
	}
	return text
}

// control handles a control sequence: those that redraw a line, as spinners do, act like a carriage
// return.
func (s *stripper) control(final byte) {
	switch p := string(s.params); {
	case final == 'G' && (p == "" || p == "0" || p == "1"):
		s.behind = true
	case final == 'K' && p == "2":
		s.line, s.behind = s.line[:0], false
	}
}

func (s *stripper) plain(text []byte, c byte) []byte {
	switch {
	case c == 0x1B:
		s.state = inEscape
		return text
	case c == '\n':
		text = append(append(text, s.line...), '\n')
		s.line, s.behind = s.line[:0], false
		return text
	case c == '\r':
		s.behind = true
		return text
	case c == '\b':
		if n := len(s.line); n > 0 {
			_, size := utf8.DecodeLastRune(s.line)
			s.line = s.line[:n-size]
		}
		return text
	case c < 0x20 && c != '\t' || c == 0x7F:
		return text
	}
	if s.behind {
		s.line, s.behind = s.line[:0], false
	}
	s.line = append(s.line, c)
	if len(s.line) >= maxLine {
		text = append(text, s.line...)
		s.line = s.line[:0]
	}
	return text
}

// flush returns the rest of the last line.
func (s *stripper) flush() []byte {
	text := append([]byte(nil), s.line...)
	s.line = s.line[:0]
	return text
}
