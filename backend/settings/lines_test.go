package settings

import (
	"regexp"
	"strings"
	"testing"
)

var noSuchLine = regexp.MustCompile(`\bline (0|-\d+)\b`)

// Problems name lines that exist, whatever is wrong with the settings, and nothing panics: for each
// prefix of a file, with each line removed, and for values from elsewhere in it.
func TestProblemsNameLinesThatExist(t *testing.T) {
	whole := "# mine\nproviders:\n  - id: one\n    name: One\n    baseUrl: https://one.example/v1\n    models:\n      - id: big\n        contextTokens: 1000\n      - small\n  - id: two\n    baseUrl: http://localhost:1\n    key: keyring\npreferences:\n  theme: dark\n  imageFolder: temp\n  parallelAgents: 3\n"
	texts := []string{
		"", "\n\n", "---\n", "\ufeff", "[]", "x", "- a", "null", "~", "\t", "{", "}", "providers: 5", "providers:\n  - 5", "providers:\n  - {}", "providers: [{id: a}, {id: a}]",
		"providers: [{id: a, models: [{}]}]", "providers: {}", "preferences: []", "preferences: {theme: pink}", "preferences: {imageFolder: away}", "preferences: {theme: [a]}", "providers: [{id: a, apiKey: x}]",
		"x: &x {theme: pink}\npreferences:\n  <<: *x\n", "x: &x {imageFolder: away}\npreferences: {<<: *x}\n", "x: &x {providers: [{name: a}]}\n<<: *x\n", "x: &x [{id: a}, {id: a}]\nproviders: *x\n",
		"x: &x {id: a}\nproviders: [*x, *x]\n", "x: &x {preferences: {theme: pink}}\n<<: *x\n", "x: &x {token: a, id: b}\nproviders: [{<<: *x}]\n", "? [a]\n: b\n", "a: &a\n  b: *a\n", "%YAML 9\n", "--- x\n--- y\n", "theme: !!binary x",
	}
	for i := range whole {
		texts = append(texts, whole[:i])
	}
	lines := strings.SplitAfter(whole, "\n")
	for i := range lines {
		texts = append(texts, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""), strings.Join(lines[:i], "")+"  ]:\n"+strings.Join(lines[i:], ""))
	}
	for _, text := range texts {
		problem := func() (problem string) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%q: it panics: %v", text, p)
				}
			}()
			c, doc, err := parse([]byte(text))
			if err != nil {
				return err.Error()
			}
			if doc != nil && len(doc.Content) > 0 {
				return remark(doc.Content[0], c)
			}
			return ""
		}()
		if noSuchLine.MatchString(problem) {
			t.Errorf("%q: %s", text, problem)
		}
	}
}
