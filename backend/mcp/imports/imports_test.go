package imports_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/imports"
)

// persons are files of a person and a folder, as the other programs' documentation shows them.
var persons = map[string]string{
	"home/.claude.json": `{"numStartups": 3, "mcpServers": {"memory": {"type": "stdio", "command": "npx", "args": ["-y", "server-memory"], "env": {}}},
		"projects": {"FOLDER": {"mcpServers": {"here": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer abc123"}}}},
		"/elsewhere": {"mcpServers": {"there": {"command": "no"}}}}}`,
	"config/Claude/claude_desktop_config.json": `{"mcpServers": {"files": {"command": "npx", "args": ["server-filesystem", "/home/me"]}}}`,
	"home/.cursor/mcp.json":                    `{"mcpServers": {"github": {"command": "docker", "args": ["run", "--api-key=plain"], "env": {"GITHUB_TOKEN": "ghp_0123456789012345678901", "HOST": "${env:GH_HOST}", "LEVEL": "info"}}}}`,
	"folder/.vscode/mcp.json": `{
		// VS Code asks for it when it starts.
		"inputs": [{"type": "promptString", "id": "perplexity-key", "password": true}],
		"servers": {
			"search": {"type": "stdio", "command": "npx", "args": ["server", "${workspaceFolder}/data"], "env": {"API_KEY": "${input:perplexity-key}"}},
			"query": {"type": "http", "url": "https://example.com/mcp?api_key=k1&v=2"},
			"old": {"type": "sse", "url": "https://example.com/sse"},
		},
	}`,
	"home/.codex/config.toml": `
model = "x"
[mcp_servers.context7]
command = "npx"
args = ["-y", "context7"]
env_vars = ["LOCAL_TOKEN"]
[mcp_servers.context7.env]
MY_VAR = "1"
[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
env_http_headers = { "X-Region" = "REGION" }
[mcp_servers.off]
command = "x"
enabled = false
`,
	"config/zed/settings.json": `{"theme": "One", "context_servers": {"a": {"source": "custom", "command": "prog", "args": ["x"], "env": {"K": "v"}}, "b": {"command": {"path": "old", "args": ["y"]}}, "c": {"settings": {}}, "d": {"enabled": false, "command": "no"}}, // done
	}`,
	"folder/.cursor/mcp.json":   `{"mcpServers": [`,
	"folder/.zed/settings.json": `{"tab_size": 2}`,
}

// files writes the files of a person and a folder, and returns the folder.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	for name, text := range persons {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasPrefix(name, "config/zed") {
			path = filepath.Join(dir, "home", ".config", "zed", "settings.json")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "FOLDER", folder)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("CODEX_HOME", "")
	return folder
}

func TestFind(t *testing.T) {
	got := map[string]imports.Server{}
	problems := map[string]string{}
	for _, s := range imports.Find(files(t)) {
		if s.Problem != "" {
			problems[s.Path] = s.Problem
		}
		for _, server := range s.Servers {
			got[s.Program+" "+server.Name] = server
		}
	}
	want := map[string]config.Server{
		"Claude Code memory":   {Command: "npx", Args: []string{"-y", "server-memory"}},
		"Claude Code here":     {URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer ${keyring:here.Authorization}"}},
		"Claude Desktop files": {Command: "npx", Args: []string{"server-filesystem", "/home/me"}},
		"Cursor github": {Command: "docker", Args: []string{"run", "--api-key=${keyring:github.api-key}"},
			Env: map[string]string{"GITHUB_TOKEN": "${keyring:github.GITHUB_TOKEN}", "HOST": "${env:GH_HOST}", "LEVEL": "info"}},
		"VS Code search": {Command: "npx", Args: []string{"server", "./data"}, Env: map[string]string{"API_KEY": "${keyring:perplexity-key}"}},
		"VS Code query":  {URL: "https://example.com/mcp?api_key=${keyring:query.api_key}&v=2"},
		"VS Code old":    {URL: "https://example.com/sse", Problem: "sse"},
		"Codex context7": {Command: "npx", Args: []string{"-y", "context7"}, Env: map[string]string{"MY_VAR": "1", "LOCAL_TOKEN": "${LOCAL_TOKEN}"}},
		"Codex figma":    {URL: "https://mcp.figma.com/mcp", Headers: map[string]string{"Authorization": "Bearer ${FIGMA_TOKEN}", "X-Region": "${REGION}"}},
		"Zed a":          {Command: "prog", Args: []string{"x"}, Env: map[string]string{"K": "v"}},
		"Zed b":          {Command: "old", Args: []string{"y"}},
		"Zed c":          {Problem: "neither"},
	}
	if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Fatalf("found %q, want %q", a, b)
	}
	for name, w := range want {
		g := got[name]
		if g.Command != w.Command || !slices.Equal(g.Args, w.Args) || g.URL != w.URL || !maps.Equal(g.Env, w.Env) || !maps.Equal(g.Headers, w.Headers) ||
			!strings.Contains(g.Problem, w.Problem) || (w.Problem == "") != (g.Problem == "") {
			t.Errorf("%s is %+v, want %+v", name, g.Server, w)
		}
	}
	if k := got["Cursor github"].Keys; k["github.GITHUB_TOKEN"] != "ghp_0123456789012345678901" || k["github.api-key"] != "plain" || len(k) != 2 {
		t.Errorf("keys %v", k)
	}
	if len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
	// Our own parser accepts the imported servers, and none of them holds a key.
	for name, server := range got {
		if server.Problem != "" {
			continue
		}
		text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"x": map[string]any{"command": server.Command, "args": server.Args, "env": server.Env, "url": server.URL, "headers": server.Headers}}})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := config.Parse(text, config.Settings); err != nil || len(all) != 1 || all[0].Problem != "" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		for entry, key := range server.Keys {
			if strings.Contains(string(text), key) {
				t.Errorf("%s: it holds the key of %s", name, entry)
			}
		}
	}
}

