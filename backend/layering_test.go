package backend

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "mutsumi"

// mayImport lists, for each package below backend, those of our packages that it may import. A
// package that is missing here fails the test: it needs a place in the architecture first.
var mayImport = map[string][]string{
	"chat":        {"jsontext"},
	"fault":       {},
	"macro":       {"clip"},
	"ref":         {"lazyregexp"},
	"lazyregexp":  {},
	"finder":      {},
	"textsearch":  {"clip", "fault", "lazyregexp"},
	"clip":        {},
	"atomicfile":  {},
	"ledger":      {"atomicfile", "chat", "fingerprint", "jsontext", "lock"},
	"slots":       {"lock"},
	"lock":        {},
	"language":    {"fault"},
	"sample":      {"language", "notebook"},
	"promptcache": {},
	"version":     {},
	"runlock":     {"fault", "filelock", "process"},
	"log":         {"fault", "filelock", "lazyregexp", "lock", "process"},

	"halves":      {},
	"unzeroed":    {},
	"linediff":    {"clip"},
	"testoutput":  {"lazyregexp"},
	"fingerprint": {},
	"jsontext":    {},
	"lenientjson": {"jsontext", "lazyregexp"},
	"tokens":      {"lock"},

	"glob":     {},
	"filelock": {},

	"frontmatter": {"lazyregexp"},
	"skills":      {"clip", "frontmatter", "fswatch", "lazyregexp"},

	"files": {"fault", "glob"},
	"rules": {"fault", "files", "fswatch", "halves"},

	"slashcommand": {"clip", "fault", "frontmatter", "lazyregexp", "ref", "rules"},

	"settings":  {"atomicfile", "clip", "fault", "filelock", "fswatch", "language", "lazyregexp", "linediff", "lock", "promptcache"},
	"agenttree": {"fault"},
	"desktop":   {"fault", "lock"},

	"unsaved": {"notebook"},
	"fswatch": {},

	"process":   {},
	"jobobject": {"lock"},
	"notebook":  {"chat", "fault", "halves", "unzeroed", "jsontext", "lenientjson", "process", "clip", "lazyregexp"},
	"approval":  {"chat", "clip", "fault", "files", "glob", "lazyregexp", "lock", "mcp/toolname"},
	"provider":  {"chat", "fault", "fingerprint"},
	"tool":      {"chat", "clip", "fault", "jsontext", "lenientjson"},
	"cost":      {"chat"},

	"git":        {"fault", "lazyregexp"},
	"checkpoint": {"fault", "filelock", "git", "linediff", "lock"},
	"kind":       {"clip", "fault", "frontmatter", "lazyregexp", "lock", "mcp/toolname", "rules"},
	"timeline":   {"notebook", "chat", "clip"},
	"title":      {"lazyregexp", "ref"},
	"worktree":   {"atomicfile", "clip", "fault", "git", "lock"},

	"page":        {"lock"},
	"page/webkit": {"page"},

	"desktop/bustest":   {},
	"files/filestest":   {},
	"waittest":          {},
	"cli/clitest":       {},
	"assemble/casetest": {},

	"pdf": {},

	"pdf/pdftest": {},

	"media":    {"files", "chat", "fault", "clip", "lock", "pdf", "lazyregexp"},
	"assemble": {"macro", "ref", "files", "frontmatter", "fault", "jsontext", "lock"},
	"prompt":   {"chat", "halves", "unzeroed", "notebook", "assemble", "macro", "ref", "rules", "media", "files", "fault", "jsontext", "tokens", "clip", "slashcommand", "mcp/toolname"},

	"provider/exchange":     {"provider", "unzeroed", "chat", "clip", "fault", "lock", "fingerprint", "lazyregexp"},
	"provider/openai":       {"provider", "provider/exchange", "chat", "jsontext"},
	"provider/anthropic":    {"provider", "provider/exchange", "chat", "jsontext", "lazyregexp"},
	"provider/responses":    {"provider", "provider/exchange", "chat", "jsontext"},
	"provider/demo":         {"provider", "chat", "fault", "clip", "lock", "lazyregexp"},
	"provider/providertest": {"provider", "chat", "fault", "lazyregexp"},
	"tool/builtin":          {"tool", "jobobject", "files", "chat", "fault", "linediff", "clip", "lock", "lazyregexp"},

	"event": {"access", "chat", "notebook", "agenttree", "approval", "kind", "timeline", "fault", "lock"},
	"agent": {"chat", "provider", "tool", "event", "fault", "lenientjson", "tokens"},

	"attention":   {"agent", "agenttree", "approval", "clip", "desktop", "language", "lock"},
	"access":      {"approval", "fault", "files", "kind", "language", "lock", "rules", "settings", "skills", "slashcommand", "worktree"},
	"preferences": {"cost", "event", "fault", "lock", "settings"},
	"agentfiles":  {"atomicfile", "fault", "files", "inspect", "lazyregexp"},
	"coedit":      {"approval", "checkpoint", "fault", "files", "notebook", "timeline", "tool", "lock"},
	"complete":    {"agenttree", "clip", "fault", "files", "finder", "mcp", "mcp/client", "media", "ref", "tool", "lock", "slashcommand", "lazyregexp"},
	"coalesce":    {"agent", "chat", "event", "provider", "lock"},
	"loopdetect":  {"chat", "clip"},

	"inspect": {"agent", "chat", "provider", "prompt", "promptcache", "tokens", "jsontext", "linediff"},

	"typed": {"lazyregexp", "notebook", "ref"},
	"fork":  {"chat", "notebook", "tool", "tool/builtin"},

	"documents": {"access", "agenttree", "clip", "cost", "desktop", "event", "fault", "files", "fswatch", "lock", "log", "notebook", "process", "runlock", "settings", "textsearch", "timeline", "unsaved"},

	"worktree/owned": {"access", "agenttree", "checkpoint", "desktop", "documents", "event", "fault", "git", "notebook", "tool/builtin", "worktree"},
	"filehistory":    {"agentfiles", "approval", "checkpoint", "documents", "event", "fault", "files", "notebook", "tool"},
	"compaction":     {"chat", "clip", "cost"},
	"folderrules":    {"access", "documents", "event", "fault", "rules"},
	"commands":       {"agentfiles", "documents", "event", "lock", "settings", "tool/builtin"},
	"subprocess":     {"jobobject", "lock"},
	"acp":            {"agent", "chat", "clip", "fault", "jsontext", "linediff", "lock", "provider", "subprocess", "tool", "version"},
	"acp/acptest":    {"lock"},
	"acp/serve":      {"agenttree", "approval", "catalog", "chat", "clip", "event", "fault", "files", "jsontext", "lazyregexp", "lock", "notebook", "runner", "settings", "tool", "tool/builtin", "version", "workspace"},
	"mcp":            {"clip", "fault", "jsontext", "lock", "mcp/client", "mcp/config", "mcp/signin", "mcp/toolname", "subprocess"},
	"mcp/config":     {"clip"},
	"mcp/client":     {"clip", "lock", "mcp/config", "mcp/signin", "subprocess", "version"},
	"mcp/signin":     {"clip", "lock"},
	"mcp/offer":      {"chat", "clip", "fault", "jsontext", "lenientjson", "lock", "mcp", "mcp/client", "mcp/toolname", "tool", "tool/builtin"},
	"mcp/toolname":   {},
	"mcp/imports":    {"clip", "fault", "lazyregexp", "mcp/config"},
	"mcp/mcptest":    {"lock", "mcp/config", "pdf/pdftest"},
	"mcp/serve":      {"agenttree", "approval", "catalog", "chat", "clip", "event", "lock", "notebook", "ref", "request", "runner", "textsearch", "version", "workspace"},
	"images":         {"access", "documents", "fault", "media", "notebook", "pdf", "settings"},
	"naming":         {"chat", "documents", "language", "notebook", "title"},
	"metaedit":       {"assemble", "documents", "event", "fault", "macro", "notebook", "prompt"},
	"role":           {"access", "documents", "event", "fault", "kind", "metaedit", "notebook", "prompt", "rules", "settings", "tool", "tool/builtin"},
	"approvals":      {"access", "agentfiles", "approval", "attention", "commands", "documents", "event", "fault", "settings", "tool/builtin"},
	"catalog":        {"access", "agentfiles", "agenttree", "commands", "desktop", "documents", "fault", "fork", "kind", "language", "naming", "notebook", "role", "settings", "worktree/owned"},
	"request":        {"access", "agent", "agentfiles", "assemble", "chat", "checkpoint", "clip", "commands", "documents", "fault", "filehistory", "files", "folderrules", "fork", "halves", "lock", "macro", "mcp", "mcp/client", "mcp/offer", "mcp/toolname", "media", "naming", "notebook", "prompt", "promptcache", "provider", "ref", "role", "rules", "settings", "skills", "slashcommand", "tokens", "tool", "tool/builtin", "typed"},
	"runner":         {"access", "acp", "agent", "agentfiles", "agenttree", "approval", "approvals", "attention", "catalog", "chat", "checkpoint", "clip", "coalesce", "coedit", "commands", "compaction", "cost", "documents", "event", "fault", "filehistory", "files", "fingerprint", "fork", "inspect", "kind", "ledger", "lock", "log", "loopdetect", "metaedit", "naming", "notebook", "preferences", "process", "prompt", "promptcache", "provider", "request", "role", "settings", "slots", "timeline", "title", "tokens", "tool", "tool/builtin", "typed", "worktree/owned"},
	"preview":        {"access", "agentfiles", "assemble", "chat", "documents", "fault", "files", "fingerprint", "folderrules", "inspect", "jsontext", "kind", "ledger", "macro", "mcp/offer", "mcp/toolname", "media", "notebook", "prompt", "promptcache", "provider", "ref", "request", "role"},
	"summaries":      {"agentfiles", "chat", "compaction", "cost", "documents", "event", "fault", "lock", "notebook", "preferences", "prompt", "role", "runner", "settings", "tokens"},
	"lookup":         {"agenttree", "chat", "clip", "fault", "lock", "notebook"},
	"branches":       {"agentfiles", "agenttree", "approval", "catalog", "chat", "checkpoint", "clip", "cost", "documents", "event", "fault", "fork", "inspect", "linediff", "lock", "naming", "notebook", "settings", "testoutput", "tool/builtin", "worktree/owned"},
	"workspace":      {"access", "acp", "agent", "agentfiles", "agenttree", "approval", "approvals", "assemble", "attention", "branches", "catalog", "checkpoint", "coedit", "commands", "complete", "desktop", "documents", "event", "fault", "filehistory", "files", "folderrules", "fswatch", "git", "images", "kind", "language", "lock", "log", "lookup", "mcp", "mcp/config", "mcp/imports", "mcp/signin", "media", "metaedit", "notebook", "preferences", "preview", "prompt", "ref", "request", "role", "runlock", "runner", "sample", "settings", "skills", "slashcommand", "summaries", "tokens", "tool", "tool/builtin", "unsaved", "version", "worktree", "worktree/owned"},
	"web":            {"complete", "event", "fault", "language", "lock", "notebook", "workspace"},
}

