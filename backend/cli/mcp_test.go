package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"mutsumi/backend/mcp/mcptest"
)

// mcpFile is a `.mcp.json` with one test server.
func mcpFile(t *testing.T, name, manner string) string {
	t.Helper()
	s := mcptest.Server(name, manner)
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{"command": s.Command, "env": s.Env}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The servers of a folder are listed, started and called once it is trusted.
func TestMCP(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".mcp.json", mcpFile(t, "demo", "good"))
	out, errs, status := call(t, "", nil, "mcp", "list", dir)
	if status != 0 || !strings.Contains(out, "demo  (folder)") || !strings.Contains(out, os.Args[0]) || !strings.Contains(out, "not trusted") {
		t.Error(status, out, errs)
	}
	if out, errs, status = call(t, "", nil, "mcp", "call", "demo", "echo", `{"text":"hi"}`, "--workspace", dir); status != 1 || out != "" || !strings.Contains(errs, "trust") {
		t.Error(status, out, errs)
	}
	if out, errs, status = call(t, "", nil, "mcp", "test", "demo", "--workspace", dir, "--trust"); status != 0 || !strings.Contains(out, "echo  Says it again.\n") {
		t.Error(status, out, errs)
	}
	if out, errs, status = call(t, `{"text":"hi"}`, nil, "mcp", "call", "demo", "echo", "-", "--workspace", dir, "--trust"); status != 0 || out != "hi\n" {
		t.Error(status, out, errs)
	}
	if out, errs, status = call(t, "", nil, "mcp", "call", "demo", "fail", "--workspace", dir, "--trust"); status != 1 || !strings.Contains(errs, "no such <U+001B>[31missue<U+202E>") {
		t.Error(status, out, errs)
	}
	if out, errs, status = call(t, "", nil, "mcp", "call", "demo", "die", "--workspace", dir, "--trust"); status != 1 || !strings.Contains(errs, "exit status 3") {
		t.Error(status, out, errs)
	}
	for _, bad := range [][]string{{"mcp"}, {"mcp", "x"}, {"mcp", "call", "demo"}, {"mcp", "key", "name"}, {"mcp", "serve", "a", "b"}, {"mcp", "serve", "--approve", "ask"}} {
		if _, errs, status := call(t, "", nil, bad...); status != 2 {
			t.Error(bad, status, errs)
		}
	}
}
