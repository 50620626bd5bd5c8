// Package textsearch finds and replaces text: literally or by a regular expression, with or without
// case, anywhere or whole words only. It does not know what the text belongs to; package documents
// searches notebooks with it.
package textsearch

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
)

// maxQuery is the maximum length of a query in bytes.
const maxQuery = 4096

// Query is a person's search.
type Query struct {
	Text   string `json:"text"`
	Case   bool   `json:"case,omitempty"`   // "Mutsumi" is not found by "mutsumi"
	Word   bool   `json:"word,omitempty"`   // matches begin and end where a word does
	Regexp bool   `json:"regexp,omitempty"` // Text is a regular expression in the syntax of RE2
}

// Pattern is a query that is ready to search with.
type Pattern struct {
	query   Query
	expr    *regexp.Regexp // nil for a literal query
	literal literal
}

// Compile prepares a query. The error is Invalid for an empty or too long query, and for an invalid
// expression.
func Compile(q Query) (*Pattern, error) {
	switch {
	case q.Text == "":
		return nil, fault.New(fault.Invalid, "Type what to search for.")
	case len(q.Text) > maxQuery:
		return nil, fault.New(fault.Invalid, "Could not search: the text to search for is longer than %d bytes.", maxQuery)
	case !q.Regexp:
		return &Pattern{query: q, literal: newLiteral(q.Text, q.Case)}, nil
	}
	flags := "(?m)"
	if !q.Case {
		flags = "(?im)"
	}
	expr, err := expression(flags, q.Text)
	if err != nil {
		return nil, err
	}
	return &Pattern{query: q, expr: expr}, nil
}

// Word returns a run of ASCII letters and digits that each text with a match contains,
// in either case; "" if none is known. It lets a caller skip texts cheaply.
func (p *Pattern) Word() string {
	if p.expr != nil {
		return ""
	}
	longest := ""
	for _, word := range strings.FieldsFunc(p.query.Text, func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		// Letters of other scripts fold to these two: the Kelvin sign and the long s.
		if len(word) > len(longest) && (p.query.Case || !strings.ContainsAny(word, "kKsS")) {
			longest = word
		}
	}
	return longest
}

// Options say how a text is searched.
type Options struct {
	// Rendered: people see the text without its Markdown, so white space in the query also matches
	// marks of emphasis and code next to white space. Only for literal queries.
	Rendered bool
}

// Each calls yield with the start and end, in bytes, of each match in text, in order and
// without overlaps, until yield returns false. Empty matches are left out.
func (p *Pattern) Each(text string, o Options, yield func(from, to int) bool) {
	if p.expr != nil {
		p.submatches(text, func(m []int) bool { return yield(m[0], m[1]) })
		return
	}
	for at := 0; ; {
		from, to := p.literal.next(text, at, o.Rendered)
		switch {
		case from < 0:
			return
		case p.query.Word && !isWhole(text, from, to):
			_, n := utf8.DecodeRuneInString(text[from:])
			at = from + n
		case !yield(from, to):
			return
		default:
			at = to
		}
	}
}

// submatches calls yield with the places of each match of the expression and of its groups.
func (p *Pattern) submatches(text string, yield func(m []int) bool) {
	// Package regexp has no iterator: request all matches, but not many more at a time than a
	// caller with a limit may want.
	for done, n := 0, 1000; ; n *= 8 {
		found := p.expr.FindAllStringSubmatchIndex(text, n)
		for _, m := range found[done:] {
			if m[0] == m[1] || p.query.Word && !isWhole(text, m[0], m[1]) {
				continue
			}
			if !yield(m) {
				return
			}
		}
		if done = len(found); done < n {
			return
		}
	}
}

// Replace returns text with its matches replaced, and their number. In the replacement of a regular
// expression, $1 and ${name} are its groups, $& is the match, $$ a dollar sign, \n a new line, \t a
// tab and \\ a backslash; other characters, and groups that the expression does not have, are
// literal. The replacement of a literal query is literal. only is the byte offset of the one match
// to replace; -1 replaces all.
func (p *Pattern) Replace(text, with string, only int) (string, int) {
	var out strings.Builder
	rest, n := 0, 0
	put := func(from, to int, write func()) {
		if only < 0 || from == only {
			out.WriteString(text[rest:from])
			write()
			rest = to
			n++
		}
	}
	if p.expr != nil {
		p.submatches(text, func(m []int) bool {
			put(m[0], m[1], func() { p.expand(&out, with, text, m) })
			return true
		})
	} else {
		p.Each(text, Options{}, func(from, to int) bool {
			put(from, to, func() { out.WriteString(with) })
			return true
		})
	}
	if n == 0 {
		return text, 0
	}
	out.WriteString(text[rest:])
	return out.String(), n
}

// stands matches the special characters of a replacement.
var stands = lazyregexp.New(`\$\$|\$&|\$[0-9]+|\$\{\w+\}|\\[nt\\]`)

// expand writes the replacement of the match m of text.
func (p *Pattern) expand(out *strings.Builder, with, text string, m []int) {
	done := 0
	for _, at := range stands.FindAllStringIndex(with, -1) {
		out.WriteString(with[done:at[0]])
		done = at[1]
		sign := with[at[0]:at[1]]
		switch sign {
		case "$$", `\\`:
			out.WriteByte(sign[1])
			continue
		case `\n`:
			out.WriteByte('\n')
			continue
		case `\t`:
			out.WriteByte('\t')
			continue
		}
		group := p.group(strings.Trim(sign, "${}"))
		switch {
		case group < 0:
			out.WriteString(sign)
		case m[2*group] >= 0:
			out.WriteString(text[m[2*group]:m[2*group+1]])
		}
	}
	out.WriteString(with[done:])
}

// group returns the number of a group of the expression, by its number or name; -1 if it
// has none.
func (p *Pattern) group(name string) int {
	if name == "&" {
		return 0
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n > p.expr.NumSubexp() {
			return -1
		}
		return n
	}
	return p.expr.SubexpIndex(name)
}

// isWhole reports whether text[from:to] does not begin or end inside a word. Scripts that
// are written without spaces have no such places.
func isWhole(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	first, _ := utf8.DecodeRuneInString(text[from:])
	last, _ := utf8.DecodeLastRuneInString(text[:to])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after))
}

func inWord(r rune) bool {
	if r == '_' || unicode.IsDigit(r) {
		return true
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
