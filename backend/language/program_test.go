package language_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

// common are sentences of the system and of libraries that occur in ours.
var common = []string{
	"open {0}: {1}", "read {0}: {1}", "write {0}: {1}", "stat {0}: {1}", "lstat {0}: {1}", "mkdir {0}: {1}", "remove {0}: {1}",
	"readdirent {0}: {1}", "openat {0}: {1}", "statat {0}: {1}", "chmod {0}: {1}", "rename {0} {1}: {2}", "link {0} {1}: {2}", "symlink {0} {1}: {2}",
	"no such file or directory", "permission denied", "file exists", "is a directory", "not a directory", "no space left on device",
	"read-only file system", "file name too long", "too many open files", "operation not permitted", "input/output error",
	"directory not empty", "path escapes from parent", "connection refused", "context deadline exceeded", "unexpected EOF", "stopped",
}

// said returns the texts, with fields as {0}, of each message in the program's code, and the
// descriptions of its kinds.
func said(t *testing.T) []string {
	t.Helper()
	texts := slices.Clone(common)
	dummies := slices.Repeat([]any{"x"}, 30)
	kinds, err := filepath.Glob("../../assets/agents/*.md")
	if err != nil || len(kinds) == 0 {
		t.Fatal(kinds, err)
	}
	for _, path := range kinds {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, description.FindStringSubmatch(string(data))[1])
	}
	err = filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "frontend" || name == "node_modules" || name == ".git" || name == "scripts") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			fn, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fn.Sel.Name != "New" {
				return true
			}
			if of, ok := fn.X.(*ast.Ident); !ok || of.Name != "fault" {
				return true
			}
			if format, ok := literal(call.Args[1]); ok {
				if text := fault.Say(format, dummies...)[0].Text; words.MatchString(text) {
					texts = append(texts, text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

var description = regexp.MustCompile(`(?m)^description: (.+)$`)

var words = regexp.MustCompile(`\p{L}{2}`)

// literal returns a text in the code, possibly joined from several.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, first := literal(e.X)
		b, second := literal(e.Y)
		return a + b, first && second && e.Op == token.ADD
	}
	return "", false
}

// TestTheProgramsMessagesAreInChinese also writes missing texts if MUTSUMI_TEXTS names a file.
func TestTheProgramsMessagesAreInChinese(t *testing.T) {
	chinese := catalogue(t, "zh-CN.program.json")
	texts := said(t)
	if len(texts) < 300 {
		t.Errorf("found %d messages alone", len(texts))
	}
	var missing []string
	for _, text := range texts {
		in := chinese[text]
		if in == "" {
			missing = append(missing, text)
			continue
		}
		sameFields(t, text, in)
	}
	for text := range chinese {
		if !slices.Contains(texts, text) {
			t.Errorf("%q is no longer used: remove it from zh-CN.program.json", text)
		}
	}
	if len(missing) > 0 {
		t.Errorf("%d messages are not in zh-CN.program.json: %q", len(missing), missing[:min(len(missing), 20)])
		if to := os.Getenv("MUTSUMI_TEXTS"); to != "" {
			data, _ := json.MarshalIndent(missing, "", "  ")
			os.WriteFile(to, data, 0o600)
		}
	}
}

// catalogue reads a catalogue of texts alone.
func catalogue(t *testing.T, name string) (texts map[string]string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// sameFields checks that a text and its Chinese have the same fields. A field
// {0!} of the Chinese is a sentence itself.
func sameFields(t *testing.T, text, in string) {
	t.Helper()
	in = inner.ReplaceAllString(in, "{$1}")
	for _, field := range fields.FindAllString(in, -1) {
		if !strings.Contains(text, field) {
			t.Errorf("%q: its Chinese has the field %s: %q", text, field, in)
		}
	}
	for _, field := range fields.FindAllString(text, -1) {
		if !strings.Contains(in, field) {
			t.Errorf("%q: its Chinese lacks the field %s: %q", text, field, in)
		}
	}
}

var (
	fields = regexp.MustCompile(`\{\d\}`)
	inner  = regexp.MustCompile(`\{(\d)!\}`)
)
