// Package config reads which MCP servers are set up (SPEC 13.1): those of a folder's
// `.mcp.json`, and those of the settings, which have the same form. It starts none and
// trusts none: what a folder brings counts only behind its trust (package access).
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

// From says where a server was set up.
type From string

const (
	Folder   From = "folder"   // `.mcp.json`: counts once the folder is trusted
	Settings From = "settings" // the person's own
)

// Server is one server as it was written, with references in place of keys.
type Server struct {
	Name    string
	From    From
	Command string // of a server that is started: a program, and its arguments
	Args    []string
	Env     map[string]string
	URL     string // of a server that runs elsewhere
	Headers map[string]string
	OAuth   OAuth  // of one to which people sign in: how the program is registered there
	Problem string // why it cannot be used; "": nothing
}

// OAuth is how the person registered the program where a server has people sign in. All of
// it may be missing: then the program registers by itself.
type OAuth struct {
	ClientID     string `json:"clientId"` // or the address of a client metadata document
	ClientSecret string `json:"clientSecret"`
	Issuer       string `json:"issuer"` // who knows the two: a secret is shown to nobody else
	Scopes       Scopes `json:"scopes"` // asked for in place of those that the server names
	CallbackPort int    `json:"callbackPort"`
}

// Scopes are written as a list, or as Claude writes them: a text with spaces between them.
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

// IsZero reports whether nothing of it is said.
func (o OAuth) IsZero() bool {
	return o.ClientID == "" && o.ClientSecret == "" && o.Issuer == "" && len(o.Scopes) == 0 && o.CallbackPort == 0
}

// LacksIssuer reports whether it has a secret, and nothing says who may get it.
func (o OAuth) LacksIssuer() bool { return o.ClientSecret != "" && o.Issuer == "" }

// Keyed reports whether a server is sent a key, so that nobody signs in to it.
func (s Server) Keyed() bool {
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// Bounds of what a file says.
const (
	maxServers = 100
	maxName    = 100     // bytes
	maxText    = 8 << 10 // bytes of one argument, value or address
	maxList    = 200     // arguments, variables, headers
)

// Line shows what would be started or asked, with references in place of keys.
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

// entry is a server in the file. Keys that mean nothing here are let be.
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

// Parse reads `{"mcpServers": {NAME: {...}}}`. The servers are in the order of their
// names; one that cannot be used says why. A server that is switched off is left out.
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

// Wrong says why a server cannot be used; "": it can. kind is the transport that is written for it, or "".
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
	}
	return ""
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// explain says what is wrong with a text of JSON, with the line.
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
