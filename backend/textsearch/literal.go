package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// literal finds a text as it is, or in any case. Package regexp does the same some ten
// times slower when the case does not count.
type literal struct {
	runes [][]rune // of the query: the forms of each in either case; one form when the case counts
	first []string // the forms of the first, as text
}

func newLiteral(text string, exact bool) literal {
	var l literal
	for _, r := range text {
		forms := []rune{r}
		for f := unicode.SimpleFold(r); f != r && !exact; f = unicode.SimpleFold(f) {
			forms = append(forms, f)
		}
		l.runes = append(l.runes, forms)
	}
	for _, r := range l.runes[0] {
		l.first = append(l.first, string(r))
	}
	return l
}

// next returns the first match at or after at; -1 if there is none.
func (l literal) next(text string, at int, rendered bool) (from, to int) {
	if unicode.IsSpace(l.runes[0][0]) && rendered {
		for i := at; i < len(text); {
			if to := l.match(text, i, true); to >= 0 {
				return i, to
			}
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		}
		return -1, -1
	}
	var ahead [4]int // where each form of the first rune comes next; of none is found, len(text)
	forms := l.first[:min(len(l.first), len(ahead))]
	find := func(i, from int) {
		ahead[i] = len(text)
		if j := strings.Index(text[from:], forms[i]); j >= 0 {
			ahead[i] = from + j
		}
	}
	for i := range forms {
		find(i, at)
	}
	for {
		best := 0
		for i := range forms {
			if ahead[i] < ahead[best] {
				best = i
			}
		}
		from = ahead[best]
		if from == len(text) {
			return -1, -1
		}
		if to := l.match(text, from, rendered); to >= 0 {
			return from, to
		}
		find(best, from+len(forms[best]))
	}
}

// match returns the end of a match that begins at from; -1 if none does.
func (l literal) match(text string, from int, rendered bool) int {
	at := from
	for i := 0; i < len(l.runes); i++ {
		forms := l.runes[i]
		if rendered && unicode.IsSpace(forms[0]) {
			for i+1 < len(l.runes) && unicode.IsSpace(l.runes[i+1][0]) {
				i++
			}
			n := gap(text[at:])
			if n == 0 {
				return -1
			}
			at += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[at:])
		if n == 0 || r == utf8.RuneError && n == 1 || !isForm(r, forms) {
			return -1
		}
		at += n
	}
	return at
}

func isForm(r rune, forms []rune) bool {
	for _, f := range forms {
		if r == f {
			return true
		}
	}
	return false
}

// gap returns the length of the white space at the start of text, including Markdown marks in and
// next to it; 0 if there is no white space.
func gap(text string) int {
	spaces := 0
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			spaces++
		case !strings.ContainsRune("*_`~", r):
			if spaces == 0 {
				return 0
			}
			return i
		}
	}
	if spaces == 0 {
		return 0
	}
	return len(text)
}
