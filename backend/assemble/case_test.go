package assemble_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/assemble"
	"mutsumi/backend/assemble/casetest"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
)

var update = flag.Bool("update", false, "write what comes out into the cases")

// In addition to what every case has, doc is the document, and options are mode, trusted, file,
// typed, allowed, and any number of `define NAME value`.
func TestCases(t *testing.T) {
	casetest.Run(t, *update, func(c *casetest.Case) map[string]string {
		macros := macro.New(nil)
		for _, define := range c.Options("define") {
			name, value, _ := strings.Cut(define, " ")
			macros.Define(name, value)
		}
		roots, err := files.New(c.Workspace, []string{filepath.Join(c.Workspace, c.Option("allowed"))})
		must(c.T, err)
		tools := &caller{roots: roots}
		a := assemble.New(assemble.Config{Roots: roots, Macros: macros, Tools: tools, Trusted: c.Option("trusted") != "no"})
		in := assemble.Text{Text: strings.TrimSuffix(c.Text("doc"), "\n"), Typed: c.Option("typed") == "yes"}
		if file := c.Option("file"); file != "" {
			in.File = filepath.Join(c.Workspace, file)
		}
		how := a.Inline
		if c.Option("mode") == "append" {
			how = a.Append
		}
		out := how(c.Context(), in)
		var items, warnings strings.Builder
		for _, item := range out.Items {
			fmt.Fprintf(&items, "== %s %s %s\n%s\n", item.Type, item.Key, item.Metadata, item.Content)
		}
		for _, w := range out.Warnings {
			fmt.Fprintln(&warnings, w)
		}
		return map[string]string{
			"content": out.Content, "items": items.String(), "warnings": warnings.String(), "ran": strings.Join(tools.ran, "\n"),
			"front": fmt.Sprintf("description %q\nparams %q\n", out.Description, out.Params),
		}
	})
}
