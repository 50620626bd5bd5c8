package kind

import (
	"regexp"
	"strings"
	"testing"
)

// A problem names a line that exists, whatever is wrong with the file, and nothing panics: for each
// prefix of a file, and for values from elsewhere in it.
func TestProblemsNameLinesThatExist(t *testing.T) {
	noSuchLine := regexp.MustCompile(`\bline (0|-\d+)\b`)
	whole := "---\nname: reviewer\ndescription: Reads what was written\nmodel: one/big\ntools: [read_file, grep]\nrules:\n  - style\nchildren: [implementer]\n---\nRole.\n"
	texts := []string{
		"", "---", "---\n", "---\n---\n", "---\n5\n---\n", "---\n- a\n---\n", "---\n[\n---\n", "---\n\tname: x\n---\n", "---\nname: {a: b}\n---\n", "---\ntools: 5\n---\n", "---\nx: &x {name: A B}\n<<: *x\n---\n",
		"---\nx: &x {tools: 5}\nname: a\n<<: *x\n---\n", "---\nname: *x\n---\n", "---\nname: a\nname: b\n---\n", "---\n? [a]\n: b\n---\n", "\ufeff---\nname: !\n---\n", "\xff", "a\x00b", "---\na: &a\n  b: *a\n---\n",
	}
	for i := range whole {
		texts = append(texts, whole[:i], whole[:i]+"\n---\n")
	}
	lines := strings.SplitAfter(whole, "\n")
	for i := range lines {
		texts = append(texts, strings.Join(lines[:i], "")+"  ]:\n"+strings.Join(lines[i:], ""))
	}
	for _, text := range texts {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%q: it panics: %v", text, p)
				}
			}()
			if k := parse("a.md", text); noSuchLine.MatchString(k.Problem) {
				t.Errorf("%q: %s", text, k.Problem)
			}
		}()
	}
}
