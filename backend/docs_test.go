package backend

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every path in ARCHITECTURE.md and README.md exists.
func TestDocumentsNameWhatExists(t *testing.T) {
	path := regexp.MustCompile("`((?:backend|frontend|scripts|assets|docs|build|bench|\\.ci)/[A-Za-z0-9_./-]+|[a-z]+\\.go|Makefile|ARCHITECTURE\\.md|go\\.mod|wails\\.json)`")
	for _, doc := range []string{"../ARCHITECTURE.md", "../README.md"} {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		found := path.FindAllStringSubmatch(string(b), -1)
		if len(found) == 0 {
			t.Errorf("%s names no path", doc)
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", doc, m[1])
			}
		}
	}
}

// Every type, function and method of our packages in ARCHITECTURE.md exists.
func TestArchitectureNamesCodeThatExists(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{} // code by package name
	sources(t, ".", func(path, text string) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			code[filepath.Base(filepath.Dir(path))] += text
		}
	})
	checked := 0
	for _, m := range regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?[`(]").FindAllStringSubmatch(string(text), -1) {
		of, known := code[m[1]]
		if !known {
			continue // of another library
		}
		checked++
		name := `(?m)^func ` + m[2] + `\b|^(type|var|const)? *\t?` + m[2] + `\b`
		if m[3] != "" {
			name = `(?m)^func \(\w+ \*?` + m[2] + `(?:\[\w+\])?\) ` + m[3] + `\b|^\t` + m[3] + `\b`
		}
		if !regexp.MustCompile(name).MatchString(of) {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", strings.Trim(m[0], "`("))
		}
	}
	if checked < 20 {
		t.Errorf("%d names were checked", checked)
	}
}

// README.md lists the environment variables that the program, its tools and its tests read.
func TestReadmeListsEveryVariable(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`MUTSUMI_[A-Z][A-Z0-9_]*`)
	listed := map[string]bool{}
	for row := range strings.Lines(string(text)) {
		if strings.HasPrefix(row, "| `MUTSUMI_") {
			for _, name := range variable.FindAllString(strings.Split(row, "|")[1], -1) {
				listed[name] = true
			}
		}
	}
	read := map[string]bool{}
	note := func(path, text string) {
		if !strings.HasSuffix(path, "_test.go") {
			for _, name := range variable.FindAllString(text, -1) {
				read[name] = true
			}
		}
	}
	for _, dir := range []string{".", "../scripts", "../bench", "../frontend/e2e", "../frontend/eslint", "../frontend/vite.config.ts"} {
		sources(t, dir, note)
	}
	for name := range read {
		if !listed[name] {
			t.Errorf("README.md does not say what %s is for", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if !read[name] {
			t.Errorf("README.md lists %s, which nothing reads", name)
		}
	}
}

// sources calls f for each file with code under a folder, or for a file.
func sources(t *testing.T, root string, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".ts", ".mjs", ".sh"}, filepath.Ext(path)) {
			return err
		}
		b, err := os.ReadFile(path)
		f(path, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