// onlyIn lists the packages in which an outside module may be imported ("" is the root).
var onlyIn = map[string][]string{
	"github.com/wailsapp/wails":        {""},
	"github.com/sashabaranov":          {"backend/provider/openai"},
	"github.com/fsnotify/fsnotify":     {"backend/fswatch"},
	"go.yaml.in/yaml":                  {"backend/slashcommand", "backend/assemble", "backend/frontmatter", "backend/settings", "backend/kind", "backend/skills"},
	"github.com/zalando/go-keyring":    {"backend/settings"},
	"github.com/tiktoken-go":           {"backend/tokens"},
	"github.com/cenkalti/backoff":      {"backend/provider/exchange"},
	"github.com/google/jsonschema-go":  {"backend/tool"},
	"mvdan.cc/sh":                      {"backend/approval", "backend/mcp/imports"},
	"github.com/creack/pty":            {"backend/tool/builtin", "backend/cli"},
	"github.com/aymanbagabas/go-udiff": {"backend/linediff"},
	"github.com/coder/acp-go-sdk":      {"backend/acp", "backend/acp/serve"},
	"github.com/modelcontextprotocol":  {"backend/mcp/client", "backend/mcp/mcptest", "backend/mcp/serve", "backend/mcp/signin"},
	"github.com/sasha-s/go-deadlock":   {"backend/lock"},
}

