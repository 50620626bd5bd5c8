package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
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
	for _, bad := range [][]string{{"mcp"}, {"mcp", "x"}, {"mcp", "call", "demo"}, {"mcp", "add", "name"}, {"mcp", "add", "name", "a", "--", "b"}, {"mcp", "remove"}, {"mcp", "key", "name"}, {"mcp", "serve", "a", "b"}, {"mcp", "serve", "--approve", "ask"}} {
		if _, errs, status := call(t, "", nil, bad...); status != 2 {
			t.Error(bad, status, errs)
		}
	}
}

// Servers are added to the settings as a command, an address or JSON, and removed.
func TestMCPAddAndRemove(t *testing.T) {
	dir := t.TempDir()
	env := []string{"MUTSUMI_CONFIG=" + t.TempDir()}
	for _, c := range []struct {
		stdin, want string
		args        []string
	}{
		{"", "notes  npx -y 'a b'\n", []string{"notes", "--workspace", dir, "--", "npx", "-y", "a b"}},
		{"", "far  https://example.com/mcp\n", []string{"far", "https://example.com/mcp", "--workspace", dir}},
		{`{"mcpServers": {"x": {"command": "one"}, "y": {"command": "two"}}}`, "x  one\ny  two\n", []string{"all", "-", "--workspace", dir}},
	} {
		if out, errs, status := call(t, c.stdin, env, append([]string{"mcp", "add"}, c.args...)...); status != 0 || out != c.want {
			t.Error(status, out, errs)
		}
	}
	if _, errs, status := call(t, "", env, "mcp", "add", "far", "other", "--workspace", dir); status != 1 || !strings.Contains(errs, "far") {
		t.Error(status, errs)
	}
	if _, errs, status := call(t, "", env, "mcp", "remove", "x", "--workspace", dir); status != 0 {
		t.Error(status, errs)
	}
	if _, errs, status := call(t, "", env, "mcp", "remove", "x", "--workspace", dir); status != 1 || !strings.Contains(errs, "no MCP server named x") {
		t.Error(status, errs)
	}
	out, errs, status := call(t, "", env, "mcp", "list", dir)
	if status != 0 || strings.Contains(out, "x  (settings)") || !strings.Contains(out, "far  (settings)") || !strings.Contains(out, "npx -y 'a b'") {
		t.Error(status, out, errs)
	}
}

// A tool that changed since it was allowed is listed with the difference, fails, and works
// again once the change is accepted.
func TestMCPAccept(t *testing.T) {
	dir := t.TempDir()
	s := mcptest.Server("demo", "told")
	list := dir + "/tools.json"
	env := []string{"MUTSUMI_STATE=" + t.TempDir()}
	s.Env[mcptest.TellFile] = list
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"demo": map[string]any{"command": s.Command, "env": s.Env}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".mcp.json", string(raw))
	tell := func(about string) {
		write(t, dir, "tools.json", `[{"name":"note","description":"`+about+`","inputSchema":{"type":"object"}}]`)
	}
	run := func(want int, args ...string) string {
		t.Helper()
		out, errs, status := call(t, "", env, append(append([]string{"mcp"}, args...), "--workspace", dir, "--trust")...)
		if status != want {
			t.Errorf("%v: %d %s %s", args, status, out, errs)
		}
		return out + errs
	}
	tell("Keeps a note.")
	run(0, "call", "demo", "note")
	if out := run(0, "accept", "demo"); out != "No tool of it changed.\n" {
		t.Error(out)
	}
	tell("Sends a note\u202e.")
	if out := run(1, "call", "demo", "note"); !strings.Contains(out, "changed what it says of its tool note") {
		t.Error(out)
	}
	if out := run(0, "list"); !strings.Contains(out, "note  changed since you allowed it") || !strings.Contains(out, "- Keeps a note.") || !strings.Contains(out, "+ Sends a note<U+202E>.") {
		t.Error(out)
	}
	run(1, "accept", "none")
	run(1, "accept", "demo", "reread")
	if out := run(0, "accept", "demo", "note"); !strings.Contains(out, "+ Sends a note<U+202E>.") || !strings.Contains(out, "note  accepted") {
		t.Error(out)
	}
	if out := run(0, "call", "demo", "note"); out != "done\n" {
		t.Error(out)
	}
}

// TestMCPImport takes a server of another program over from the command line.
func TestMCPImport(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, ".cursor/mcp.json", `{"mcpServers": {"notes": {"command": "notes-server", "args": ["--all"]}}}`)
	env := []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "MUTSUMI_CONFIG=" + filepath.Join(dir, "own")}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	out, errs, status := call(t, "", env, "mcp", "import", "--workspace", folder)
	if status != 0 || !strings.Contains(out, "Cursor  "+file) || !strings.Contains(out, "notes  notes-server --all") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if _, errs, status := call(t, "", env, "mcp", "import", file, "notes", "--workspace", folder); status != 0 {
		t.Errorf("status %d, %q", status, errs)
	}
	if out, errs, status := call(t, "", env, "mcp", "list", folder); status != 0 || !strings.Contains(out, "notes  (settings)  notes-server --all") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if _, errs, status := call(t, "", env, "mcp", "import", file, "notes", "--workspace", folder); status != 1 || !strings.Contains(errs, "the settings have a server of that name") {
		t.Errorf("status %d, %q", status, errs)
	}
}
