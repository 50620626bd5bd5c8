package imports

import (
	"encoding/json"
	"net/url"
	"strings"

	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/mcp/config"
)

// entry is a server as other programs write it: flat in Claude, Cursor and VS Code; in Zed
// `command` is the program or an object that holds it.
type entry struct {
	Type     string
	Command  string
	Args     []string
	Env      map[string]string
	URL      string
	Headers  map[string]string
	Disabled bool
	OAuth    config.OAuth
	Redirect string // that OAuth.ClientID is registered with; "": nobody knows
}

func jsonEntry(raw json.RawMessage) (entry, error) {
	var e struct {
		Type      string            `json:"type"`
		Command   json.RawMessage   `json:"command"`
		Args      []string          `json:"args"`
		Env       map[string]string `json:"env"`
		URL       string            `json:"url"`
		ServerURL string            `json:"serverUrl"`
		Headers   map[string]string `json:"headers"`
		Disabled  bool              `json:"disabled"`
		Enabled   *bool             `json:"enabled"`
		OAuth     oauth             `json:"oauth"`
		Auth      cursorAuth        `json:"auth"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return entry{}, err
	}
	out := entry{e.Type, "", e.Args, e.Env, e.URL, e.Headers, e.Disabled || e.Enabled != nil && !*e.Enabled, e.OAuth.ours(), ""}
	if a := e.Auth; out.OAuth.IsZero() {
		out.OAuth = config.OAuth{ClientID: a.ID, ClientSecret: a.Secret, Scopes: a.Scopes}
	}
	if out.URL == "" {
		out.URL = e.ServerURL
	}
	if len(e.Command) == 0 || json.Unmarshal(e.Command, &out.Command) == nil {
		return out, nil
	}
	var c struct {
		Path string            `json:"path"`
		Args []string          `json:"args"`
		Env  map[string]string `json:"env"`
	}
	if err := json.Unmarshal(e.Command, &c); err != nil {
		return entry{}, err
	}
	out.Command, out.Args, out.Env = c.Path, c.Args, c.Env
	return out, nil
}

// server converts the entry to our form and takes its keys out.
func (e entry) server(name string) Server {
	k := keys{server: strings.NewReplacer("$", "", "{", "", "}", "").Replace(name), found: map[string]string{}}
	s := config.Server{Name: name, From: config.Settings, Command: ours(e.Command), URL: k.address(ours(e.URL))}
	for _, a := range e.Args {
		s.Args = append(s.Args, k.argument(ours(a)))
	}
	for key, value := range e.Env {
		s.Env = with(s.Env, key, k.value(key, ours(value)))
	}
	for key, value := range e.Headers {
		s.Headers = with(s.Headers, key, k.header(key, ours(value)))
	}
	s.OAuth = e.OAuth
	s.OAuth.ClientID = ours(s.OAuth.ClientID)
	if secret := ours(s.OAuth.ClientSecret); secret != "" && !strings.Contains(secret, "${") {
		s.OAuth.ClientSecret = k.keep("client-secret", secret)
	} else {
		s.OAuth.ClientSecret = secret
	}
	out := Server{Keys: k.found}
	var ours bool
	if s.OAuth, ours = comesBack(s.OAuth, e.Redirect); !ours {
		out.Lacks = append(out.Lacks, lacksRedirect)
	}
	if s.OAuth.LacksIssuer() { // the person can add it after the import
		out.Lacks = append(out.Lacks, lacksIssuer)
		with := s
		with.OAuth.Issuer = "https://example.org"
		s.Problem = with.Wrong(e.Type)
	} else {
		s.Problem = s.Wrong(e.Type)
	}
	out.Server = s
	return out
}

const lacksRedirect = "its client id is registered with the address of another program: where it is registered, let browsers come back to http://127.0.0.1:PORT/callback too, and write that port as `callbackPort` into its `oauth` in the settings file"

const lacksIssuer = "it has a client secret, and its file does not say whose: before it can be used, write the address of the authorization server as `issuer` into its `oauth` in the settings file"

var references = lazyregexp.New(`\$\{(input|workspaceFolder|workspaceRoot|userHome)(?::([^}]*))?\}`)

// ours translates references of other programs into ours. A value that a program would ask for each
// time becomes a keyring entry; the workspace folder becomes ".", where servers start.
func ours(text string) string {
	return references.ReplaceAllStringFunc(text, func(ref string) string {
		m := references.FindStringSubmatch(ref)
		switch m[1] {
		case "input":
			return "${keyring:" + m[2] + "}"
		case "userHome":
			return "${HOME}"
		}
		return "."
	})
}

// keys collects the keys found in a server.
type keys struct {
	server string
	found  map[string]string
}

var (
	secretName = lazyregexp.New(`(?i)token|secret|passw|api[-_]?key|access[-_]?key|private[-_]?key|credential|^key$|auth`)
	keyShape   = lazyregexp.New(`\b(?:sk-[\w-]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)`)
)

// keep stores a key and returns the reference that replaces it.
func (k keys) keep(name, key string) string {
	entry := k.server + "." + name
	for n := 2; k.found[entry] != "" && k.found[entry] != key; n++ {
		entry = k.server + "." + name + strings.Repeat("'", n-1)
	}
	k.found[entry] = key
	return "${keyring:" + entry + "}"
}

func (k keys) value(name, value string) string {
	if strings.Contains(value, "${") || value == "" {
		return value
	}
	if secretName.MatchString(name) || keyShape.MatchString(value) {
		return k.keep(name, value)
	}
	return value
}

func (k keys) header(name, value string) string {
	scheme, token, two := strings.Cut(value, " ")
	if two && strings.EqualFold(name, "Authorization") && !strings.Contains(value, "${") {
		return scheme + " " + k.keep(name, token)
	}
	return k.value(name, value)
}

// argument takes keys out of a command argument: keys of a known shape, and the value of an option
// with a telling name, such as `--api-key=...`.
func (k keys) argument(text string) string {
	if name, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(name, "-") {
		return name + "=" + k.value(strings.TrimLeft(name, "-"), value)
	}
	return keyShape.ReplaceAllStringFunc(text, func(key string) string { return k.keep("argument", key) })
}

// address takes keys out of the query of an address.
func (k keys) address(text string) string {
	before, query, ok := strings.Cut(text, "?")
	if !ok {
		return text
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(value); err == nil && plain == value {
			pairs[i] = name + "=" + k.value(name, value)
		} else if secretName.MatchString(name) {
			pairs[i] = name + "=" + k.keep(name, value)
		}
	}
	return before + "?" + strings.Join(pairs, "&")
}