var badName = regexp.MustCompile(`^(utils?|common|helpers?|types|managers?|services?|misc|base|shared|lib)$`)

type goPackage struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T, tags string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", tags, "-json=ImportPath,Dir,Imports,TestImports,XTestImports", module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.ImportPath, "/node_modules/") {
			all = append(all, p)
		}
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages", len(all))
	}
	return all
}

func TestImports(t *testing.T) {
	for _, p := range packages(t, "desktop") {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		own := strings.TrimPrefix(name, "backend/")
		allowed, listed := mayImport[own]
		everything := name == "" || own == "cli"
		if !listed && !everything && name != "backend" && strings.HasPrefix(name, "backend/") {
			t.Errorf("%s has no place in mayImport", name)
		}
		if badName.MatchString(filepath.Base(own)) {
			t.Errorf("%s: a package is named for what it is about", name)
		}
		for _, imp := range p.Imports {
			if sub, ok := strings.CutPrefix(imp, module+"/backend/"); ok && listed && !slices.Contains(allowed, sub) {
				t.Errorf("%s may not import %s", name, sub)
			}
			if imp == module {
				t.Errorf("%s imports the root", name)
			}
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for prefix, homes := range onlyIn {
				if strings.HasPrefix(imp, prefix) && !slices.Contains(homes, name) {
					t.Errorf("%s may not import %s", name, imp)
				}
			}
		}
	}
}