// nobody is signed in to a server.
func nobody(string) error { return nil }

// kept is a store in memory whose contents the tests check.
type kept struct {
	servers map[string]map[string]any
	keys    map[string]string
	broken  bool
}

func (k *kept) Has(name string) bool { return k.servers[name] != nil }
func (k *kept) Add(name string, server map[string]any) error {
	k.servers[name] = server
	return nil
}
func (k *kept) SetKey(folder, name, key string) error {
	if k.broken {
		return fault.New(fault.Invalid, "no keyring")
	}
	if k.keys[folder+name] = key; key == "" {
		delete(k.keys, folder+name)
	}
	return nil
}
func (k *kept) Remove(name string) error {
	if !k.Has(name) {
		return fault.New(fault.NotFound, "there is no %s", name)
	}
	delete(k.servers, name)
	return nil
}
func (k *kept) List() []byte {
	text, err := json.Marshal(map[string]any{"mcpServers": k.servers})
	if err != nil {
		panic(err)
	}
	return text
}

func TestImport(t *testing.T) {
	folder := files(t)
	store := &kept{map[string]map[string]any{}, map[string]string{}, true}
	calls := imports.NewCalls(folder, store, nobody)
	path := filepath.Join(filepath.Dir(folder), "home", ".cursor", "mcp.json")
	if err := calls.ImportServer(path, "github"); err == nil || len(store.servers) != 0 || strings.Contains(err.Error(), "ghp_") {
		t.Errorf("without a keyring: %v, %v", err, store.servers)
	}
	store.broken = false
	if err := calls.ImportServer(path, "github"); err != nil || store.servers["github"]["command"] != "docker" || store.keys["github.GITHUB_TOKEN"] == "" {
		t.Errorf("%v, %+v", err, store)
	}
	if err := calls.ImportServer(path, "github"); !fault.Is(err, fault.Conflict) {
		t.Errorf("twice: %v", err)
	}
	for _, at := range []string{path, filepath.Join(folder, "..", "secret"), "/etc/passwd"} {
		if err := calls.ImportServer(at, "none"); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", at, err)
		}
	}
	found, err := calls.FoundServers()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(found)
	if err != nil || strings.Contains(string(text), "ghp_") || strings.Contains(string(text), "abc123") || !strings.Contains(string(text), `"have":true`) {
		t.Errorf("%s, %v", text, err)
	}
}

// registered are configuration files with manually registered OAuth clients, as the programs'
// documentation shows them.
var registered = map[string]string{
	"home/.claude.json": `{"mcpServers": {"tracker": {"type": "http", "url": "https://mcp.example.com/mcp", "oauth": {"clientId": "abc-1", "callbackPort": 8080,
		"authServerMetadataUrl": "https://auth.example.com/tenant/.well-known/openid-configuration", "scopes": "issues:read  issues:write"}}}}`,
	"home/.cursor/mcp.json": `{"mcpServers": {
		"mine": {"url": "https://api.example.com/mcp", "auth": {"CLIENT_ID": "${env:MCP_CLIENT_ID}", "CLIENT_SECRET": "s3cr3t-of-mine", "scopes": ["read", "write"]}},
		"theirs": {"url": "https://api.example.com/other", "auth": {"CLIENT_ID": "id-2", "CLIENT_SECRET": "${env:MCP_SECRET}"}},
		"public": {"url": "https://api.example.com/open", "auth": {"CLIENT_ID": "id-3"}},
		"odd": {"url": "https://api.example.com/odd", "auth": {"CLIENT_SECRET": "s3cr3t-of-nobody"}}}}`,
	"folder/.vscode/mcp.json":  `{"servers": {"chat": {"type": "http", "url": "https://mcp.example.com/chat", "oauth": {"clientId": "12348411142.11062036567072"}}}}`,
	"home/.codex/config.toml":  "[mcp_servers.docs]\nurl = \"https://mcp.example.com/docs\"\nscopes = [\"docs.read\"]\n[mcp_servers.docs.oauth]\nclient_id = \"my-client\"\ncallback_url = \"http://127.0.0.1/callback\"\n",
	"config/zed/settings.json": `{"context_servers": {"zed": {"url": "https://mcp.example.com/zed", "oauth": {"client_id": "z1", "client_secret": "s3cr3t-of-zed"}}}}`,
}

