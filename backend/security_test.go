package backend

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test and file in docs/SECURITY.md exists: each of its claims has evidence.
func TestSecurityNamesTestsThatAreThere(t *testing.T) {
	text, err := os.ReadFile("../docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			b, err := os.ReadFile(path)
			tests.Write(b)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)\\w+|[\\w/.]+\\.mjs)`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 20 {
		t.Fatalf("it names %d tests", len(names))
	}
	for _, m := range names {
		if name := m[1]; strings.HasSuffix(name, ".mjs") {
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Error(err)
			}
		} else if !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("there is no %s", name)
		}
	}
}
