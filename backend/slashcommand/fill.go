package slashcommand

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mutsumi/backend/lazyregexp"
)

var place = lazyregexp.New(`\$(?:ARGUMENTS\b|[1-9])`)

// Fill returns a command's text with its arguments in the places of `$ARGUMENTS` (all, as
// they were typed) and `$1` to `$9` (one each; quotes hold one with spaces together). A
// text without such a place is followed by the arguments. What they hold is not filled in
// again.
func Fill(text, arguments string) string {
	var b strings.Builder
	var each []string
	at, filled := 0, false
	for _, m := range place.FindAllStringIndex(text, -1) {
		name := text[m[0]+1 : m[1]]
		if next := text[m[1]:]; name != "ARGUMENTS" && next != "" && next[0] >= '0' && next[0] <= '9' {
			continue // $10 is a sum of money
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

// Fields splits arguments at spaces. A quote that begins an argument and ends one holds
// what is between together; any other quote is a letter.
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

// closing returns the place of the quote that ends the argument which s begins with; 0:
// there is none.
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

// RunsShell reports whether a text has commands in the form in which Claude Code runs them
// before it sends the text: "!`command`". They are sent as they stand.
func RunsShell(text string) bool { return shell.MatchString(text) }
