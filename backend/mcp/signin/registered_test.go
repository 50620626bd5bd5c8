package signin_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mutsumi/backend/mcp/signin"
)

// registered is the program's side if the person enters its registration.
func (w *world) registered(as signin.Registered) *signin.Session {
	return signin.New(signin.Options{Server: w.Resource, Keep: w.keep, Network: w.network(), Registered: as})
}

// freePort is an unused port of the loopback address.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// asked is the request for the browser.
func asked(t *testing.T, a *signin.Attempt) url.Values {
	t.Helper()
	u, err := url.Parse(a.Address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// A program that was registered by hand uses its registered id and redirect address, and requests
// the rights that the person named; it does not register itself.
func TestRegisteredByHand(t *testing.T) {
	for host, in := range map[string]string{"": "127.0.0.1", "127.0.0.1": "127.0.0.1", "localhost": "localhost"} {
		t.Run(host, func(t *testing.T) {
			w := newWorld(t)
			port := freePort(t)
			redirect := fmt.Sprintf("http://%s:%d/callback", in, port)
			w.Know("by-hand", redirect)
			s := w.registered(signin.Registered{ID: "by-hand", Port: port, Host: host, Scopes: []string{"mine"}})
			a, err := s.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if q := asked(t, a); q.Get("client_id") != "by-hand" || q.Get("redirect_uri") != redirect || q.Get("scope") != "mine" {
				t.Errorf("it asks for %v", q)
			}
			done := make(chan error, 1)
			go func() { done <- a.Wait(t.Context()) }()
			if status, page := w.browse(a.Address); status != 200 || !strings.Contains(page, signin.SignedIn) {
				t.Error(status, page)
			}
			if err := <-done; err != nil || w.call(s) != nil || w.count(&w.Registered) != 0 {
				t.Error(err, w.Registered)
			}
			// The address is in use: the error names it.
			l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if _, err := s.Begin(t.Context()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("127.0.0.1:%d, which the browser is to come back to, is in use", port)) {
				t.Error(err)
			}
		})
	}
}

// A secret is sent to the token endpoint of its issuer, in the way that it accepts, and nowhere
// else.
func TestASecretGoesToItsIssuer(t *testing.T) {
	for method, takes := range map[string][]string{"basic": nil, "post": {"client_secret_post"}} {
		t.Run(method, func(t *testing.T) {
			w := newWorld(t)
			w.Know("id", "")
			w.Change = func(document string, m map[string]any) {
				if document == "issuer" {
					m["token_endpoint_auth_methods_supported"] = takes
				}
			}
			shown := ""
			w.Token = func(out http.ResponseWriter, r *http.Request) {
				if id, secret, ok := r.BasicAuth(); ok {
					shown = "basic " + id + " " + secret
				} else {
					shown = "post " + r.PostFormValue("client_id") + " " + r.PostFormValue("client_secret")
				}
				json.NewEncoder(out).Encode(map[string]any{"access_token": "access-secret-1", "token_type": "Bearer"})
			}
			s := w.registered(signin.Registered{ID: "id", Secret: "hidden%3D", Issuer: w.Issuer})
			a, err := s.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w.Know("id", asked(t, a).Get("redirect_uri"))
			if strings.Contains(a.Address, "hidden") {
				t.Error("the address contains it:", a.Address)
			}
			done := make(chan error, 1)
			go func() { done <- a.Wait(t.Context()) }()
			w.browse(a.Address)
			want := map[string]string{"basic": "basic id " + url.QueryEscape("hidden%3D"), "post": "post id hidden%3D"}[method]
			if err := <-done; err != nil || shown != want {
				t.Errorf("%v: it shows %q, not %q", err, shown, want)
			}
			shown = ""
			other := w.registered(signin.Registered{ID: "id", Secret: "hidden%3D", Issuer: "https://elsewhere.example.net"})
			if _, err := other.Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "Mutsumi is registered at https://elsewhere.example.net") || shown != "" {
				t.Error(err, shown)
			}
		})
	}
}

// The address of a client metadata document is the program's id, if the server accepts that;
// otherwise the program registers itself.
func TestClientMetadataDocuments(t *testing.T) {
	const document = "https://client.example.net/mutsumi.json"
	w := newWorld(t)
	s := w.registered(signin.Registered{ID: document})
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	if id := asked(t, a).Get("client_id"); id != "client-1" {
		t.Errorf("where none are taken it is called %q", id)
	}
	w.Change = func(what string, m map[string]any) {
		if what == "issuer" {
			m["client_id_metadata_document_supported"] = true
		}
	}
	if a, err = s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := asked(t, a)
	w.Know(document, q.Get("redirect_uri"))
	done := make(chan error, 1)
	go func() { done <- a.Wait(t.Context()) }()
	w.browse(a.Address)
	if err := <-done; err != nil || q.Get("client_id") != document || w.call(s) != nil || w.count(&w.Registered) != 1 {
		t.Error(err, q, w.Registered)
	}
}
