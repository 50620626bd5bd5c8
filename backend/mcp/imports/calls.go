package imports

import (
	"encoding/json"
	"maps"
	"slices"

	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/mcp/config"
)

// Store keeps the person's own servers and keys.
type Store interface {
	// Has reports whether a server of that name exists.
	Has(name string) bool
	// Add adds a server; server is its value in `.mcp.json`. If the name is taken, the error is a
	// Conflict.
	Add(name string, server map[string]any) error
	// Remove removes a server. If there is none of that name, the error is NotFound.
	Remove(name string) error
	// List returns the servers in the form of `.mcp.json`; nil: there are none.
	List() []byte
	// SetKey keeps an entry of the keyring; folder "" is for the person's own servers.
	SetKey(folder, name, key string) error
}

// Calls are the methods of a workspace that import servers of other programs.
type Calls struct {
	folder string
	store  Store
	forget func(name string) error
}

// NewCalls returns the Calls of a folder. forget signs out of a server before it is removed.
func NewCalls(folder string, store Store, forget func(name string) error) *Calls {
	return &Calls{folder, store, forget}
}

// Found is a file of another program, as the interface shows it.
type Found struct {
	Program string        `json:"program"`
	Path    string        `json:"path"`
	Servers []FoundServer `json:"servers"`
	Problem string        `json:"problem"` // why it cannot be read; "": nothing
}

// FoundServer is a server in such a file. It holds no key.
type FoundServer struct {
	Name    string   `json:"name"`
	Line    string   `json:"line"`    // the command to start, or the address
	Problem string   `json:"problem"` // why it cannot be used; "": nothing
	Lacks   []string `json:"lacks"`   // what the person has to add before it can be used
	Keys    []string `json:"keys"`    // names of the keyring entries for its keys
	Have    bool     `json:"have"`    // the settings have a server of that name
}

// FoundServers lists the servers that other programs have set up.
func (c *Calls) FoundServers() ([]Found, error) {
	all := []Found{}
	for _, s := range Find(c.folder) {
		all = append(all, Found{Program: s.Program, Path: s.Path, Problem: s.Problem, Servers: c.shown(s.Servers)})
	}
	return all, nil
}

func (c *Calls) shown(servers []Server) []FoundServer {
	all := []FoundServer{}
	for _, s := range servers {
		all = append(all, FoundServer{
			s.Name, s.Line(), s.Problem, append([]string{}, s.Lacks...), slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(s.Keys)))), c.store.Has(s.Name),
		})
	}
	return all
}

// EnteredServers shows what AddServers would add for a text, which may be half typed.
func (c *Calls) EnteredServers(name, text string) EnteredServers {
	servers, err := Entered(name, text)
	if err != nil {
		return EnteredServers{[]FoundServer{}, err.Error()}
	}
	return EnteredServers{c.shown(servers), ""}
}

// EnteredServers are the servers that a text sets up.
type EnteredServers struct {
	Servers []FoundServer `json:"servers"`
	Problem string        `json:"problem"` // why it sets up none; "": it does
}

// AddServers adds the servers that a text sets up (Entered) to the settings, and their keys to the
// system's keyring. They start when they are first used. If one of them cannot be added, none is.
func (c *Calls) AddServers(name, text string) error {
	servers, err := Entered(name, text)
	if err != nil {
		return fault.New(fault.Invalid, "Could not read the server: %w", err)
	}
	for _, s := range servers {
		if err := c.check(s); err != nil {
			return err
		}
	}
	for i, s := range servers {
		if err := c.take(s); err != nil {
			for _, added := range servers[:i] {
				c.RemoveServer(added.Name) // the error that counts is the first
			}
			return err
		}
	}
	return nil
}

// RemoveServer removes a server from the settings, with its sign-in, and from the keyring the keys
// that no other one uses. The error is NotFound if the settings have none of that name.
func (c *Calls) RemoveServer(name string) error {
	if c.store.Has(name) {
		if err := c.forget(name); err != nil {
			return err
		}
	}
	before := keysIn(c.store.List())
	if err := c.store.Remove(name); err != nil {
		return err
	}
	left := keysIn(c.store.List())
	for _, entry := range before {
		if slices.Contains(left, entry) {
			continue
		}
		if err := c.store.SetKey("", entry, ""); err != nil {
			return fault.New(fault.Of(err).Kind, "%s was removed, but its key %q is still in the system's keyring: %w", name, entry, err)
		}
	}
	return nil
}

// keyReference matches a reference inside a JSON string.
var keyReference = lazyregexp.New(`\$\{keyring:((?:[^}"\\]|\\.)*)\}`)

// keysIn returns the entries of the keyring that JSON refers to.
func keysIn(text []byte) (entries []string) {
	for _, m := range keyReference.FindAllStringSubmatch(string(text), -1) {
		var entry string
		if json.Unmarshal([]byte(`"`+m[1]+`"`), &entry) == nil {
			entries = append(entries, entry)
		}
	}
	return entries
}

// ImportServer imports a server from a file that FoundServers lists: the server goes into the
// settings, its keys into the system's keyring. It starts when it is first used. The error is
// NotFound if the file no longer names it, Conflict if the settings already have a server of that
// name.
func (c *Calls) ImportServer(path, name string) error {
	for _, s := range Find(c.folder) {
		if s.Path != path {
			continue
		}
		for _, server := range s.Servers {
			if server.Name == name {
				return c.take(server)
			}
		}
	}
	return fault.New(fault.NotFound, "Could not import %s: %s does not name it any more. Look at the list again.", name, path)
}

// check reports why a server cannot be added.
func (c *Calls) check(s Server) error {
	switch {
	case s.Problem != "":
		return fault.New(fault.Invalid, "Could not add %s: %s.", s.Name, s.Problem)
	case c.store.Has(s.Name):
		return fault.New(fault.Conflict, "Could not add %s: the settings have a server of that name. Remove it there first.", s.Name)
	}
	return nil
}

func (c *Calls) take(s Server) error {
	if err := c.check(s); err != nil {
		return err
	}
	for _, entry := range slices.Sorted(maps.Keys(s.Keys)) { // first, so that no server is added without its keys
		if err := c.store.SetKey("", entry, s.Keys[entry]); err != nil {
			return fault.New(fault.Of(err).Kind, "Could not add %s: its key could not be kept in the system's keyring: %w", s.Name, err)
		}
	}
	server := map[string]any{}
	if s.URL != "" {
		server["url"] = s.URL
	} else {
		server["command"] = s.Command
	}
	if len(s.Args) > 0 {
		server["args"] = s.Args
	}
	if len(s.Env) > 0 {
		server["env"] = s.Env
	}
	if len(s.Headers) > 0 {
		server["headers"] = s.Headers
	}
	if o := oauthOf(s.OAuth); len(o) > 0 {
		server["oauth"] = o
	}
	return c.store.Add(s.Name, server)
}

// oauthOf returns the `oauth` value of a server in the settings file.
func oauthOf(o config.OAuth) map[string]any {
	m := map[string]any{}
	for name, value := range map[string]string{"clientId": o.ClientID, "clientSecret": o.ClientSecret, "issuer": o.Issuer, "callbackHost": o.CallbackHost} {
		if value != "" {
			m[name] = value
		}
	}
	if len(o.Scopes) > 0 {
		m["scopes"] = []string(o.Scopes)
	}
	if o.CallbackPort > 0 {
		m["callbackPort"] = o.CallbackPort
	}
	return m
}
