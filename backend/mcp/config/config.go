// Package config reads the configuration of MCP servers (SPEC 13.1): a folder's `.mcp.json`, and
// the settings, which have the same form. It starts and trusts no server: those of a folder count
// only once the folder is trusted (package access).
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"mutsumi/backend/clip"
)

// File is where a folder names its servers.
const File = ".mcp.json"

// From is where a server was set up.
type From string

const (
	Folder   From = "folder"   // `.mcp.json`: counts once the folder is trusted
	Settings From = "settings" // the person's own
)

// Server is one server as configured, with references in place of keys.
type Server struct {
	Name    string
	From    From
	Command string // for a server that is started: a program, and its arguments
	Args    []string
	Env     map[string]string
	URL     string // for a server that runs elsewhere
	Headers map[string]string
	OAuth   OAuth  // for a server to which people sign in: how the program is registered there
	Problem string // why it cannot be used; "": nothing
}

// OAuth is how the person registered the program with an authorization server. All of it may be
// missing: then the program registers itself.
type OAuth struct {
	ClientID     string `json:"clientId"` // or the address of a client metadata document
	ClientSecret string `json:"clientSecret"`
	Issuer       string `json:"issuer"` // whose client it is: no other server gets the secret
	Scopes       Scopes `json:"scopes"` // requested instead of those that the server names
	CallbackPort int    `json:"callbackPort"`
	CallbackHost string `json:"callbackHost"` // localhost, where the address is registered with that name; else 127.0.0.1
}

// Scopes are written as a list, or, as Claude does, as a text with spaces between them.
type Scopes []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scopes) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// IsZero reports whether it is empty.
func (o OAuth) IsZero() bool {
	return o.ClientID == "" && o.ClientSecret == "" && o.Issuer == "" && len(o.Scopes) == 0 && o.CallbackPort == 0 && o.CallbackHost == ""
}

// LacksIssuer reports whether there is a secret but no issuer that may get it.
func (o OAuth) LacksIssuer() bool { return o.ClientSecret != "" && o.Issuer == "" }

// Keyed reports whether the server gets a key with its requests, so that nobody has to sign in.
func (s Server) Keyed() bool {
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// Limits of a configuration file.
const (
	maxServers = 100
	maxName    = 100     // bytes
	maxText    = 8 << 10 // bytes of one argument, value or address
	maxList    = 200     // arguments, variables, headers
)

// Line shows the command to start or the address to reach, with references in place of keys.
func (s Server) Line() string {
	if s.URL != "" {
		return s.URL
	}
	words := []string{quoted(s.Command)}
	for _, a := range s.Args {
		words = append(words, quoted(a))
	}
	return strings.Join(words, " ")
}

func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'\\|&;<>()$`*?[#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// entry is a server in the file. Unknown keys are ignored.
type entry struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	OAuth    OAuth             `json:"oauth"`
	Disabled bool              `json:"disabled"`
}

// Parse reads `{"mcpServers": {NAME: {...}}}` and returns the servers sorted by name, without those
// that are switched off. If a server cannot be used, its Problem says why.
func Parse(data []byte, from From) ([]Server, error) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s", explain(data, err))
	}
	if len(file.Servers) > maxServers {
		return nil, fmt.Errorf("it names more than %d servers: remove some", maxServers)
	}
	var all []Server
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		var e entry
		err := json.Unmarshal(file.Servers[name], &e)
		if err == nil && e.Disabled {
			continue
		}
		s := Server{Name: name, From: from, Command: e.Command, Args: e.Args, Env: e.Env, URL: e.URL, Headers: e.Headers, OAuth: e.OAuth}
		if err != nil {
			s.Problem = explain(file.Servers[name], err)
		} else {
			s.Problem = s.Wrong(e.Type)
		}
		all = append(all, s)
	}
	return all, nil
}

// Wrong says why a server cannot be used; "": it can. kind is the transport in the file, or "".
func (s Server) Wrong(kind string) string {
	long := func(text string) bool { return len(text) > maxText || strings.ContainsRune(text, 0) }
	pairs := func(m map[string]string) bool {
		for k, v := range m {
			if k == "" || long(k) || long(v) || strings.ContainsAny(k, "=\n\r:") {
				return true
			}
		}
		return len(m) > maxList
	}
	switch {
	case strings.TrimSpace(s.Name) == "" || len(s.Name) > maxName || clip.VisibleLine(s.Name, maxName) != s.Name || strings.ContainsAny(s.Name, "\u200c\u200d"):
		return fmt.Sprintf("its name is empty, longer than %d bytes, or holds characters that cannot be seen: rename it", maxName)
	case long(s.Command) || long(s.URL) || len(s.Args) > maxList || slices.ContainsFunc(s.Args, long) || pairs(s.Env) || pairs(s.Headers):
		return "a part of it is too long, or not a text: shorten it"
	case s.Command != "" && s.URL != "":
		return "it has a `command` and a `url`: keep one of them"
	case s.Command == "" && s.URL == "":
		return "it has neither `command` nor `url`: add one"
	case kind == "sse":
		return "it uses the transport `sse`, which newer servers no longer have: set `type` to `http`, with the address that the server gives for it"
	case s.URL != "" && !strings.Contains(s.URL, "${") && !isAddress(s.URL):
		return "its `url` is not an address that begins with https:// or http://"
	}
	return s.wrongOAuth(long)
}

func (s Server) wrongOAuth(long func(string) bool) string {
	o := s.OAuth
	switch {
	case long(o.ClientID) || long(o.ClientSecret) || long(o.Issuer) || len(o.Scopes) > maxList || slices.ContainsFunc(o.Scopes, long):
		return "a part of `oauth` is too long, or not a text: shorten it"
	case s.URL == "" && (o.ClientID != "" || o.Issuer != ""):
		return "it has `oauth`, and is started as a program: people sign in to a server with a `url`"
	case o.ClientSecret != "" && o.ClientID == "" || o.LacksIssuer():
		return "its `oauth` has a `clientSecret` without `clientId` and `issuer`: add them, so that nobody else gets the secret"
	case o.CallbackPort < 0 || o.CallbackPort > 65535:
		return "the `callbackPort` of its `oauth` is not a port"
	case o.CallbackHost != "" && o.CallbackHost != "localhost" && o.CallbackHost != "127.0.0.1":
		return "the `callbackHost` of its `oauth` is neither 127.0.0.1 nor localhost: browsers come back to this machine alone"
	}
	return ""
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// explain says what is wrong with a JSON text, and in which line.
func explain(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		return fmt.Sprintf("`%s` is %s, and a %s was expected", clip.VisibleLine(kind.Field, 60), kind.Value, kind.Type)
	}
	if at < 0 || at > int64(len(data)) {
		return err.Error()
	}
	return fmt.Sprintf("line %d: it is not JSON (%s)", 1+strings.Count(string(data[:at]), "\n"), err)
}
