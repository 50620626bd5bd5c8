// Package clip shortens text for a line of the interface, a message or a log. Its input may come
// from a model or a file: invalid UTF-8 is removed.
package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bytes returns the first maxBytes bytes of s at most, ending between two
// characters.
func Bytes(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	for maxBytes > 0 && !utf8.RuneStart(s[maxBytes]) {
		maxBytes--
	}
	return s[:maxBytes]
}

// Text is Bytes with "..." after a cut.
func Text(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	return strings.ToValidUTF8(Bytes(s, maxBytes), "") + "..."
}

// OneLine returns s with every run of white space replaced by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Line is OneLine, cut to maxRunes characters, the last of which is then "…". Its cost does not
// grow with the length of s.
func Line(s string, maxRunes int) string {
	s = OneLine(strings.ToValidUTF8(Bytes(s, 16*maxRunes), ""))
	if runes := []rune(s); len(runes) > maxRunes {
		s = strings.TrimRight(string(runes[:maxRunes-1]), " ") + "…"
	}
	return s
}

// Plain is Line without control characters, private characters and marks
// that change the direction of writing or cannot be seen.
func Plain(s string, maxRunes int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Co, r), r == '\u200b', r == '\ufeff':
			return -1
		}
		return r
	}, strings.ToValidUTF8(Bytes(s, 16*maxRunes), ""))
	return Line(s, maxRunes)
}

// Sentence is the first line of s as a plain sentence: Plain, with a full stop
// where no mark ends it. It is empty for an empty line.
func Sentence(s string, maxRunes int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = Plain(line, maxRunes)
	if line == "" || strings.ContainsAny(line[len(line)-1:], ".!?") || strings.HasSuffix(line, "…") {
		return line
	}
	return line + "."
}

// Slug is s as a name for a file, a branch or an id: the ASCII letters and
// digits of s in lower case, with "-" between groups of them, at most maxBytes
// long. It is empty where s has none.
func Slug(s string, maxBytes int) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxBytes {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
