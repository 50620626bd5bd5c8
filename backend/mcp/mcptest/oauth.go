package mcptest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/lock"
)

// OAuth is an authorization server, and the guard of an MCP server that requires a sign-in. It is
// strict: Wrong lists everything that a careful server would refuse. Its fields may be changed
// before a request while Mu is held.
type OAuth struct {
	Resource string // the address of the MCP server
	Issuer   string // the address of the authorization server

	Mu       lock.Mutex
	Lifetime time.Duration                           // of access tokens; 0: they last forever, and nothing is renewed
	Scopes   []string                                // required by a call; nil: none
	Change   func(document string, m map[string]any) // changes a document ("resource", "issuer", "token") before it is sent
	Back     func(q url.Values)                      // changes the parameters that the browser brings back
	Token    http.HandlerFunc                        // in place of the token endpoint; nil: ours
	Decline  bool                                    // the person says no

	Registered, Renewed, Given, Revoked int // requests that were answered
	Wrong                               []string

	n       int
	clients map[string]string     // redirect by id
	codes   map[string]url.Values // the requests, by code
	access  map[string]grant
	refresh map[string]grant
}

type grant struct {
	client string
	scopes []string
	until  time.Time
	root   int // the sign-in that it comes from
}

// NewOAuth starts both at addresses of this machine, until the test ends.
func NewOAuth(t testing.TB) *OAuth {
	o := &OAuth{}
	door, issuer := httptest.NewServer(o.Door(Handler())), httptest.NewServer(o.Server())
	t.Cleanup(door.Close)
	t.Cleanup(issuer.Close)
	o.Resource, o.Issuer = door.URL+"/mcp", issuer.URL
	return o
}

// Secrets returns all texts that must not appear in a file, a log or an event.
func (o *OAuth) Secrets() (all []string) {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	for n := range o.n + 1 {
		for _, kind := range []string{"access", "refresh", "code"} {
			all = append(all, fmt.Sprintf("%s-secret-%d", kind, n))
		}
	}
	return all
}

// Know registers a client: its id and its redirect address.
func (o *OAuth) Know(id, redirect string) {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	if o.clients == nil {
		o.clients = map[string]string{}
	}
	o.clients[id] = redirect
}

// Revoke ends every token, as if from elsewhere.
func (o *OAuth) Revoke() {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	o.access, o.refresh = nil, nil
}

// Expire ends every access token.
func (o *OAuth) Expire() {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	o.access = nil
}

func (o *OAuth) wrong(format string, args ...any) {
	o.Wrong = append(o.Wrong, fmt.Sprintf(format, args...))
}

func (o *OAuth) send(w http.ResponseWriter, document string, status int, m map[string]any) {
	if o.Change != nil {
		o.Change(document, m)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(m)
}

// Door lets only signed-in clients through to an MCP server.
func (o *OAuth) Door(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-protected-resource/", func(w http.ResponseWriter, r *http.Request) {
		o.Mu.Lock()
		defer o.Mu.Unlock()
		o.send(w, "resource", 200, map[string]any{"resource": o.Resource, "authorization_servers": []string{o.Issuer}})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		status, challenge := o.admits(r)
		if status != 0 {
			w.Header().Set("WWW-Authenticate", challenge)
			http.Error(w, "no", status)
			return
		}
		next.ServeHTTP(w, r)
	})
	return mux
}

func (o *OAuth) admits(r *http.Request) (status int, challenge string) {
	o.Mu.Lock()
	defer o.Mu.Unlock()
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	g, known := o.access[token]
	if token != "" && !strings.HasPrefix(token, "access-secret-") {
		o.wrong("a token that is none: %q", token)
	}
	if !known || !g.until.IsZero() && time.Now().After(g.until) {
		return http.StatusUnauthorized, `Bearer error="invalid_token"`
	}
	for _, s := range o.Scopes {
		if !slices.Contains(g.scopes, s) {
			return http.StatusForbidden, `Bearer error="insufficient_scope", scope="` + strings.Join(o.Scopes, " ") + `"`
		}
	}
	return 0, ""
}

