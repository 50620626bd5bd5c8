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

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"mutsumi/backend/clip"
)

// challenge is what a server demanded when it refused a request.
type challenge struct {
	metadata string   // the address of its metadata; "": it named none
	scopes   []string // the rights that it wants
	err      string   // such as insufficient_scope
}

// Limits of what a server names.
const (
	maxScopes = 100
	maxScope  = 200 // bytes
)

// challengeOf reads the headers of a refusal. It ignores what it cannot read.
func challengeOf(h http.Header) (c challenge) {
	all, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return challenge{}
	}
	for _, one := range all {
		if c.metadata == "" {
			c.metadata = one.Params["resource_metadata"]
		}
		if one.Scheme == "bearer" && c.err == "" && c.scopes == nil {
			c.scopes, c.err = scopesIn(one.Params["scope"]), one.Params["error"]
		}
	}
	return c
}

// scopesIn reads a list of scopes, without invalid ones.
func scopesIn(text string) []string { return cleanScopes(strings.Fields(text)) }

func cleanScopes(all []string) (clean []string) {
	for _, s := range all {
		odd := func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }
		if s != "" && len(s) <= maxScope && !strings.ContainsFunc(s, odd) && !slices.Contains(clean, s) && len(clean) < maxScopes {
			clean = append(clean, s)
		}
	}
	return clean
}

// place is where to sign in to a server.
type place struct {
	resource string   // the resource for which tokens are requested
	scopes   []string // the rights that the server offers
	meta     *oauthex.AuthServerMeta
}

// discover finds out where to sign in to a server. Of several places it takes a preferred one, if
// there is one.
func (r *reach) discover(ctx context.Context, server string, c challenge, preferred ...string) (place, error) {
	p, issuers, err := r.resource(ctx, server, c.metadata)
	if err != nil {
		return place{}, err
	}
	issuer := issuers[0]
	for _, want := range preferred {
		if at := slices.IndexFunc(issuers, func(s string) bool { return sameIssuer(s, want) }); want != "" && at >= 0 {
			issuer = issuers[at]
			break
		}
	}
	p.meta, err = r.issuer(ctx, issuer)
	return p, err
}

// resource reads a server's own metadata (RFC 9728). A server of an early revision has none, and
// people sign in at its own root.
func (r *reach) resource(ctx context.Context, server, named string) (place, []string, error) {
	at, err := url.Parse(server)
	if err == nil {
		err = r.check(at)
	}
	if err != nil { // it may hold a key
		return place{}, nil, errors.New("nobody can sign in at its `url`: it has to begin with https://")
	}
	var tries []*url.URL
	if named != "" {
		u, err := r.address("address of the server's metadata", named)
		if err != nil {
			return place{}, nil, err
		}
		tries = append(tries, u)
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	root := &url.URL{Scheme: at.Scheme, Host: at.Host}
	if path := strings.Trim(at.Path, "/"); path != "" {
		tries = append(tries, root.JoinPath(wellKnown, path))
	}
	tries = append(tries, root.JoinPath(wellKnown))
	for _, u := range tries {
		a, err := r.get(ctx, u)
		if err != nil {
			return place{}, nil, err
		}
		if a.status/100 == 4 {
			continue
		}
		var meta oauthex.ProtectedResourceMetadata
		if err := decode(a, u, &meta); err != nil {
			return place{}, nil, err
		}
		if !covers(meta.Resource, at) {
			return place{}, nil, fmt.Errorf("it says that it is %q, which is not the address that is set up: check `url`", clip.VisibleLine(meta.Resource, 200))
		}
		if len(meta.AuthorizationServers) == 0 {
			return place{}, nil, errors.New("it does not say where to sign in")
		}
		return place{resource: meta.Resource, scopes: cleanScopes(meta.ScopesSupported)}, meta.AuthorizationServers, nil
	}
	own := *at
	own.RawQuery = ""
	return place{resource: own.String()}, []string{root.String()}, nil
}

// covers reports whether a resource identifier applies to an address: it is the address, or a
// folder above it on the same server.
func covers(resource string, at *url.URL) bool {
	u, err := url.Parse(resource)
	if err != nil || u.Fragment != "" || u.User != nil || u.RawQuery != "" && u.RawQuery != at.RawQuery {
		return false
	}
	if u.Scheme != at.Scheme || !strings.EqualFold(u.Host, at.Host) {
		return false
	}
	above, path := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(at.EscapedPath(), "/")
	return path == above || strings.HasPrefix(path, above+"/")
}

// issuer reads the metadata of an authorization server (RFC 8414, OpenID Connect).
func (r *reach) issuer(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	at, err := r.address("address of the sign-in", issuer)
	if err != nil {
		return nil, err
	}
	const oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	root, path := &url.URL{Scheme: at.Scheme, Host: at.Host}, strings.Trim(at.Path, "/")
	tries := []*url.URL{root.JoinPath(oauth, path), root.JoinPath(openID, path)}
	if path != "" {
		tries = append(tries, root.JoinPath(path, openID))
	}
	for _, u := range tries {
		a, err := r.get(ctx, u)
		if err != nil {
			return nil, err
		}
		if a.status/100 == 4 {
			continue
		}
		meta := &oauthex.AuthServerMeta{}
		if err := decode(a, u, meta); err != nil {
			return nil, err
		}
		return meta, r.fits(ctx, meta, issuer)
	}
	return nil, fmt.Errorf("%s does not say how to sign in there", clip.VisibleLine(at.Host, 100))
}

// fits checks that an authorization server is the expected one and supports what is needed.
func (r *reach) fits(ctx context.Context, m *oauthex.AuthServerMeta, issuer string) error {
	switch host := clip.VisibleLine(issuer, 200); {
	case !sameIssuer(m.Issuer, issuer):
		return fmt.Errorf("%s says that it is %q: that is not who was asked", host, clip.VisibleLine(m.Issuer, 200))
	case !slices.Contains(m.CodeChallengeMethodsSupported, "S256"):
		return fmt.Errorf("%s does not say that it protects sign-ins with PKCE (S256)", host)
	case m.AuthorizationEndpoint == "" || m.TokenEndpoint == "":
		return fmt.Errorf("%s does not say how to sign in there", host)
	}
	for what, text := range map[string]string{
		"address of the sign-in": m.AuthorizationEndpoint, "address for tokens": m.TokenEndpoint,
		"address for registrations": m.RegistrationEndpoint, "address for signing out": m.RevocationEndpoint,
	} {
		if text == "" {
			continue
		}
		if _, err := r.address(what, text); err != nil {
			return err
		}
	}
	page, err := url.Parse(m.AuthorizationEndpoint)
	if err != nil {
		return err
	}
	return r.visit(ctx, page)
}

// sameIssuer compares two issuers without a slash at the end, as many servers write it in one place
// only. The issuer in the browser's answer is compared exactly.
func sameIssuer(a, b string) bool {
	return a != "" && strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

func decode(a answer, from *url.URL, into any) error {
	if a.status != http.StatusOK {
		return fmt.Errorf("%s answered with status %d", clip.VisibleLine(from.Host, 100), a.status)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("%s answered with something else than what was asked", clip.VisibleLine(from.Host, 100))
	}
	return nil
}
