package lazyregexp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/lazyregexp"
)

// An invalid expression would show only at its first use: this test compiles all of the program's.
// None is compiled when the program starts.
func TestTheExpressionsOfTheProgramCompile(t *testing.T) {
	n := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if _, ok := d.(*ast.FuncDecl); ok {
				continue // it runs later
			}
			ast.Inspect(d, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok {
					return true
				}
				switch name := nameOf(call.Fun); {
				case name == "regexp.MustCompile":
					t.Errorf("%s compiles an expression when the program starts: make it a lazyregexp.New", path)
				case name == "lazyregexp.New" || name == "exps": // that is of package testoutput
					for _, arg := range call.Args {
						if text, ok := constant(arg); ok {
							n++
							if _, err := regexp.Compile(text); err != nil {
								t.Errorf("%s: %v", path, err)
							}
						}
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Errorf("%d expressions were looked at, %v", n, err)
	}
}

// nameOf is a function as it is called: name, or package.name.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// constant is the text of literals that are added.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := constant(e.X)
		right, too := constant(e.Y)
		return left + right, ok && too
	}
	return "", false
}

func TestManyMayUseAnExpressionFirst(t *testing.T) {
	re := lazyregexp.New(`^(a+)b`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if m := re.FindStringSubmatch("aab"); len(m) != 2 || m[1] != "aa" {
				t.Errorf("found %q", m)
			}
		})
	}
	all.Wait()
	if re.String() != `^(a+)b` {
		t.Errorf("the text is %q", re)
	}
}
