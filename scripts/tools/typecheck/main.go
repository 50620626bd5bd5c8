// Typecheck reports what does not compile on another system: it checks the types of the packages
// and of their tests from their sources, without compiling, which is many times faster than go vet
// if that system's packages are not in the cache.
//
// usage: GOOS=darwin typecheck [-tags TAGS] PACKAGE...
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	tags := flag.String("tags", "", "build tags, with commas")
	flag.Parse()
	if err := run(*tags, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(tags string, patterns []string) error {
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Tests:      true,
		BuildFlags: []string{"-tags=" + tags},
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, folder+string(filepath.Separator)) {
				withoutBodies(file)
			}
			return file, err
		},
	}, patterns...)
	if err != nil {
		return err
	}
	if len(loaded) == 0 {
		return fmt.Errorf("no package matches %s", strings.Join(patterns, " "))
	}
	wrong := map[string]bool{} // a package and its test variant report the same
	for _, p := range loaded {
		if strings.HasSuffix(p.ID, ".test") { // go makes it, to run the tests
			continue
		}
		for _, e := range p.Errors {
			wrong[e.Error()] = true
		}
	}
	for e := range wrong {
		fmt.Fprintln(os.Stderr, e)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d errors on %s", len(wrong), os.Getenv("GOOS"))
	}
	fmt.Printf("summary: %d packages\n", len(loaded))
	return nil
}

// withoutBodies removes the function bodies, which others do not see.
func withoutBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
