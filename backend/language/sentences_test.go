package language_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spoken are the files with texts that a person reads in the window and that are not faults:
// reasons of approvals, warnings, states, notes.
var spoken = []string{
	"../acp/answer.go:Answer", "../acp/call.go:action", "../provider/exchange/failure.go", "../provider/exchange/retry.go", "../approval/*.go", "../assemble/call.go", "../assemble/frontmatter.go", "../attention/forest.go", "../chat/documents.go", "../checkpoint/*.go",
	"../compaction/compaction.go", "../compaction/plan.go", "../cost/budget.go", "../documents/links.go", "../documents/processes.go", "../documents/summary.go",
	"../fork/outcome.go", "../inspect/compare.go", "../kind/file.go", "../loopdetect/*.go", "../macro/*.go",
	"../mcp/mcp.go", "../mcp/server.go", "../subprocess/*.go", "../mcp/client/*.go", "../mcp/imports/entry.go", "../mcp/offer/ask.go", "../mcp/config/*.go", "../mcp/signin/*.go", "../media/convert.go", "../media/document.go", "../media/insert.go", "../media/loader.go",
	"../notebook/parse.go", "../notebook/scan.go", "../page/*.go", "../preview/*.go", "../prompt/[a-r]*.go", "../ref/ref.go", "../role/kinds.go", "../rules/*.go",
	"../runner/activity.go", "../runner/forks_join.go", "../runner/loops.go", "../settings/explain.go", "../settings/file.go", "../settings/keyring*.go", "../settings/keys.go", "../request/skills.go:whyNot", "../skills/*.go",
	"../summaries/overflow.go", "../tool/builtin/*.go:Action",
}

// unspoken are texts of these files that no person reads in the window.
var unspoken = regexp.MustCompile(`^(run refused, |no lock taken|lock taken over|> Error including |\[|\(%d |error parsing |it is no address$|stop at |open |build prompt: |credit balance is too low|server gave HTTP response|\(what it reads\)|; call the tool again|: the file is gone; an )`)

// sentence distinguishes a sentence from a list of names: it has a word that joins others.
var sentence = regexp.MustCompile(`\b(is|are|was|were|has|have|can|could|cannot|may|be|been|the|of|an|its?|to|not|no|that|in|by|with|for|from|what|while|when|which|only|runs|reads?|writes?|takes?|sets?|deletes?)\b`)

var (
	verb     = regexp.MustCompile(`%[a-zA-Z]`)
	hyphened = regexp.MustCompile(`\w?-\w`)
)

// TestSentencesAreTranslated finds each sentence of the program that is not a fault in the
// catalogue: as a key, or as part of one that it is joined to.
func TestSentencesAreTranslated(t *testing.T) {
	var keys strings.Builder
	for key, in := range catalogue(t, "zh-CN.sentences.json") {
		sameFields(t, key, in)
		keys.WriteString(key + "\n")
	}
	for key := range catalogue(t, "zh-CN.program.json") {
		keys.WriteString(key + "\n")
	}
	found := 0
	for _, glob := range spoken {
		glob, in, _ := strings.Cut(glob, ":")
		for _, path := range sources(t, glob) {
			for _, text := range sentences(t, path, in) {
				found++
				parts := verb.Split(strings.TrimSpace(strings.ReplaceAll(text, "%%", "%")), -1)
				for i, part := range parts {
					parts[i] = regexp.QuoteMeta(part)
				}
				if !regexp.MustCompile(strings.Join(parts, `[^\n]+`)).MatchString(keys.String()) {
					t.Errorf("%s: %q is not in zh-CN.sentences.json", path, text)
				}
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d sentences were found", found)
	}
}

// sources returns the files that a pattern matches, without tests.
func sources(t *testing.T, glob string) []string {
	t.Helper()
	paths, err := filepath.Glob(glob)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", glob, paths, err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
}

// told are the files whose errors a person reads in the window, as problems of an MCP server.
var told = []string{"../acp/conn.go", "../acp/lines.go", "../acp/link.go", "../mcp/server.go", "../mcp/signins.go", "../subprocess/*.go", "../mcp/client/*.go", "../mcp/config/*.go", "../mcp/imports/*.go", "../mcp/signin/*.go"}

// TestErrorsOfServersAreTranslated finds each error of these files in the catalogue.
func TestErrorsOfServersAreTranslated(t *testing.T) {
	var keys strings.Builder
	for _, name := range []string{"zh-CN.sentences.json", "zh-CN.program.json"} {
		for key := range catalogue(t, name) {
			keys.WriteString(key + "\n")
		}
	}
	found := 0
	for _, glob := range told {
		for _, path := range sources(t, glob) {
			for _, text := range errorsIn(t, path) {
				found++
				parts := verb.Split(strings.ReplaceAll(text, "%%", "%"), -1)
				for i, part := range parts {
					parts[i] = regexp.QuoteMeta(part)
				}
				if !regexp.MustCompile(`(?m)^` + strings.Join(parts, `\{\d\}`) + `$`).MatchString(keys.String()) {
					t.Errorf("%s: %q is not in zh-CN.sentences.json", path, text)
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d errors were found", found)
	}
}

// errorsIn returns the texts of the errors that a file makes and that are not faults.
func errorsIn(t *testing.T, path string) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && (name(call.Fun) == "fmt.Errorf" || name(call.Fun) == "errors.New") {
			if text, is := literal(call.Args[0]); is && sentence.MatchString(text) {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}

// sentences returns the texts of a file that read like sentences, only of the functions of one name
// if it is given. Texts of faults are found elsewhere.
func sentences(t *testing.T, path, in string) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); in != "" && (!ok || f.Name.Name != in) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch name(n.Fun) {
				case "fault.New", "fmt.Errorf", "errors.New", "lazyregexp.New", "setOf", "panic", "Info", "Warn", "Error":
					return false
				}
			case *ast.Field, *ast.ImportSpec: // a tag
				return false
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind == token.STRING && err == nil && !unspoken.MatchString(text) && reads(text) {
					texts = append(texts, text)
				}
			}
			return true
		})
	}
	return texts
}

func reads(text string) bool {
	words := strings.Fields(text)
	if len(words) > 12 && !strings.ContainsAny(text, ".,:;") || strings.Contains(text, "--") || len(hyphened.FindAllString(text, 3)) > 2 {
		return false // a list
	}
	return len(words) > 2 && sentence.MatchString(text)
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok && (of.Name == "fault" || of.Name == "fmt" || of.Name == "errors" || of.Name == "lazyregexp") {
			return of.Name + "." + e.Sel.Name
		}
		return e.Sel.Name
	}
	return ""
}
