package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"mutsumi/backend/clip"
)

// Client is the program's registration at one authorization server.
type Client struct {
	ID       string    `json:"id"`
	Secret   string    `json:"secret,omitempty"`
	Method   string    `json:"method"`             // how it presents the secret: none, client_secret_basic or client_secret_post
	Redirect string    `json:"redirect,omitempty"` // if the program registered itself
	Until    time.Time `json:"until,omitzero"`     // when the secret expires; zero: never
}

// How a client proves that it is the registered one.
const (
	authNone  = "none"
	authBasic = "client_secret_basic"
	authPost  = "client_secret_post"
)

// Registered is a registration that the person made beforehand.
type Registered struct {
	ID     string // an https address is a client metadata document
	Secret string
	Issuer string   // where it is registered; "": wherever the server says
	Scopes []string // requested instead of those that the server names; nil: the server's
	Port   int      // of the address that the browser returns to; 0: any
	Host   string   // of it: localhost, or "" for 127.0.0.1
}

// isDocument reports whether a client id is the address of a client metadata document.
func isDocument(id string) bool { return strings.HasPrefix(id, "https://") }

// register returns the client to use at an authorization server: registered beforehand, described
// by a metadata document, registered earlier, or registered now.
func (r *reach) register(ctx context.Context, m *oauthex.AuthServerMeta, own Registered, before *Client, redirect string) (Client, error) {
	host := clip.VisibleLine(m.Issuer, 200)
	if own.ID != "" && own.Issuer != "" && !sameIssuer(own.Issuer, m.Issuer) {
		return Client{}, fmt.Errorf("it has people sign in at %s, and Mutsumi is registered at %s: check `oauth` where the server is set up", host, clip.VisibleLine(own.Issuer, 200))
	}
	switch {
	case own.ID != "" && !isDocument(own.ID):
		return Client{ID: own.ID, Secret: own.Secret, Method: method(own.Secret, "", m.TokenEndpointAuthMethodsSupported)}, nil
	case own.ID != "" && m.ClientIDMetadataDocumentSupported:
		return Client{ID: own.ID, Method: authNone}, nil
	case before != nil && before.Redirect == redirect && (before.Until.IsZero() || time.Now().Before(before.Until)):
		return *before, nil
	case m.RegistrationEndpoint == "":
		return Client{}, fmt.Errorf("%s does not let programs register by themselves: register Mutsumi there, with the address http://127.0.0.1:PORT/callback, and write `\"oauth\": {\"clientId\": \"...\", \"callbackPort\": PORT}` where the server is set up", host)
	}
	return r.registerNow(ctx, m, redirect)
}

func (r *reach) registerNow(ctx context.Context, m *oauthex.AuthServerMeta, redirect string) (Client, error) {
	at, err := r.address("address for registrations", m.RegistrationEndpoint)
	if err != nil {
		return Client{}, err
	}
	wanted := authNone
	if all := m.TokenEndpointAuthMethodsSupported; len(all) > 0 && !slices.Contains(all, authNone) {
		wanted = method("a secret", "", all)
	}
	body, err := json.Marshal(oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: wanted, GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code"}, ClientName: "Mutsumi", ApplicationType: "native",
	})
	if err != nil {
		return Client{}, err
	}
	a, err := r.send(ctx, http.MethodPost, at, "application/json", body, nil)
	if err != nil {
		return Client{}, err
	}
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		return Client{}, fmt.Errorf("%s did not register Mutsumi: %w", clip.VisibleLine(at.Host, 100), refusal(a))
	}
	var got struct { // not the type of oauthex, whose errors quote secrets
		ID     string      `json:"client_id"`
		Secret string      `json:"client_secret"`
		Method string      `json:"token_endpoint_auth_method"`
		Until  json.Number `json:"client_secret_expires_at"`
	}
	if json.Unmarshal(a.body, &got) != nil || !isValue(got.ID) || got.Secret != "" && !isValue(got.Secret) {
		return Client{}, fmt.Errorf("%s answered a registration with something else", clip.VisibleLine(at.Host, 100))
	}
	c := Client{ID: got.ID, Secret: got.Secret, Method: method(got.Secret, got.Method, m.TokenEndpointAuthMethodsSupported), Redirect: redirect}
	if seconds, err := got.Until.Int64(); err == nil && seconds > 0 && c.Secret != "" {
		c.Until = time.Unix(seconds, 0)
	}
	return c, nil
}

// method chooses how a client presents its secret: as agreed, or as the server supports it.
func method(secret, agreed string, supported []string) string {
	switch {
	case secret == "" || agreed == authNone:
		return authNone
	case agreed == authBasic || agreed == authPost:
		return agreed
	case len(supported) == 0 || slices.Contains(supported, authBasic):
		return authBasic
	case slices.Contains(supported, authPost):
		return authPost
	case slices.Contains(supported, authNone):
		return authNone
	}
	return authBasic
}

// isValue reports whether a text can be a name or a token in a request.
func isValue(s string) bool {
	const longest = 16 << 10
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' })
}

// show adds the client's credentials to a request to a token endpoint.
func (c Client) show(form url.Values) func(*http.Request) {
	switch c.Method {
	case authBasic:
		return func(req *http.Request) { req.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret)) }
	case authPost:
		form.Set("client_secret", c.Secret)
	}
	form.Set("client_id", c.ID)
	return nil
}

// refused is an authorization server's refusal.
type refused struct {
	code string // of RFC 6749, such as invalid_grant; "": none
	text string
}

func (r *refused) Error() string { return r.text }

// refusal reads an error of RFC 6749. Its texts are the server's, made safe to show.
func refusal(a answer) error {
	var got struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(a.body, &got) != nil || got.Error == "" {
		return &refused{text: fmt.Sprintf("it answered with status %d", a.status)}
	}
	text := clip.VisibleLine(got.Error, 60)
	if got.Description != "" {
		text += ": " + clip.VisibleLine(got.Description, 200)
	}
	return &refused{got.Error, text}
}

// isRefused reports whether a server refused a request with one of these codes.
func isRefused(err error, codes ...string) bool {
	var r *refused
	return errors.As(err, &r) && slices.Contains(codes, r.code)
}
