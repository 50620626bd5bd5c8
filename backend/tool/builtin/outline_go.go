package builtin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// goSymbols uses Go's own parser; of a file with errors it returns what could be read.
func goSymbols(src string) []symbol {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	g := goOutline{src: src, fset: fset}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.add(d.Pos(), 0, g.text(d.Pos(), d.Type.End()))
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				g.spec(d, spec)
			}
		}
	}
	return g.out
}

type goOutline struct {
	src  string
	fset *token.FileSet
	out  []symbol
}

func (g *goOutline) spec(d *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		kind := "= " + g.text(s.Type.Pos(), s.Type.End())
		if !s.Assign.IsValid() {
			kind = g.text(s.Type.Pos(), s.Type.End())
		}
		switch t := s.Type.(type) {
		case *ast.StructType:
			kind = "struct"
		case *ast.InterfaceType:
			g.add(s.Pos(), 0, "type "+g.text(s.Pos(), g.nameEnd(s))+" interface")
			for _, m := range t.Methods.List {
				g.add(m.Pos(), 1, g.text(m.Pos(), m.Type.End()))
			}
			return
		}
		g.add(s.Pos(), 0, "type "+g.text(s.Pos(), g.nameEnd(s))+" "+kind)
	case *ast.ValueSpec:
		var names []string
		for _, n := range s.Names {
			if n.Name != "_" {
				names = append(names, n.Name)
			}
		}
		if len(names) > 0 {
			g.add(s.Pos(), 0, d.Tok.String()+" "+strings.Join(names, ", "))
		}
	}
}

func (g *goOutline) nameEnd(s *ast.TypeSpec) token.Pos {
	if s.TypeParams != nil {
		return s.TypeParams.End()
	}
	return s.Name.End()
}

func (g *goOutline) add(pos token.Pos, depth int, text string) {
	if text == "" {
		return // a broken declaration has no end
	}
	g.out = append(g.out, symbol{g.fset.Position(pos).Line, depth, text})
}

func (g *goOutline) text(from, to token.Pos) string {
	a, b := g.fset.Position(from).Offset, g.fset.Position(to).Offset
	if a < 0 || b > len(g.src) || a > b {
		return ""
	}
	return g.src[a:b]
}
