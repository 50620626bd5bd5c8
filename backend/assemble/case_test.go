package assemble_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mutsumi/backend/assemble"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
)

var update = flag.Bool("update", false, "write what comes out into the cases")

// A case is an archive: a first paragraph that says what it shows and which
// line of the specification; ws/... is the workspace; doc is the document;
// options holds lines `name value` (mode, trusted, file, typed, allowed) and
// `define NAME value`; want/... is what must come out. ${WS} is the workspace.
func TestCases(t *testing.T) {
	list, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	if len(list) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range list {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, file) })
	}
}

func runCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	must(t, err)
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	options := map[string]string{}
	macros := macro.New(nil)
	doc := ""
	for _, f := range archive.Files {
		data := bytes.ReplaceAll(f.Data, []byte("${WS}"), []byte(ws))
		switch {
		case strings.HasPrefix(f.Name, "ws/"):
			p := filepath.Join(ws, strings.TrimPrefix(f.Name, "ws/"))
			must(t, os.MkdirAll(filepath.Dir(p), 0o755))
			must(t, os.WriteFile(p, data, 0o644))
		case f.Name == "doc":
			doc = strings.TrimSuffix(string(data), "\n")
		case f.Name == "options":
			for line := range strings.Lines(string(data)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
				if name == "define" {
					name, value, _ = strings.Cut(value, " ")
					macros.Define(name, value)
					continue
				}
				options[name] = value
			}
		}
	}
	allowed := []string{ws}
	if a := options["allowed"]; a != "" {
		allowed = []string{filepath.Join(ws, a)}
	}
	roots, err := files.New(ws, allowed)
	must(t, err)
	tools := &caller{roots: roots}
	a := assemble.New(assemble.Config{Roots: roots, Macros: macros, Tools: tools, Trusted: options["trusted"] != "no"})
	in := assemble.Text{Text: doc, Typed: options["typed"] == "yes"}
	if options["file"] != "" {
		in.File = filepath.Join(ws, options["file"])
	}
	var out assemble.Document
	if options["mode"] == "append" {
		out = a.Append(t.Context(), in)
	} else {
		out = a.Inline(t.Context(), in)
	}
	var items, warnings strings.Builder
	for _, item := range out.Items {
		fmt.Fprintf(&items, "== %s %s %s\n%s\n", item.Type, item.Key, item.Metadata, item.Content)
	}
	for _, w := range out.Warnings {
		fmt.Fprintln(&warnings, w)
	}
	got := map[string]string{
		"want/content": out.Content, "want/items": items.String(), "want/warnings": warnings.String(), "want/ran": strings.Join(tools.ran, "\n"),
		"want/front": fmt.Sprintf("description %q\nparams %q\n", out.Description, out.Params),
	}
	changed := false
	for i, f := range archive.Files {
		g, ok := got[f.Name]
		if !ok {
			continue
		}
		if g != "" && !strings.HasSuffix(g, "\n") {
			g += "\n"
		}
		g = strings.ReplaceAll(g, ws, "${WS}")
		if g == string(f.Data) {
			continue
		}
		if *update {
			archive.Files[i].Data = []byte(g)
			changed = true
			continue
		}
		t.Errorf("%s\n--- got\n%s--- want\n%s", f.Name, g, f.Data)
	}
	if changed {
		must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
}
