package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/fault"
)

// Servers provides the MCP servers in the settings.
type Servers struct{ store *Store }

// ServersOf returns the MCP servers in the settings.
func ServersOf(s *Store) Servers { return Servers{s} }

// List returns the person's MCP servers in the form of a folder's `.mcp.json` (SPEC 13.1); nil:
// there are none. In the settings file they are under `mcpServers`.
func (v Servers) List() []byte {
	s := v.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.content.Servers) == 0 {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": s.content.Servers})
	if err != nil {
		return []byte(`{"mcpServers": "names of servers, and what they are made of"}`) // YAML that JSON does not have: it is refused as that
	}
	return raw
}

// Has reports whether there is a server of that name.
func (v Servers) Has(name string) bool {
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	_, has := v.store.content.Servers[name]
	return has
}

// Add adds a server to the settings file: server is the value of its name in a folder's
// `.mcp.json`. A server of that name is a Conflict.
func (v Servers) Add(name string, server map[string]any) error {
	return v.store.edit(func(root *yaml.Node) error {
		list := ensure(root, "mcpServers", yaml.MappingNode)
		if child(list, name) != nil {
			return fault.New(fault.Conflict, "the settings have an MCP server named %s", name)
		}
		put(list, name, server, false)
		return nil
	})
}

// Remove removes a server from the settings file. If there is none of that name, the error is
// NotFound.
func (v Servers) Remove(name string) error {
	return v.store.edit(func(root *yaml.Node) error {
		list := child(root, "mcpServers")
		if child(list, name) == nil {
			return fault.New(fault.NotFound, "the settings have no MCP server named %s", name)
		}
		if remove(list, name); len(list.Content) == 0 {
			remove(root, "mcpServers")
		}
		return nil
	})
}

// Key returns the keyring's entry for `${keyring:NAME}` where an MCP server is set up:
// in a folder, or with "" in the settings. A folder gets no entry but its own.
func (v Servers) Key(folder, name string) (string, error) {
	return keyringGet(serverEntry(folder, name))
}

// SetKey keeps an entry for Key in the keyring; "" removes it.
func (v Servers) SetKey(folder, name, key string) error {
	if name == "" || strings.ContainsAny(name, "{}$\n\r") {
		return fault.New(fault.Invalid, "an entry of the keyring has a name without $, { and }")
	}
	key, err := cleanKey(key)
	switch {
	case err != nil:
		return err
	case key == "":
		return keyringDelete(serverEntry(folder, name))
	}
	return keyringSet(serverEntry(folder, name), key)
}

func serverEntry(folder, name string) string {
	if folder == "" {
		return "mcp:" + name
	}
	sum := sha256.Sum256([]byte(realPath(folder)))
	return "mcp:" + hex.EncodeToString(sum[:8]) + ":" + name
}