// A registration for signing in is imported with the address to which browsers return, or a note
// about it; a secret goes into the keyring only, and the person is asked who may get it if the file
// does not say so.
func TestRegistrations(t *testing.T) {
	before := persons
	persons = registered
	t.Cleanup(func() { persons = before })
	folder := files(t)
	store := &kept{map[string]map[string]any{}, map[string]string{}, false}
	calls := imports.NewCalls(folder, store, nobody)
	found, err := calls.FoundServers()
	if err != nil {
		t.Fatal(err)
	}
	lacks, moved := map[string]bool{}, map[string]bool{}
	for _, f := range found {
		for _, s := range f.Servers {
			if err := calls.ImportServer(f.Path, s.Name); (err == nil) != (s.Problem == "") {
				t.Errorf("%s: %q, %v", s.Name, s.Problem, err)
			}
			all := strings.Join(s.Lacks, "\n")
			lacks[s.Name], moved[s.Name] = strings.Contains(all, "`issuer`"), strings.Contains(all, "http://127.0.0.1:PORT/callback")
		}
	}
	want := map[string]string{
		"tracker": `{"callbackHost":"localhost","callbackPort":8080,"clientId":"abc-1","issuer":"https://auth.example.com/tenant","scopes":["issues:read","issues:write"]}`,
		"mine":    `{"clientId":"${env:MCP_CLIENT_ID}","clientSecret":"${keyring:mine.client-secret}","scopes":["read","write"]}`,
		"theirs":  `{"clientId":"id-2","clientSecret":"${env:MCP_SECRET}"}`,
		"public":  `{"clientId":"id-3"}`,
		"chat":    `{"clientId":"12348411142.11062036567072"}`,
		"docs":    `{"clientId":"my-client","scopes":["docs.read"]}`,
		"zed":     `{"clientId":"z1","clientSecret":"${keyring:zed.client-secret}"}`,
	}
	if a, b := slices.Sorted(maps.Keys(store.servers)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		t.Fatalf("imported %q, want %q", a, b)
	}
	for name, w := range want {
		text, err := json.Marshal(store.servers[name]["oauth"])
		if err != nil || string(text) != w {
			t.Errorf("%s is registered with %s, want %s (%v)", name, text, w, err)
		}
		if secret := strings.Contains(w, "Secret"); lacks[name] != secret {
			t.Errorf("%s: reports a missing issuer: %v", name, lacks[name])
		}
		if other := !strings.Contains(w, "localhost") && name != "docs"; moved[name] != other { // those that are registered as ours is
			t.Errorf("%s: that it is registered with another address is said: %v", name, moved[name])
		}
		// Our own parser accepts it, and reports what is missing.
		text, err = json.Marshal(map[string]any{"mcpServers": map[string]any{name: store.servers[name]}})
		if err != nil || strings.Contains(string(text), "s3cr3t") {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if all, err := config.Parse(text, config.Settings); err != nil || (all[0].Problem != "") != lacks[name] || lacks[name] && !strings.Contains(all[0].Problem, "issuer") {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if len(store.keys) != 2 || store.keys["mine.client-secret"] != "s3cr3t-of-mine" || store.keys["zed.client-secret"] != "s3cr3t-of-zed" {
		t.Errorf("keys %v", store.keys)
	}
	text, err := json.Marshal(found)
	if err != nil || strings.Contains(string(text), "s3cr3t") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestIssuerOfMetadata(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/.well-known/oauth-authorization-server":     "https://a.example",
		"https://a.example/.well-known/oauth-authorization-server/t/1": "https://a.example/t/1",
		"https://a.example:8443/t/.well-known/openid-configuration":    "https://a.example:8443/t",
		"https://a.example/x/.well-known/openid-configuration/y":       "",
		"http://a.example/.well-known/openid-configuration":            "",
		"https://me@a.example/.well-known/openid-configuration":        "",
		"https://a.example/metadata.json":                              "",
		"":                                                             "",
	} {
		if got := imports.IssuerOf(address); got != want {
			t.Errorf("%s: issuer %q, want %q", address, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range persons {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Setenv("HOME", dir)
	f.Setenv("XDG_CONFIG_HOME", dir)
	f.Setenv("CODEX_HOME", dir)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{".claude.json", "config.toml"} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range imports.Find(dir) {
			for _, server := range s.Servers {
				for _, key := range server.Keys {
					if len(key) > 3 && strings.Contains(server.Line(), key) && !strings.Contains(server.Name, key) {
						t.Errorf("%q holds a key", server.Line())
					}
				}
			}
		}
	})
}
