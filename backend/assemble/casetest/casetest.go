// Package casetest runs test cases that are archives in testdata: a first paragraph that describes
// the case and names the line of the specification; ws/... is the workspace; options holds lines
// `name value`; want/... is the expected output; the rest is for the test. ${WS} is the workspace
// everywhere. A workspace file whose name ends in .base64 is written decoded.
package casetest

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Case is one archive, unpacked.
type Case struct {
	*testing.T
	Workspace string // an absolute path without links

	options map[string][]string
	texts   map[string]string
	read    map[string]bool
}

// Option returns the value of an option, "" when it is not there.
func (c *Case) Option(name string) string {
	if all := c.options[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// Options returns the values of an option that can be there several times, in order.
func (c *Case) Options(name string) []string { return c.options[name] }

// Text returns a file of the archive; "" when it is not there.
func (c *Case) Text(name string) string {
	c.read[name] = true
	return c.texts[name]
}

// Run runs each case of testdata. do returns the outputs by the names of their files in want/;
// outputs without a file are not compared. With update the outputs are written into the cases.
func Run(t *testing.T, update bool, do func(c *Case) map[string]string) {
	t.Helper()
	list, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(list) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range list {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			must(t, err)
			c := unpack(t, archive)
			got := do(c)
			for name := range c.texts {
				if !c.read[name] {
					t.Errorf("nobody reads the file %s", name)
				}
			}
			if compare(c, archive, got, update) {
				must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
		})
	}
}

func unpack(t *testing.T, archive *txtar.Archive) *Case {
	t.Helper()
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	c := &Case{T: t, Workspace: ws, options: map[string][]string{}, texts: map[string]string{}, read: map[string]bool{}}
	for _, f := range archive.Files {
		data := bytes.ReplaceAll(f.Data, []byte("${WS}"), []byte(ws))
		inside, isFile := strings.CutPrefix(f.Name, "ws/")
		switch {
		case isFile:
			path := filepath.Join(ws, inside)
			if plain, ok := strings.CutSuffix(path, ".base64"); ok {
				path = plain
				data, err = base64.StdEncoding.DecodeString(strings.TrimSpace(string(data)))
				must(t, err)
			}
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, data, 0o644))
		case f.Name == "options":
			for line := range strings.Lines(string(data)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
				c.options[name] = append(c.options[name], value)
			}
		case !strings.HasPrefix(f.Name, "want/"):
			c.texts[f.Name] = string(data)
		}
	}
	return c
}

// compare compares the outputs with the case; true: the case has to be rewritten.
func compare(c *Case, archive *txtar.Archive, got map[string]string, update bool) (changed bool) {
	c.Helper()
	for i, f := range archive.Files {
		name, isWant := strings.CutPrefix(f.Name, "want/")
		if !isWant {
			continue
		}
		g, ok := got[name]
		if !ok {
			c.Errorf("nothing comes out that is called %s", name)
			continue
		}
		if g != "" && !strings.HasSuffix(g, "\n") {
			g += "\n"
		}
		g = strings.ReplaceAll(g, c.Workspace, "${WS}")
		switch {
		case g == string(f.Data):
		case update:
			archive.Files[i].Data, changed = []byte(g), true
		default:
			c.Errorf("%s\n--- got\n%s--- want\n%s", f.Name, g, f.Data)
		}
	}
	return changed
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
