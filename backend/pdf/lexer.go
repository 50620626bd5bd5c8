package pdf

import "math"

// lexer reads the tokens of a PDF file. Every byte that it passes is a step.
type lexer struct {
	b     []byte
	i     int
	steps *int
}

// token is one word of a file.
type token byte

const (
	end        token = iota
	openDict         // <<
	closeDict        // >>
	openArray        // [
	closeArray       // ]
	aName            // /Name
	aNumber          // 12, -1.5
	aString          // (text), <68>
	aWord            // R, obj, stream, true
)

// next returns the next token and its text, without the slash of a name; end if there is none, or
// no step is left.
func (l *lexer) next() (token, []byte) {
	from := l.i
	t, text := l.read()
	*l.steps -= l.i - from + 1
	if *l.steps <= 0 {
		return end, nil
	}
	return t, text
}

func (l *lexer) read() (token, []byte) {
	l.space()
	if l.i >= len(l.b) {
		return end, nil
	}
	from := l.i
	c := l.b[from]
	l.i++
	switch c {
	case '<':
		if l.i < len(l.b) && l.b[l.i] == '<' {
			l.i++
			return openDict, nil
		}
		for l.i < len(l.b) && l.b[l.i] != '>' {
			l.i++
		}
		l.i = min(l.i+1, len(l.b))
		return aString, nil
	case '>':
		if l.i < len(l.b) && l.b[l.i] == '>' {
			l.i++
			return closeDict, nil
		}
		return aWord, l.b[from:l.i]
	case '[':
		return openArray, nil
	case ']':
		return closeArray, nil
	case '(':
		l.text()
		return aString, nil
	case '/':
		l.regular()
		return aName, l.b[from+1 : l.i]
	case ')', '{', '}':
		return aWord, l.b[from:l.i]
	}
	l.regular()
	if isDigit(c) || c == '-' || c == '+' || c == '.' {
		return aNumber, l.b[from:l.i]
	}
	return aWord, l.b[from:l.i]
}

// space skips spaces and comments.
func (l *lexer) space() {
	for l.i < len(l.b) {
		switch c := l.b[l.i]; {
		case isSpace(c):
			l.i++
		case c == '%':
			for l.i < len(l.b) && l.b[l.i] != '\n' && l.b[l.i] != '\r' {
				l.i++
			}
		default:
			return
		}
	}
}

// text skips to the end of a text in parentheses, which balance or are escaped.
func (l *lexer) text() {
	for depth := 1; l.i < len(l.b) && depth > 0; l.i++ {
		switch l.b[l.i] {
		case '\\':
			l.i++
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	l.i = min(l.i, len(l.b))
}

// regular skips letters, digits and other word characters.
func (l *lexer) regular() {
	for l.i < len(l.b) && !isSpace(l.b[l.i]) && !isDelimiter(l.b[l.i]) {
		l.i++
	}
}

// word reports whether that word is next, and skips it if so.
func (l *lexer) word(want string) bool {
	before := l.i
	if t, text := l.next(); t == aWord && string(text) == want {
		return true
	}
	l.i = before
	return false
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// whole reads a non-negative integer; -1 if it is not one.
func whole(text []byte) int {
	if len(text) == 0 || len(text) > 10 {
		return -1
	}
	n := 0
	for _, c := range text {
		if !isDigit(c) {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// objectNumber reads the number of an object; 0 if it is not one.
func objectNumber(text []byte) uint32 {
	if n := whole(text); n > 0 && int64(n) <= math.MaxUint32 {
		return uint32(n)
	}
	return 0
}