// The bound methods only delegate.
func TestAppIsThin(t *testing.T) {
	files, err := filepath.Glob("../app*.go")
	if err != nil {
		t.Fatal(err)
	}
	bound := 0
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			bound += checkBound(t, name)
		}
	}
	if bound < 60 {
		t.Errorf("found %d bound methods", bound)
	}
}

// checkBound checks the bound methods of a file and returns how many there are.
func checkBound(t *testing.T, name string) (bound int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || !fn.Name.IsExported() {
			continue
		}
		bound++
		body := fn.Body.List
		if len(body) > 3 {
			t.Errorf("%s has %d statements, at most 3", fn.Name.Name, len(body))
		}
		if fn.Type.Results != nil && hasError(fn.Type.Results) {
			if _, ok := body[0].(*ast.DeferStmt); !ok {
				t.Errorf("%s does not recover: Wails would leave its caller waiting for ever", fn.Name.Name)
			}
		}
	}
	return bound
}

func hasError(results *ast.FieldList) bool {
	for _, r := range results.List {
		if id, ok := r.Type.(*ast.Ident); ok && id.Name == "error" {
			return true
		}
	}
	return false
}

// go doc ./backend names every package, since it is their map.
func TestTheMapNamesEveryPackage(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range mayImport {
		if strings.HasSuffix(name, "test") && name != "provider/providertest" {
			continue // belongs to the tests of one package
		}
		if !regexp.MustCompile(`[ (]` + regexp.QuoteMeta(name) + `[,:;]`).Match(b) {
			t.Errorf("doc.go does not name package %s", name)
		}
	}
}
