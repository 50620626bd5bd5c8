package builtin_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// The results are the same with and without ripgrep, for any keyword.
func TestGrepIsTheSameWithRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is not installed")
	}
	w := newWorld(t, map[string]string{
		"a.go": "package a\n\nfunc Café(x int) string { return \"é٣\" }\nvar A = [2]int{1, 2}\n", "b.txt": "one\r\ntwo words\r\n\r\nONE\r\n",
		"sub/c.md": "# Title\nsome_word-here\n\ttab & co && more ~~ [x]\n", "sub/.hidden": "one hidden\n", ".gitignore": "ignored/\n*.log\n!keep.log\n",
		"ignored/x.txt": "one", "y.log": "one", "keep.log": "one", "sub/.gitignore": "/only_here\n", "sub/only_here": "one", "only_here": "one",
		".git/config": "one", "vendor/mod/.git/HEAD": "one", "vendor/mod/z.log": "one", "vendor/mod/z.txt": "one\n", ".ignore": "b.txt\n",
		"late.bin": strings.Repeat("one\n", 3000) + "\x00", "early.bin": "one\x00", "latin1.txt": "caf\xe9 one\n",
		"utf16.txt": "\xff\xfeo\x00n\x00e\x00\n\x00", "empty": "", "no_end.txt": "last one",
	})
	for n, keyword := range []string{
		"one", "ONE", "^one$", `\bone\b`, `\w+_word`, `é`, `caf\w`, `\d`, `[^a-z\s]`, "^$", `o.e`, `(?i)one`, `\Aone`, `one\z`, `[x]`, `[&&~]`, `\[x\]`,
		`a|b`, `\x{e9}`, `\pL\d`, `(one|two) ?words`, `x{2,3}`, `int\{`, `-here`, `--`, `\.go`, `\s+`, `.*`, `\QA = [2]\E`, `(?s:o.*e)`, `[[:upper:]]+`, `foo(`, `"`, `\t`, `\S\B`, `[^\x00-\x7F]`, `\p{So}`, "\uFFFD", `caf. one`, "-last-",
	} {
		if keyword == "-last-" { // it always reads this file
			w.write(t, ".rgignore", "a.go\n")
			keyword = "package"
		}
		for i, more := range []map[string]any{{}, {"ignore_case": true}, {"literal": true}, {"include": "*.txt"}, {"uri": "sub"}, {"files_only": true}, {"limit": 2}} {
			if n > 5 && i != n%7 { // all of them for a few keywords, one for each of the rest
				continue
			}
			more["keyword"] = keyword
			args, err := json.Marshal(more)
			if err != nil {
				t.Fatal(err)
			}
			with := w.result(t, "grep", string(args))
			t.Run("without", func(t *testing.T) {
				t.Setenv("PATH", "")
				if without := w.result(t, "grep", string(args)); without.Content != with.Content {
					t.Errorf("%s\nwith ripgrep: %s\n     without: %s", args, with.Content, without.Content)
				}
			})
		}
	}
}
