package approval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names of files that another program runs or obeys without anybody naming them again.
var runLater = strings.Fields(`.husky/pre-commit .githooks/post-checkout .git/hooks/pre-commit sub/.git/config lib.git/config bare/HEAD .vscode/tasks.json
	package.json web/package.json Makefile GNUmakefile rules.mk .envrc .npmrc .yarnrc.yml .cargo/config.toml .github/workflows/ci.yml .pre-commit-config.yaml
	conftest.py tests/conftest.py .mcp.json .claude/settings.json plan.mtm .mutsumi/agent-1.mtm .mutsumi/rules/a.md .gitattributes docs/.gitattributes
	vite.config.ts web/next.config.mjs .eslintrc.js .eslintrc.json .babelrc karma.conf.js gulpfile.js Gruntfile.js .lintstagedrc .devcontainer.json .lvimrc .lfsconfig AGENTS.md CLAUDE.md .cursorrules opencode.json action.yml
	configure .pnp.cjs flake.nix go.mod Cargo.toml rust-toolchain.toml Package.swift nodemon.json .air.toml manage.py .env .Rprofile
	MAKEFILE Package.json .Husky/x PLAN.MTM Dockerfile Dockerfile.dev pyproject.toml .gitlab-ci.yml`)

func TestWhatRunsLaterIsCoveredByNoStar(t *testing.T) {
	dir := t.TempDir()
	p := NewPolicy()
	for _, tool := range []string{"write_file", "edit_file"} {
		for _, pattern := range []string{"**", "*", "*/*", "*.*", "sub/**", "web/**", "**/*.mtm", "**/*.json"} {
			if _, err := p.Add(Rule{Tool: tool, Pattern: pattern, Scope: Always}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := p.Add(Rule{Tool: "shell", Pattern: "> **", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Add(Rule{Tool: "shell", Pattern: "cp *", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	at := Call{Workspace: dir, Roots: []string{dir}}
	for _, name := range runLater {
		for _, tool := range []string{"write_file", "edit_file"} {
			c := at
			c.Tool, c.Arguments = tool, arguments(t, map[string]string{"uri": name})
			if v := p.Check(c); v.Outcome != Ask {
				t.Errorf("%s of %s: %s (%s), want ask", tool, name, v.Outcome, v.Reason)
			}
			saysLater(t, c, name)
		}
		for _, command := range []string{"echo x > " + name, "cp a.txt " + name} {
			c := at
			c.Tool, c.Arguments = "shell", arguments(t, map[string]string{"command": command})
			if v := p.Check(c); v.Outcome != Ask {
				t.Errorf("%s: %s (%s), want ask", command, v.Outcome, v.Reason)
			}
			saysLater(t, c, name)
		}
	}
	for _, name := range []string{"a.go", "src/head.go", "docs/package.md", "config", "src/hooks/use.ts", ".github/FUNDING.yml", "src/config.ts", "config.js", "tsconfig.json", "notes/agents.txt", "src/env.ts", "app.config.md"} {
		c := at
		c.Tool, c.Arguments = "write_file", arguments(t, map[string]string{"uri": name})
		if v := p.Check(c); v.Outcome != Allow {
			t.Errorf("write_file of %s: %s (%s), want allow", name, v.Outcome, v.Reason)
		}
	}
}

func TestWhatRunsLaterCanBeGrantedByName(t *testing.T) {
	dir := t.TempDir()
	p := NewPolicy()
	c := Call{Tool: "write_file", Workspace: dir, Roots: []string{dir}, Arguments: arguments(t, map[string]string{"uri": "web/package.json"})}
	r := NewRequest(c, About{})
	if len(r.Suggestions) != 1 || r.Suggestions[0].Patterns[0] != "web/package.json" {
		t.Fatalf("offered %+v, want only the file itself", r.Suggestions)
	}
	if _, err := p.Add(Rule{Tool: "write_file", Pattern: r.Suggestions[0].Patterns[0], Scope: Always}); err != nil {
		t.Fatal(err)
	}
	if v := p.Check(c); v.Outcome != Allow {
		t.Errorf("%s (%s), want allow", v.Outcome, v.Reason)
	}
}

func TestTheCardWarnsOfALinkToAFileThatRunsLater(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git/hooks", filepath.Join(dir, "hooklink")); err != nil {
		t.Fatal(err)
	}
	p := NewPolicy()
	if _, err := p.Add(Rule{Tool: "write_file", Pattern: "**", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	c := Call{Tool: "write_file", Workspace: dir, Roots: []string{dir}, Arguments: arguments(t, map[string]string{"uri": "hooklink/pre-commit"})}
	if v := p.Check(c); v.Outcome != Ask {
		t.Errorf("%s (%s), want ask", v.Outcome, v.Reason)
	}
	saysLater(t, c, ".git/hooks/pre-commit")
}

func saysLater(t *testing.T, c Call, name string) {
	t.Helper()
	for _, w := range NewRequest(c, About{}).Warnings {
		if w.Kind == RiskRuns && strings.Contains(w.Text, name) && strings.Contains(w.Text, "can run later") {
			return
		}
	}
	t.Errorf("the card of %s %s does not say that %s can run later: %+v", c.Tool, c.Arguments, name, NewRequest(c, About{}).Warnings)
}

func arguments(t *testing.T, args map[string]string) string {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
