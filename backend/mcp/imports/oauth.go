package imports

import (
	"net/url"
	"strconv"
	"strings"

	"mutsumi/backend/mcp/config"
)

// oauth is the registration of an OAuth client as Claude, VS Code, Codex and Zed write it
// (code.claude.com/docs/en/mcp, code.visualstudio.com/docs/copilot/reference/mcp-configuration,
// developers.openai.com/docs/extend/mcp). Claude keeps its client secret elsewhere.
type oauth struct {
	ClientID     string        `json:"clientId"`
	ClientSecret string        `json:"clientSecret"`
	Issuer       string        `json:"issuer"`
	Metadata     string        `json:"authServerMetadataUrl"`
	Scopes       config.Scopes `json:"scopes"`
	CallbackPort int           `json:"callbackPort"`
	CallbackHost string        `json:"callbackHost"`
	SnakeID      string        `json:"client_id"`
	SnakeSecret  string        `json:"client_secret"`
}

// cursorAuth is the same as Cursor writes it (cursor.com/docs/mcp).
type cursorAuth struct {
	ID     string        `json:"CLIENT_ID"`
	Secret string        `json:"CLIENT_SECRET"`
	Scopes config.Scopes `json:"scopes"`
}

func (o oauth) ours() config.OAuth {
	out := config.OAuth{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Issuer: o.Issuer, Scopes: o.Scopes, CallbackPort: o.CallbackPort, CallbackHost: o.CallbackHost}
	if out.ClientID == "" {
		out.ClientID = o.SnakeID
	}
	if out.ClientSecret == "" {
		out.ClientSecret = o.SnakeSecret
	}
	if out.Issuer == "" {
		out.Issuer = IssuerOf(o.Metadata)
	}
	return out
}

// comesBack makes the browser return to the registered address, and reports whether that is possible:
// redirect is the registered address, "" if unknown.
func comesBack(o config.OAuth, redirect string) (config.OAuth, bool) {
	if o.ClientID == "" {
		return o, true
	}
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" || u.Path != "/callback" || u.RawQuery != "" || u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" {
		return o, false
	}
	if u.Hostname() == "localhost" {
		o.CallbackHost = "localhost"
	}
	if port, err := strconv.Atoi(u.Port()); err == nil && o.CallbackPort == 0 {
		o.CallbackPort = port
	}
	return o, true
}

// IssuerOf returns the issuer to which a metadata address belongs; "": the address does not tell
// (RFC 8414, section 3; OpenID Connect Discovery, section 4).
func IssuerOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	for _, known := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		if before, after, found := strings.Cut(u.Path, known); found && (before == "" || after == "") {
			return "https://" + u.Host + before + after
		}
	}
	return ""
}
