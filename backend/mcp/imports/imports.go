// Package imports reads the MCP servers that a person has set up for Claude, Cursor, VS Code, Codex
// and Zed, so that they can be imported into the settings (SPEC 13.1). It starts and writes
// nothing. It returns keys apart from the servers: they belong in the system's keyring.
package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"mutsumi/backend/clip"
	"mutsumi/backend/mcp/config"
)

// Source is a file of another program that names servers.
type Source struct {
	Program string // the name people use: "Claude Desktop"
	Path    string
	Servers []Server // sorted by name
	Problem string   // why it cannot be read; "": nothing
}

// Server is a server of another program in our form.
type Server struct {
	config.Server
	// Keys are the keys found in the file, by the NAME in `${keyring:NAME}` that replaces them in
	// the server.
	Keys map[string]string
	// Lacks is what the person has to add before it can be used.
	Lacks []string
}

// maxFile is the largest settings file that is read, in bytes: Claude Code keeps more than servers
// in it.
const maxFile = 32 << 20

// place is a file in which a program keeps its servers.
type place struct {
	program string
	path    string
	format  format
}

type format int

const (
	claude format = iota // mcpServers, as in .mcp.json
	vscode               // servers
	codex                // TOML, mcp_servers
	zed                  // context_servers
)

// claudeRedirect is what Claude has people register (code.claude.com/docs/en/mcp).
const claudeRedirect = "http://localhost/callback"

// Find returns the files of other programs that name servers, of the person and of a folder. Files
// that are missing or name none are left out.
func Find(folder string) []Source {
	var all []Source
	for _, p := range places(folder) {
		servers, err := read(p, folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			all = append(all, Source{Program: p.program, Path: p.path, Problem: err.Error()})
		case len(servers) > 0:
			all = append(all, Source{Program: p.program, Path: p.path, Servers: servers})
		}
	}
	return all
}

func places(folder string) []place {
	home, err := os.UserHomeDir()
	if err != nil {
		home = folder
	}
	own, err := os.UserConfigDir() // depends on the system: ~/.config, AppData\Roaming, Library/Application Support
	if err != nil {
		own = filepath.Join(home, ".config")
	}
	zedFolder := filepath.Join(home, ".config", "zed")
	if runtime.GOOS == "windows" {
		zedFolder = filepath.Join(own, "Zed")
	}
	codexFolder := os.Getenv("CODEX_HOME")
	if codexFolder == "" {
		codexFolder = filepath.Join(home, ".codex")
	}
	return []place{
		{"Claude Code", filepath.Join(home, ".claude.json"), claude},
		{"Claude Desktop", filepath.Join(own, "Claude", "claude_desktop_config.json"), claude},
		{"Cursor", filepath.Join(home, ".cursor", "mcp.json"), claude},
		{"Cursor", filepath.Join(folder, ".cursor", "mcp.json"), claude},
		{"VS Code", filepath.Join(own, "Code", "User", "mcp.json"), vscode},
		{"VS Code", filepath.Join(folder, ".vscode", "mcp.json"), vscode},
		{"Codex", filepath.Join(codexFolder, "config.toml"), codex},
		{"Codex", filepath.Join(folder, ".codex", "config.toml"), codex},
		{"Zed", filepath.Join(zedFolder, "settings.json"), zed},
		{"Zed", filepath.Join(folder, ".zed", "settings.json"), zed},
	}
}

func read(p place, folder string) ([]Server, error) {
	info, err := os.Stat(p.path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fs.ErrNotExist
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	data, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	entries, err := p.format.entries(data, folder)
	if err != nil {
		return nil, err
	}
	var all []Server
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		if strings.HasPrefix(p.program, "Claude") {
			e.Redirect = claudeRedirect
		}
		all = append(all, e.server(name))
	}
	return all, nil
}

// lists are the lists of servers in a file of JSON, each under the name that its program uses.
type lists struct {
	Claude map[string]json.RawMessage `json:"mcpServers"`
	VSCode map[string]json.RawMessage `json:"servers"`
	Zed    map[string]json.RawMessage `json:"context_servers"`
}

// entries reads a file. The error says what is wrong with it and quotes nothing from it.
func (f format) entries(data []byte, folder string) (map[string]entry, error) {
	if f == codex {
		return codexEntries(data)
	}
	plain, err := standard(data)
	if err != nil {
		return nil, err
	}
	var file struct {
		lists
		Projects map[string]struct {
			Servers map[string]json.RawMessage `json:"mcpServers"`
		} `json:"projects"`
	}
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, errors.New("it has another form than is known of it")
	}
	servers := map[format]map[string]json.RawMessage{claude: file.Claude, vscode: file.VSCode, zed: file.Zed}[f]
	all := map[string]entry{}
	for _, list := range []map[string]json.RawMessage{servers, file.Projects[folder].Servers} {
		for name, raw := range list {
			if e, err := jsonEntry(raw); err == nil && !e.Disabled {
				all[name] = e
			}
		}
	}
	return all, nil
}

// standard returns JSON without the comments and trailing commas that editors allow.
func standard(data []byte) ([]byte, error) {
	plain, err := hujson.Standardize(data)
	if err != nil {
		return nil, errors.New("it is not JSON: " + clip.OneLine(strings.TrimPrefix(err.Error(), "hujson: ")))
	}
	return plain, nil
}

func codexEntries(data []byte) (map[string]entry, error) {
	var file struct {
		Servers map[string]struct {
			Command    string            `toml:"command"`
			Args       []string          `toml:"args"`
			Env        map[string]string `toml:"env"`
			EnvVars    []string          `toml:"env_vars"`
			URL        string            `toml:"url"`
			Bearer     string            `toml:"bearer_token_env_var"`
			Headers    map[string]string `toml:"http_headers"`
			EnvHeaders map[string]string `toml:"env_http_headers"`
			Enabled    *bool             `toml:"enabled"`
			Scopes     []string          `toml:"scopes"`
			OAuth      struct {
				ClientID     string `toml:"client_id"`
				ClientSecret string `toml:"client_secret"`
				Redirect     string `toml:"callback_url"`
			} `toml:"oauth"`
		} `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(data, &file); err != nil {
		return nil, errors.New("it is not TOML of the form that is known of it")
	}
	all := map[string]entry{}
	for name, s := range file.Servers {
		if s.Enabled != nil && !*s.Enabled {
			continue
		}
		e := entry{Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers}
		e.Redirect = s.OAuth.Redirect
		e.OAuth = config.OAuth{ClientID: s.OAuth.ClientID, ClientSecret: s.OAuth.ClientSecret, Scopes: s.Scopes}
		for _, v := range s.EnvVars {
			e.Env = with(e.Env, v, "${"+v+"}")
		}
		for header, v := range s.EnvHeaders {
			e.Headers = with(e.Headers, header, "${"+v+"}")
		}
		if s.Bearer != "" {
			e.Headers = with(e.Headers, "Authorization", "Bearer ${"+s.Bearer+"}")
		}
		all[name] = e
	}
	return all, nil
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}
