package builtin

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what came as what is wanted")

// TestOutline outlines the files of each archive and compares with `want`.
func TestOutline(t *testing.T) {
	archives, err := filepath.Glob("testdata/outline/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := &ar.Files[len(ar.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last file of the archive is not want")
			}
			var b strings.Builder
			for _, f := range ar.Files[:len(ar.Files)-1] {
				writeOutline(&b, f.Name, outliners[filepath.Ext(f.Name)](string(f.Data)))
			}
			if *update {
				want.Data = []byte(b.String())
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if b.String() != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want.Data)
			}
		})
	}
}

// For any file, an outline ends soon, keeps the lines in order, and its blanking moves nothing.
func FuzzOutline(f *testing.F) {
	archives, _ := filepath.Glob("testdata/outline/*.txtar")
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			f.Add(string(file.Data))
		}
	}
	for _, s := range []string{"`${`${", "r#\"", "R\"(", "/*/*", "'\\", "\"\"\"", "/[/", "#define \\\n", "}}}{{{", "---\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, syn := range []lexis{pythonSyntax, scriptSyntax, rustSyntax, javaSyntax, cSyntax} {
			out := blank(src, syn)
			if len(out) != len(src) || strings.Count(out, "\n") != strings.Count(src, "\n") {
				t.Errorf("blanking changed the shape of %q: %q", src, out)
			}
		}
		lines := strings.Count(src, "\n") + 1
		for ext, outline := range outliners {
			last := 0
			for _, s := range outline(src) {
				if s.line < last && ext != ".go" || s.line < 1 || s.line > lines {
					t.Errorf("%s: line %d after %d of %d in %q", ext, s.line, last, lines, src)
				}
				last = s.line
			}
		}
	})
}

// Hostile files cost no more than their length.
func BenchmarkOutlineHostile(b *testing.B) {
	for name, s := range map[string]string{
		"templates": strings.Repeat("`${", 100000), "regexps": strings.Repeat("(/[", 100000), "raw": strings.Repeat("r#", 150000),
		"comments": strings.Repeat("/*", 150000), "braces": strings.Repeat("class A {", 30000), "heads": strings.Repeat("a(", 150000),
		"lines": strings.Repeat("export function (\n", 15000), "quotes": strings.Repeat("'\"", 150000), "words": strings.Repeat("a ", 150000) + "{",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				for _, ext := range []string{".ts", ".py", ".rs", ".java", ".c", ".md", ".go"} {
					outliners[ext](s)
				}
			}
		})
	}
}
