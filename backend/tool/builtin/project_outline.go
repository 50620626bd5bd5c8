package builtin

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

const (
	outlineFiles   = 500
	outlineSize    = 1 << 20 // larger files are generated, or data
	outlineSymbols = 400     // of one file
)

// symbol is a declaration: its line from 1, its depth among the others, and a one-line text.
type symbol struct {
	line  int
	depth int
	text  string
}

// outliners find the symbols of a file, by its extension. They tolerate any input and omit what
// they do not understand.
var outliners = map[string]func(src string) []symbol{
	".go": goSymbols, ".py": pythonSymbols, ".pyi": pythonSymbols, ".rs": rustSymbols, ".java": javaSymbols,
	".ts": scriptSymbols, ".tsx": scriptSymbols, ".mts": scriptSymbols, ".cts": scriptSymbols,
	".js": scriptSymbols, ".jsx": scriptSymbols, ".mjs": scriptSymbols, ".cjs": scriptSymbols,
	".c": cSymbols, ".h": cSymbols, ".cc": cSymbols, ".cpp": cSymbols, ".cxx": cSymbols, ".hpp": cSymbols, ".hh": cSymbols,
	".md": markdownSymbols, ".markdown": markdownSymbols,
}

type outlineIn struct {
	URI string `json:"uri,omitempty" jsonschema:"file or folder; default: the workspace"`
}

func (in outlineIn) Action() string { return "outlining " + base(cmp.Or(in.URI, ".")) }

func projectOutline(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "project_outline", Description: describe("project_outline"), Reads: true, Arguments: withPaths(map[string]string{}),
	}, func(ctx context.Context, env tool.Env, in outlineIn) tool.Result {
		dir := cmp.Or(in.URI, ".")
		r := o.at(env, dir)
		info, err := r.Stat(dir)
		if err != nil {
			return failed(r, dir, err)
		}
		if !info.IsDir() {
			return outlineFile(r, dir)
		}
		var b strings.Builder
		n := 0
		err = r.Walk(ctx, dir, func(e files.Entry) error {
			if e.Dir || e.Link || outliners[strings.ToLower(path.Ext(e.Path))] == nil {
				return nil
			}
			if n++; n > outlineFiles {
				return fs.SkipAll
			}
			name := join(dir, e.Path)
			symbols, _ := outlineOf(r, name)
			writeOutline(&b, name, symbols)
			return nil
		})
		switch {
		case err != nil:
			return failed(r, dir, err)
		case n == 0:
			return tool.Text("No source files or Markdown documents are in " + place(r, dir) + ". Use ls to see what is there.")
		case n > outlineFiles:
			fmt.Fprintf(&b, "\n[The first %d files; there are more. Outline a folder further down.]", outlineFiles)
		}
		return tool.Text(strings.TrimSuffix(b.String(), "\n"))
	})
}

func outlineFile(r *files.Roots, name string) tool.Result {
	if outliners[strings.ToLower(path.Ext(name))] == nil {
		return tool.Error(fmt.Sprintf("%s is of no kind that can be outlined: use read_file or grep.", name))
	}
	symbols, err := outlineOf(r, name)
	if err != nil {
		return failed(r, name, err)
	}
	if len(symbols) == 0 {
		return tool.Text("[No symbols were found in " + name + ".]")
	}
	var b strings.Builder
	writeOutline(&b, name, symbols)
	return tool.Text(strings.TrimSuffix(b.String(), "\n"))
}

func outlineOf(r *files.Roots, name string) ([]symbol, error) {
	src, err := r.Read(name, outlineSize)
	if err != nil {
		return nil, err
	}
	return outliners[strings.ToLower(path.Ext(name))](strings.ReplaceAll(src, "\r\n", "\n")), nil
}

func writeOutline(b *strings.Builder, name string, symbols []symbol) {
	b.WriteString(name + "\n")
	for i, s := range symbols {
		if i == outlineSymbols {
			fmt.Fprintf(b, "  [%d more]\n", len(symbols)-i)
			return
		}
		fmt.Fprintf(b, "%s%d: %s\n", strings.Repeat("  ", min(s.depth, 8)+1), s.line, clip.Line(s.text, 160))
	}
}
