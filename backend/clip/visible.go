package clip

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible spells out characters that are invisible, or change how the rest is read: <U+202E>. Line
// breaks and tabs stay, as do marks that letters and pictures need. It is for text from elsewhere
// that a model or a person reads.
func Visible(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&out, "<%U>", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// VisibleLine is Visible as one line of at most maxRunes characters.
func VisibleLine(s string, maxRunes int) string {
	return Line(Visible(Bytes(s, 16*maxRunes)), maxRunes)
}

func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d': // the last two join letters and pictures
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) && r != '\ufe0f'
}
