package assemble

import (
	"strings"
	"testing"
)

// FuzzFrontMatter checks for any text that the body is its end, and that the removed part begins
// with a line of three dashes.
func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{
		"---\nParams: [a, a]\nDescription: x\n---\nbody", "---\r\nDescription: >-\r\n  x\r\n---\r\nb", "\uFEFF---\n---\n", "---\n- a\n---\n",
		"---\na: &a [*a]\n---\n", "---\n<<: *x\n---\n", "---\n? [a]: b\n---", "---\n---\n---", "---\n!!binary aGk=: x\n---\n", "---\n%YAML 1.1\n---\n", "---\n\"\\u\n---\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fm, body, problem := splitFrontMatter(text)
		if !strings.HasSuffix(text, body) {
			t.Fatalf("%q: body %q", text, body)
		}
		cut := strings.TrimPrefix(text[:len(text)-len(body)], "\uFEFF")
		if cut != "" && !strings.HasPrefix(cut, "---") {
			t.Fatalf("%q: cut %q", text, cut)
		}
		if cut == "" && (fm.Description != "" || fm.Params != nil) || cut != "" && problem != "" {
			t.Fatalf("%q: %+v, problem %q", text, fm, problem)
		}
	})
}

func BenchmarkFrontMatter(b *testing.B) {
	for name, inside := range map[string]string{
		"flow": "a: " + strings.Repeat("[", 60<<10), "nested": strings.Repeat("- ", 30<<10), "keys": strings.Repeat("? ", 30<<10), "anchors": strings.Repeat("a: &a b\n", 8<<10),
		"text": strings.Repeat("a b c\n", 10<<10), "quotes": "a: \"" + strings.Repeat("\\n", 30<<10), "open": strings.Repeat("--- x\n", 10<<10), "pairs": strings.Repeat("k: v\n", 12<<10), "indent": strings.Repeat(" a:\n ", 12<<10),
	} {
		text := "---\n" + inside + "\n---\nbody"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				splitFrontMatter(text)
			}
		})
	}
}
