package slashcommand

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mutsumi/backend/lazyregexp"
)

var place = lazyregexp.New(`\$(?:ARGUMENTS\b|[1-9])`)

// Fill inserts arguments into a command's text: all of them as typed for `$ARGUMENTS`, single ones
// for `$1` to `$9` (quotes hold words together). If the text has no such place, the arguments are
// appended. Inserted arguments are not filled in again.
func Fill(text, arguments string) string {
	var b strings.Builder
	var each []string
	at, filled := 0, false
	for _, m := range place.FindAllStringIndex(text, -1) {
		name := text[m[0]+1 : m[1]]
		if next := text[m[1]:]; name != "ARGUMENTS" && next != "" && next[0] >= '0' && next[0] <= '9' {
			continue // $10 is an amount of money
		}
		b.WriteString(text[at:m[0]])
		at, filled = m[1], true
		if name == "ARGUMENTS" {
			b.WriteString(arguments)
			continue
		}
		if each == nil {
			each = Fields(arguments)
		}
		if n := int(name[0] - '1'); n < len(each) {
			b.WriteString(each[n])
		}
	}
	b.WriteString(text[at:])
	if !filled && arguments != "" {
		b.WriteString("\n\n" + arguments)
	}
	return b.String()
}

// Fields splits arguments at spaces. Quotes around a whole argument keep its spaces; any other
// quote is an ordinary character.
func Fields(s string) (all []string) {
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		if s == "" {
			return all
		}
		if s[0] == '"' || s[0] == '\'' {
			if n := closing(s); n > 0 {
				all = append(all, s[1:n])
				s = s[n+1:]
				continue
			}
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		all = append(all, s[:end])
		s = s[end:]
	}
}

// closing returns the index of the quote that ends the argument at the start of s; 0: there is
// none.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s[i+1:]); i+1 == len(s) || unicode.IsSpace(r) {
			return i
		}
	}
	return 0
}

var shell = lazyregexp.New("(?m)(?:^|[ \t])!`[^`\n]+`|^[ \t]*```!")

// RunsShell reports whether a text contains commands that Claude Code would run before sending:
// "!`command`". They are sent unchanged.
func RunsShell(text string) bool { return shell.MatchString(text) }