// Server is the authorization server.
func (o *OAuth) Server() http.Handler {
	mux := http.NewServeMux()
	locked := func(path string, f http.HandlerFunc) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			o.Mu.Lock()
			own := o.Token
			if path == "/token" && own != nil {
				o.Mu.Unlock()
				own(w, r)
				return
			}
			defer o.Mu.Unlock()
			f(w, r)
		})
	}
	locked("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		o.send(w, "issuer", 200, map[string]any{
			"issuer": o.Issuer, "authorization_endpoint": o.Issuer + "/authorize", "token_endpoint": o.Issuer + "/token",
			"registration_endpoint": o.Issuer + "/register", "revocation_endpoint": o.Issuer + "/revoke",
			"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
			"authorization_response_iss_parameter_supported": true, "token_endpoint_auth_methods_supported": []string{"none"},
			"scopes_supported": []string{"read", "offline_access"},
		})
	})
	locked("/register", o.register)
	locked("/authorize", o.authorize)
	locked("/token", o.token)
	locked("/revoke", func(w http.ResponseWriter, r *http.Request) {
		token := r.PostFormValue("token")
		o.Revoked++
		delete(o.access, token)
		delete(o.refresh, token)
	})
	return mux
}

func (o *OAuth) register(w http.ResponseWriter, r *http.Request) {
	var m struct {
		Redirects []string `json:"redirect_uris"`
		Kind      string   `json:"application_type"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || len(m.Redirects) != 1 || m.Kind != "native" {
		o.wrong("a registration of %+v", m)
	}
	o.Registered++
	id := fmt.Sprintf("client-%d", o.Registered)
	if o.clients == nil {
		o.clients = map[string]string{}
	}
	o.clients[id] = m.Redirects[0]
	o.send(w, "register", http.StatusCreated, map[string]any{"client_id": id, "token_endpoint_auth_method": "none"})
}

func (o *OAuth) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	redirect, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || redirect.Scheme != "http" || redirect.Hostname() != "127.0.0.1" && redirect.Hostname() != "localhost" || o.clients[q.Get("client_id")] != q.Get("redirect_uri") {
		o.wrong("a redirect to %q of %q", q.Get("redirect_uri"), q.Get("client_id"))
	}
	if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("resource") != o.Resource || len(q.Get("state")) < 20 {
		o.wrong("a sign-in with %v", q)
	}
	o.n++
	code := fmt.Sprintf("code-secret-%d", o.n)
	if o.codes == nil {
		o.codes = map[string]url.Values{}
	}
	o.codes[code] = q
	back := url.Values{"state": {q.Get("state")}, "iss": {o.Issuer}}
	if o.Decline {
		back.Set("error", "access_denied")
	} else {
		back.Set("code", code)
	}
	if o.Back != nil {
		o.Back(back)
	}
	redirect.RawQuery = back.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusFound)
}

func (o *OAuth) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(code string) { o.send(w, "refusal", http.StatusBadRequest, map[string]any{"error": code}) }
	if r.Method != http.MethodPost || r.PostFormValue("resource") != o.Resource {
		o.wrong("a %s for tokens of %q", r.Method, r.PostFormValue("resource"))
	}
	client := r.PostFormValue("client_id")
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		code := r.PostFormValue("code")
		asked := o.codes[code]
		delete(o.codes, code)
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if asked == nil || asked.Get("client_id") != client || asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") ||
			asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			o.wrong("a code that was asked for with %v", asked)
			refuse("invalid_grant")
			return
		}
		o.Given++
		o.give(w, grant{client: client, scopes: strings.Fields(asked.Get("scope")), root: o.n})
	case "refresh_token":
		old := r.PostFormValue("refresh_token")
		g, known := o.refresh[old]
		if !known || g.client != client {
			// A refresh token that comes twice was stolen: all tokens of its sign-in end.
			refuse("invalid_grant")
			return
		}
		delete(o.refresh, old)
		o.Renewed++
		o.give(w, g)
	default:
		refuse("unsupported_grant_type")
	}
}

func (o *OAuth) give(w http.ResponseWriter, g grant) {
	o.n++
	if o.access == nil {
		o.access = map[string]grant{}
	}
	if o.refresh == nil {
		o.refresh = map[string]grant{}
	}
	access := fmt.Sprintf("access-secret-%d", o.n)
	m := map[string]any{"access_token": access, "token_type": "Bearer"}
	if o.Lifetime > 0 {
		refresh := fmt.Sprintf("refresh-secret-%d", o.n)
		m["expires_in"], m["refresh_token"] = o.Lifetime.Seconds(), refresh
		o.refresh[refresh] = g
		g.until = time.Now().Add(o.Lifetime)
	}
	o.access[access] = g
	o.send(w, "token", 200, m)
}
