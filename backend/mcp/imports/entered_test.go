package imports_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/mcp/imports"
)

// The texts that pages of servers show, and how the servers are called and started.
func TestEntered(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"", "npx -y @modelcontextprotocol/server-memory@1.2", "memory: npx -y @modelcontextprotocol/server-memory@1.2"},
		{"notes", `  uvx "mcp server" --dir='a b' ${HOME}/x $DIR`, `notes: uvx 'mcp server' '--dir=a b' '${HOME}/x' '${DIR}'`},
		{"", `docker run -i --rm ghcr.io/github/github-mcp-server`, "github: docker run -i --rm ghcr.io/github/github-mcp-server"},
		{"", `/opt/tools/weather\ mcp.exe`, `weather mcp: '/opt/tools/weather mcp.exe'`},
		{"", `C:\Users\me\weather.exe "D:\my data"`, `weather: 'C:\Users\me\weather.exe' 'D:\my data'`},
		{"", "https://mcp.linear.app/mcp", "linear: https://mcp.linear.app/mcp"},
		{"", "http://127.0.0.1:8000/mcp", "127.0.0.1: http://127.0.0.1:8000/mcp"},
		{"", `{"mcpServers": {"b": {"command": "x"}, "a": {"url": "https://example.com/a"}}}`, "a: https://example.com/a\nb: x"},
		{"mine", `{"servers": {"b": {"command": "x", "args": ["y"]}}, /* as in VS Code */}`, "mine: x y"},
		{"", `{"context_servers": {"z": {"source": "custom", "command": {"path": "zed", "args": ["a"]}}}}`, "z: zed a"},
		{"", `"tracker": {"type": "http", "url": "https://example.com/mcp"},`, "tracker: https://example.com/mcp"},
		{"", `{"type": "stdio", "command": "npx", "args": ["-y", "server-files"]}`, "files: npx -y server-files"},
	} {
		servers, err := imports.Entered(c.name, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for _, s := range servers {
			got = append(got, s.Name+": "+s.Line())
			if s.Problem != "" {
				t.Errorf("%s: %s", c.text, s.Problem)
			}
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, strings.Join(got, "\n"), c.want)
		}
	}
}

// What is no server, or would need a shell, is refused.
func TestEnteredIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "a; b", "a && b", "a | b", "a > f", "a &", "echo $(id)", "x `id`", "a ${B:-c}", "(a)", "FOO=1", "if a; then b; fi", "a 'b", "https://example.com a",
		`{"mcpServers": {}}`, `{"a": 1}`, `{"a"`, `{}`, `{"command": 7}`, strings.Repeat("a", 70_000),
	} {
		if servers, err := imports.Entered("x", text); err == nil {
			t.Errorf("%.60s: %+v", text, servers)
		}
	}
	if s, err := imports.Entered("", "https://user:secret@example.com/mcp"); err != nil || s[0].Problem == "" {
		t.Errorf("%+v %v", s, err)
	}
}

// Keys go to the keyring, whichever form they are entered in, and leave it with the last server that
// uses them.
func TestServersAreAddedAndRemoved(t *testing.T) {
	store := &kept{servers: map[string]map[string]any{}, keys: map[string]string{}}
	var forgotten []string
	calls := imports.NewCalls(t.TempDir(), store, func(name string) error { forgotten = append(forgotten, name); return nil })
	if err := calls.AddServers("gh", "GITHUB_TOKEN=ghp_0123456789012345678901 npx server-github --api-key=plain"); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(store.keys)); !slices.Equal(got, []string{"gh.GITHUB_TOKEN", "gh.api-key"}) || strings.Contains(string(store.List()), "ghp_") {
		t.Errorf("%q, %s", got, store.List())
	}
	const both = `{"mcpServers": {"other": {"command": "x", "env": {"T": "${keyring:gh.api-key}"}}, "gh": {"command": "y"}}}`
	if err := calls.AddServers("", both); !fault.Is(err, fault.Conflict) || len(store.servers) != 1 {
		t.Errorf("one of two has the name of another: %v, %v", err, store.servers)
	}
	shown := calls.EnteredServers("", both)
	if len(shown.Servers) != 2 || !shown.Servers[0].Have || shown.Servers[1].Have || shown.Problem != "" {
		t.Errorf("%+v", shown)
	}
	if half := calls.EnteredServers("", `{"mcpServers": {"a`); len(half.Servers) != 0 || half.Problem == "" {
		t.Errorf("%+v", half)
	}
	if err := calls.AddServers("other", `{"command": "x", "env": {"T": "${keyring:gh.api-key}"}}`); err != nil {
		t.Fatal(err)
	}
	if err := calls.RemoveServer("gh"); err != nil || store.keys["gh.GITHUB_TOKEN"] != "" || store.keys["gh.api-key"] != "plain" {
		t.Errorf("%v, %v", err, store.keys)
	}
	if err := calls.RemoveServer("other"); err != nil || len(store.keys) != 0 {
		t.Errorf("%v, %v", err, store.keys)
	}
	if err := calls.RemoveServer("other"); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if !slices.Equal(forgotten, []string{"gh", "other"}) {
		t.Errorf("signed out of %q", forgotten)
	}
	store.broken = true
	const second = `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "env": {"TOKEN": "t"}}}}`
	if err := calls.AddServers("", second); err == nil || len(store.servers) != 0 {
		t.Errorf("the second cannot be added, so the first is not either: %v, %v", err, store.servers)
	}
	if err := calls.AddServers("gh", "GITHUB_TOKEN=ghp_0123456789012345678901 npx x"); err == nil || len(store.servers) != 0 || strings.Contains(err.Error(), "ghp_") {
		t.Errorf("without a keyring: %v, %v", err, store.servers)
	}
}
