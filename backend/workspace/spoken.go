package workspace

import (
	"strings"
	"unicode"
)

// spoken makes text of a model or a file fit for a line elsewhere: without
// control characters, line breaks and marks that turn the direction of
// writing, and no longer than so many characters.
func spoken(s string, most int) string {
	s = firstPart(s, 16*most)
	s = strings.ToValidUTF8(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Co, r), r == '\u200b', r == '\ufeff':
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		s = strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}
