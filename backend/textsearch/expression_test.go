package textsearch

import (
	"strings"
	"testing"
)

// Every mistake is said in a sentence of the program, with the part of the expression that is wrong.
func TestWrongExpressions(t *testing.T) {
	deep := strings.Repeat("(", 1001) + strings.Repeat(")", 1001)
	for text, want := range map[string]string{
		"(a":                           "a “(” is not closed in “(a”.",
		"a)":                           "a “)” closes nothing in “a)”.",
		"a[b":                          "a “[” is not closed in “[b”.",
		"[z-a]":                        "“z-a” is no known class or range of characters.",
		`\p{Nobody}`:                   `“\p{Nobody}” is no known class or range of characters.`,
		`a\y`:                          `“\y” has no meaning.`,
		`a\`:                           "it ends with a single backslash.",
		"(?P<1 a>b)":                   "“(?P<1 a>” is no name for a group",
		"a(?=b)":                       "a group that begins with “(?=” is not supported.",
		"*a":                           "there is nothing before “*” to repeat.",
		"a**":                          "“**” repeats what is repeated already.",
		"a{2,1}":                       "“{2,1}” repeats too often, or counts down.",
		"a\xff":                        "it is not valid Unicode text.",
		deep:                           "it is too large.",
		"((a{100}){100})":              "“{100}” repeats too often, or counts down.",
		"(" + strings.Repeat("b", 200): "a “(” is not closed in “(" + strings.Repeat("b", 20),
	} {
		for _, whole := range []bool{false, true} {
			_, err := Compile(Query{Text: text, Regexp: true, Case: whole})
			if err == nil || !strings.HasPrefix(err.Error(), "Could not read the regular expression: "+want) || len(err.Error()) > 300 {
				t.Errorf("%.30q: %v, want %q", text, err, want)
			} else if strings.Contains(err.Error(), "(?i") || strings.Contains(err.Error(), "(?m") {
				t.Errorf("%.30q: it shows flags that nobody typed: %v", text, err)
			}
		}
	}
}
