package ref_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/ref"
)

// show writes a reference as one line: kind, target, problem.
func show(r ref.Ref) string {
	s := fmt.Sprintf("path %q", r.Path)
	if r.IsTool() {
		s = fmt.Sprintf("tool %s %s", r.Tool, r.Args)
	}
	if r.From != 0 || r.To != 0 {
		s += fmt.Sprintf(" lines %d to %d", r.From, r.To)
	}
	if r.Problem != "" {
		s += " PROBLEM"
	}
	return s
}

func TestFind(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"3.1 a file", "see @[src/a.go] now", []string{`path "src/a.go"`}},
		{"3.1 a line", "@[a.go:10]", []string{`path "a.go" lines 10 to 10`}},
		{"3.1 a range", "@[a.go:10:20]", []string{`path "a.go" lines 10 to 20`}},
		{"3.1 absolute", "@[/etc/x.md:2]", []string{`path "/etc/x.md" lines 2 to 2`}},
		{"3.1 a file URI is no range", "@[file:///a/b.md]", []string{`path "file:///a/b.md"`}},
		{"3.1 a drive is no range", `@[C:\a.md:3]`, []string{`path "C:\\a.md" lines 3 to 3`}},
		{"3.1 brackets nest", "@[routes/[id]/[[x]].md]", []string{`path "routes/[id]/[[x]].md"`}},
		{"3.1 the workspace itself", "@[]", []string{`path ""`}},
		{"3.1 spaces and Unicode", "@[ 我的 文件.md ]", []string{`path "我的 文件.md"`}},
		{"3.1 zero is no line", "@[a.go:0]", []string{`path "a.go" PROBLEM`}},
		{"3.1 negative", "@[a.go:-5:2]", []string{`path "a.go" PROBLEM`}},
		{"3.1 backwards", "@[a.go:20:10]", []string{`path "a.go" PROBLEM`}},
		{"3.1 empty range", "@[a.go:]@[a.go::3]", []string{`path "a.go" PROBLEM`, `path "a.go" PROBLEM`}},
		{"3.1 no number", "@[a.go:x]", []string{`path "a.go:x"`}},
		{"3.1 a number larger than any file", "@[a.go:1:99999999999999999999]", []string{`path "a.go" lines 1 to 9223372036854775807`}},
		{"3.2 a tool", `@[ls{"uri":"."}]`, []string{`tool ls {"uri":"."}`}},
		{"3.2 spaces", `@[ echo {"a": 1} ]`, []string{`tool echo {"a": 1}`}},
		{"3.2 strings hold brackets", `@[echo{"a":"]}@[x] \" {["}] @[b]`, []string{`tool echo {"a":"]}@[x] \" {["}`, `path "b"`}},
		{"3.2 several lines", "@[echo{\n \"a\": [1,\n 2]}]", []string{"tool echo {\n \"a\": [1,\n 2]}"}},
		{"3.2 two objects", `@[echo{"a":1}{"b":2}]`, []string{`tool echo {"a":1}{"b":2} PROBLEM`}},
		{"3.2 bad JSON", `@[echo{bad}]`, []string{`tool echo {bad} PROBLEM`}},
		{"3.2 a quote is missing", `@[echo{"a:1}] @[b]`, []string{`tool echo {"a:1} PROBLEM`, `path "b"`}},
		{"3.2 a brace is missing", `@[echo{"a":1] @[b]`, []string{`tool echo {"a":1 PROBLEM`, `path "b"`}},
		{"3.2 a brace in a name is text", `@[a{b.md] @[c]`, []string{`path "c"`}},
		{"3.2 braces behind a slash are a path", `@[src/{id}.ts]`, []string{`path "src/{id}.ts"`}},
		{"2.4 a macro is no JSON", `@[docs{{V}}/a.md]`, []string{`path "docs{{V}}/a.md"`}},
		{"3.7 never closed", "a @[b c\n]", nil},
		{"3.7 the search goes on inside", "@[@[a.md] x", []string{`path "a.md"`}},
		{"3.2 odd quotes before a call of several lines", "5\" @[echo{\n\"a\":1}]", []string{"tool echo {\n\"a\":1}"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range ref.Find(c.text) {
				got = append(got, show(r))
				if c.text[r.Start:r.End] != "@["+r.Inner+"]" {
					t.Errorf("position %d:%d is %q, inner %q", r.Start, r.End, c.text[r.Start:r.End], r.Inner)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// FuzzFind checks for any text: references are in order, do not overlap, and parsing the inside
// again gives the same.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"@[a]", `@[x{"a":"]"}]`, "@[@[[]]", "@[a:1:2]", "@[x{{Y}}]", `@[x{"\`, "@[x{\n}]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, r := range ref.Find(text) {
			if r.Start < at || r.End > len(text) || text[r.Start:r.End] != "@["+r.Inner+"]" {
				t.Fatalf("%q: bad position %d:%d", text, r.Start, r.End)
			}
			again := ref.Parse(r.Inner)
			again.Start, again.End = r.Start, r.End
			if again != r {
				t.Fatalf("%q: %+v, again %+v", text, r, again)
			}
			at = r.End
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for name, unit := range map[string]string{
		"open":       "@[",
		"openWords":  "x @[ ",
		"openTool":   `@[a{"`,
		"openTool2":  `@[a{"b":[`,
		"openTool3":  `@[a{`,
		"closed":     "@[a.md] ",
		"braces":     "{{",
		"images":     "![",
		"openNested": "@[[",
	} {
		text := strings.Repeat(unit, 100<<10/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				ref.Find(text)
			}
		})
	}
}

// A resource of a server has an address that begins with a scheme. Drives, ranges of lines and file
// addresses are not resources.
func TestResource(t *testing.T) {
	for text, want := range map[string]string{
		"demo:test:///a": "demo test:///a", "my notes:memo://x?q=[1]:10": "my notes memo://x?q=[1]:10", " demo:urn:isbn:1 ": "demo urn:isbn:1",
		`C:\a.md`: "", "c:mailto:x": "", "a.go:10:20": "", "file:///a/b": "", "https://example.org/a": "", "a.go": "", `demo{"a":1}`: "",
		"./demo:test:///a": "", "demo:{{X}}": "", "demo:test:": "", "demo: test:x": "", "src/demo:test:x": "",
	} {
		server, uri, ok := ref.Parse(text).Resource()
		if got := strings.TrimSpace(server + " " + uri); got != want || ok != (want != "") {
			t.Errorf("%q: %q", text, got)
		}
	}
	for uri, want := range map[string]string{"test:///a": "demo:test:///a", "a]b:c": "", "t:a]": "", "t:[a]": "demo:t:[a]", "t:a\nb": "", "t:{{X}}": "", "a": ""} {
		if got := ref.ResourceOf("demo", uri); got != want {
			t.Errorf("%q: %q", uri, got)
		}
	}
}
