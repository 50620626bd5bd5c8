package textsearch

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func found(t *testing.T, q Query, text string, o Options) string {
	t.Helper()
	p, err := Compile(q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	p.Each(text, o, func(from, to int) bool {
		out = append(out, fmt.Sprintf("%d:%s", from, text[from:to]))
		return true
	})
	return strings.Join(out, " | ")
}

func TestMatches(t *testing.T) {
	cases := []struct {
		name string
		q    Query
		text string
		o    Options
		want string
	}{
		{"any case", Query{Text: "go"}, "Go gO ago", Options{}, "0:Go | 3:gO | 7:go"},
		{"given case", Query{Text: "go", Case: true}, "Go gO ago", Options{}, "7:go"},
		{"whole words", Query{Text: "go", Word: true}, "go ago go_on (go) go2 go", Options{}, "0:go | 14:go | 22:go"},
		{"whole word of marks", Query{Text: "()", Word: true}, "f() ()", Options{}, "1:() | 4:()"},
		{"whole words in Chinese", Query{Text: "测试", Word: true}, "单元测试通过", Options{}, "6:测试"},
		{"no overlaps", Query{Text: "aa"}, "aaaaa", Options{}, "0:aa | 2:aa"},
		{"other scripts", Query{Text: "ÄRGER"}, "ärger Ärger", Options{}, "0:ärger | 7:Ärger"},
		{"Greek sigma", Query{Text: "ΟΔΟΣ"}, "οδος οδοσ", Options{}, "0:οδος | 9:οδοσ"},
		{"emphasis between words", Query{Text: "the budget holds"}, "**the** `budget`\nholds", Options{Rendered: true}, "2:the** `budget`\nholds"},
		{"a prompt is taken as it is", Query{Text: "the budget"}, "**the** budget, the budget", Options{}, "16:the budget"},
		{"marks without white space", Query{Text: "a b"}, "a*b a b", Options{Rendered: true}, "4:a b"},
		{"white space first", Query{Text: " b"}, "a b *b", Options{Rendered: true}, "1: b | 3: *b"},
		{"marks are letters as well", Query{Text: "a*b"}, "a*b", Options{Rendered: true}, "0:a*b"},
		{"expression", Query{Text: `err(or)?`, Regexp: true}, "Err error", Options{}, "0:Err | 4:error"},
		{"expression, lines", Query{Text: `^b$`, Regexp: true}, "a\nb\nab", Options{}, "2:b"},
		{"expression, whole words", Query{Text: `[a-z]+`, Regexp: true, Word: true}, "ab c1 d", Options{}, "0:ab | 6:d"},
		{"empty matches", Query{Text: `x*`, Regexp: true}, "axxb", Options{}, "1:xx"},
		{"not valid UTF-8", Query{Text: "b"}, "a\xffb\xff", Options{}, "2:b"},
		{"the replacement sign", Query{Text: "\ufffd"}, "\xff\ufffd", Options{}, "1:\ufffd"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := found(t, c.q, c.text, c.o); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestManyMatchesOfAnExpression(t *testing.T) {
	p, err := Compile(Query{Text: "a", Regexp: true})
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, -1
	p.Each(strings.Repeat("ab", 20_000), Options{}, func(from, _ int) bool {
		if from <= last {
			t.Fatalf("a match at %d follows one at %d", from, last)
		}
		last = from
		n++
		return true
	})
	if n != 20_000 {
		t.Errorf("found %d", n)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "Type what to search for.",
		strings.Repeat("x", 5000): "Could not search: the text to search for is longer than 4096 bytes.",
	} {
		_, err := Compile(Query{Text: text, Regexp: true})
		if err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

func TestReplace(t *testing.T) {
	cases := []struct {
		q          Query
		with, text string
		only       int
		want       string
		n          int
	}{
		{Query{Text: "a"}, "$1\\n", "xaA", -1, `x$1\n$1\n`, 2},
		{Query{Text: `(\w+)@(?P<host>\w+)`, Regexp: true}, `${host}\n$1$$\\n`, "me@home", -1, "home\nme$\\n", 1},
		{Query{Text: `(a)(b)?`, Regexp: true}, `[$1s$2-$3-$HOME-${x}-$&-\\n]`, "a ab", -1, `[as-$3-$HOME-${x}-a-\n] [asb-$3-$HOME-${x}-ab-\n]`, 2},
		{Query{Text: "a"}, "b", "a a a", 2, "a b a", 1},
		{Query{Text: "a"}, "b", "a a a", 1, "a a a", 0},
		{Query{Text: "a", Case: true}, "", "aAa", -1, "A", 2},
	}
	for _, c := range cases {
		p, err := Compile(c.q)
		if err != nil {
			t.Fatal(err)
		}
		if got, n := p.Replace(c.text, c.with, c.only); got != c.want || n != c.n {
			t.Errorf("%v with %q in %q: %q, %d; want %q, %d", c.q, c.with, c.text, got, n, c.want, c.n)
		}
	}
}

// A literal query finds the same as the equivalent expression.
func FuzzLiteral(f *testing.F) {
	f.Add("go", "Go gO ago", false)
	f.Add("ſ", "S s ſ", false)
	f.Add("K", "k K \u212a", true)
	f.Add("aa", "aaaaa", true)
	f.Fuzz(func(t *testing.T, query, text string, exact bool) {
		if query == "" || len(query) > maxQuery || !utf8.ValidString(query) || !utf8.ValidString(text) {
			return
		}
		flags := "(?i)"
		if exact {
			flags = ""
		}
		want := regexp.MustCompile(flags+regexp.QuoteMeta(query)).FindAllStringIndex(text, -1)
		p, err := Compile(Query{Text: query, Case: exact})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]int
		p.Each(text, Options{}, func(from, to int) bool {
			got = append(got, []int{from, to})
			return true
		})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q in %q: %v, want %v", query, text, got, want)
		}
	})
}

// What every match contains is in every match.
func FuzzWord(f *testing.F) {
	f.Add("the budget", "**The** BUDGET", false)
	f.Add("skip", "ſKIP", false)
	f.Fuzz(func(t *testing.T, query, text string, exact bool) {
		p, err := Compile(Query{Text: query, Case: exact})
		if err != nil {
			return
		}
		p.Each(text, Options{Rendered: true}, func(from, to int) bool {
			if word := p.Word(); !strings.Contains(strings.ToLower(text[from:to]), strings.ToLower(word)) {
				t.Errorf("the match %q of %q does not contain %q", text[from:to], query, word)
			}
			return true
		})
	})
}
