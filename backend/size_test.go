package backend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	maxLines   = 400
	maxMethods = 60
)

// longer lists files over a limit, with their present size. A number may only fall, and files
// within the limit do not belong here.
var (
	longerFiles = map[string]int{}
	longerTypes = map[string]int{}
)

// People read files: a long one has more than one theme.
func TestFilesAreShort(t *testing.T) {
	found := 0
	for _, p := range packages(t, "desktop") {
		for _, f := range goFiles(t, p) {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found++
			checkSize(t, relative(t, f), "lines", strings.Count(string(b), "\n"), maxLines, longerFiles)
		}
	}
	if found < 100 {
		t.Errorf("found %d files", found)
	}
}

// A type with many methods contains what should be separate types. Methods in files of every system
// count, those of tests do not. App in the root is exempt: each of its methods is a call of the
// interface, and thin (TestAppIsThin).
func TestTypesHaveFewMethods(t *testing.T) {
	count := map[string]int{}
	for _, p := range packages(t, "desktop") {
		for _, f := range goFiles(t, p) {
			if strings.HasSuffix(f, "_test.go") || p.ImportPath == module {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
					count[filepath.ToSlash(filepath.Dir(relative(t, f)))+"."+receiver(fn.Recv.List[0].Type)]++
				}
			}
		}
	}
	if len(count) < 100 {
		t.Errorf("found %d types with methods", len(count))
	}
	for name, n := range count {
		checkSize(t, name, "methods", n, maxMethods, longerTypes)
	}
	for name := range longerTypes {
		if count[name] == 0 {
			t.Errorf("%s is listed and has no methods", name)
		}
	}
}

// checkSize compares a size with the limit, or with its own exception.
func checkSize(t *testing.T, name, of string, n, limit int, longer map[string]int) {
	t.Helper()
	ceiling, listed := longer[name]
	switch {
	case !listed && n > limit:
		t.Errorf("%s has %d %s, at most %d", name, n, of, limit)
	case listed && n > ceiling:
		t.Errorf("%s has %d %s and had %d: it may only shrink", name, n, of, ceiling)
	case listed && n <= limit:
		t.Errorf("%s has %d %s: take it off the list", name, n, of)
	}
}

// receiver is the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func goFiles(t *testing.T, p goPackage) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// relative is a file's path from the root of the module.
func relative(t *testing.T, file string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}
