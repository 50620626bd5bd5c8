package glob

import (
	"regexp"
	"strings"
	"testing"
)

func same(pattern, name string) bool { return pattern == "*" || pattern == name }

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a", false}, {"a", "a/b", false}, {"*", "a/b", false},
		{"**", "a", true}, {"**", "a/b/c", true}, {"a/**", "a", true}, {"a/**", "a/b/c", true}, {"a/**", "b/a", false},
		{"**/a", "a", true}, {"**/a", "b/c/a", true}, {"**/a", "a/b", false},
		{"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true}, {"a/**/b", "a/b/c", false},
		{"**/a/**/b", "x/a/y/a/b", true}, {"**/**", "a", true}, {"**/**/a", "a", true}, {"**/*", "a/b", true},
		{"a/", "a/", true}, {"a", "a/", false}, {"", "", true}, {"a", "", false}, {"**", "", true},
	} {
		if got := Match(strings.Split(c.pattern, "/"), c.name, same); got != c.want {
			t.Errorf("%q for %q: %v", c.pattern, c.name, got)
		}
	}
}

// A regular expression gives the same result for every pattern and name.
func FuzzMatch(f *testing.F) {
	f.Add("**/a/*/**/b", "a/x/a/b/b")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 40 || len(name) > 40 || strings.Trim(pattern, "abc*/") != "" || strings.Trim(name, "abc/") != "" {
			return
		}
		parts := strings.Split(pattern, "/")
		var b strings.Builder
		for _, p := range parts {
			switch p {
			case "**":
				b.WriteString("(/[^/]*)*")
			case "*":
				b.WriteString("/[^/]*")
			default:
				b.WriteString("/" + regexp.QuoteMeta(p))
			}
		}
		want := regexp.MustCompile("^" + b.String() + "$").MatchString("/" + name)
		if got := Match(parts, name, same); got != want {
			t.Errorf("%q for %q: %v, want %v", pattern, name, got, want)
		}
	})
}

// Without a limit on backtracking this takes for ever.
func TestManyStarsAreQuick(t *testing.T) {
	if Match(strings.Split(strings.Repeat("**/a/", 60)+"b", "/"), strings.TrimSuffix(strings.Repeat("a/", 200), "/"), same) {
		t.Error("a pattern with many ** matches")
	}
}
