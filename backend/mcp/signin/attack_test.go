package signin_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/mcp/signin"
)

// The browser's answer is accepted only once, and only from where the sign-in began.
func TestWhatTheBrowserBrings(t *testing.T) {
	for name, c := range map[string]struct {
		back func(w *world, q url.Values)
		want string
	}{
		"another issuer":      {func(w *world, q url.Values) { q.Set("iss", "https://evil.example.com") }, "and not from"},
		"a slash more":        {func(w *world, q url.Values) { q.Set("iss", w.Issuer+"/") }, "and not from"},
		"an empty issuer":     {func(w *world, q url.Values) { q.Set("iss", "") }, "and not from"},
		"two issuers":         {func(w *world, q url.Values) { q.Add("iss", "https://evil.example.com") }, "says things twice"},
		"no issuer":           {func(w *world, q url.Values) { q.Del("iss") }, "does not say that it came from"},
		"two codes":           {func(w *world, q url.Values) { q.Add("code", "x") }, "says things twice"},
		"no code":             {func(w *world, q url.Values) { q.Del("code") }, "no answer"},
		"an error of another": {func(w *world, q url.Values) { q.Set("error", "x"); q.Set("iss", "https://evil.example.com") }, "and not from"},
		"an error": {func(w *world, q url.Values) {
			q.Set("error", "server_error")
			q.Set("error_description", "a\u202eb\x1b[31m")
		}, "server_error"},
		"the person says no":      {func(w *world, q url.Values) { q.Set("error", "access_denied") }, "declined in the browser"},
		"an issuer of no promise": {func(w *world, q url.Values) { q.Set("iss", "https://evil.example.com") }, "and not from"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Change = func(document string, m map[string]any) {
				if name == "an issuer of no promise" {
					delete(m, "authorization_response_iss_parameter_supported")
				}
			}
			w.Back = func(q url.Values) { c.back(w, q) }
			s := w.session()
			err := w.signIn(s)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\u202e\x1b") {
				t.Fatal(err)
			}
			if w.count(&w.Given) != 0 || s.Standing().In || w.keep.Has() || w.call(s) == nil {
				t.Error("somebody is signed in")
			}
			w.Back = nil
			if err := w.signIn(s); err != nil || w.call(s) != nil {
				t.Error("it cannot be tried again:", err)
			}
		})
	}
}

// Other programs and web pages on this machine know the loopback address. They can neither answer
// in place of the server nor end the sign-in.
func TestStrangersAtTheLoopback(t *testing.T) {
	w := newWorld(t)
	s := w.session()
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- a.Wait(t.Context()) }()
	u, err := url.Parse(a.Address)
	if err != nil {
		t.Fatal(err)
	}
	redirect, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
	own, _ := url.Parse(redirect)
	if own.Hostname() != "127.0.0.1" {
		t.Fatal(redirect)
	}
	ask := func(method, address, host string) (int, http.Header, string) {
		req, err := http.NewRequest(method, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, res.Header, string(text)
	}
	good := "?" + url.Values{"state": {state}, "iss": {w.Issuer}, "code": {"stolen"}}.Encode()
	for name, c := range map[string]struct {
		method, address, host string
		status                int
	}{
		"no state":         {"GET", redirect + "?code=x&iss=" + url.QueryEscape(w.Issuer), "", 400},
		"another state":    {"GET", redirect + "?code=x&state=" + strings.Repeat("A", len(state)), "", 400},
		"two states":       {"GET", redirect + "?code=x&state=" + state + "&state=" + state, "", 400},
		"another host":     {"GET", redirect + good, "evil.example.com:" + own.Port(), 404},
		"a form of a page": {"POST", redirect + good, "", 404},
		"another path":     {"GET", strings.Replace(redirect, "/callback", "/", 1) + good, "", 404},
	} {
		status, h, text := ask(c.method, c.address, c.host)
		if status != c.status || strings.Contains(text, state) {
			t.Errorf("%s: %d %s", name, status, text)
		}
		if csp := h.Get("Content-Security-Policy"); status == 400 && (!strings.Contains(csp, "default-src 'none'") || strings.Contains(text, "<script")) || status == 400 && h.Get("Referrer-Policy") != "no-referrer" {
			t.Error(name, h)
		}
	}
	select {
	case err := <-done:
		t.Fatal("a stranger ended the sign-in:", err)
	default:
	}
	w.browse(a.Address)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // the last page may be on its way
		if _, err := http.Get(redirect + good); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("somebody still listens at the loopback address")
		}
	}
}

// If the browser is on another machine, the person pastes the address at which it ended up.
func TestPasted(t *testing.T) {
	w := newWorld(t)
	s := w.session()
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := w.client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := c.Get(a.Address)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	for _, other := range []string{"", "https://" + trackerName, "http://127.0.0.1:1/callback?code=x&state=y"} {
		if a.Arrived(other) == nil {
			t.Errorf("%q was accepted", other)
		}
	}
	if err := a.Arrived(" " + res.Header.Get("Location") + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := a.Wait(t.Context()); err != nil || w.call(s) != nil {
		t.Error(err)
	}
}

// inside are ways to write addresses that a public server must not lead to.
var inside = []string{
	"https://10.0.0.8", "https://127.0.0.1", "https://localhost", "https://[::1]", "https://169.254.169.254", "https://192.168.1.1", "https://[fd00::1]",
	"https://0.0.0.0", "https://100.64.1.1", "https://[::ffff:10.0.0.8]", "https://[64:ff9b::a00:8]", "https://[2002:a00:8::1]", "https://[fe80::1]", "https://inside.example.com", "https://half.example.com",
}

// No address that a public server names leads into a private network, whichever document holds it:
// nothing connects there.
func TestPrivateAddresses(t *testing.T) {
	for name, put := range map[string]func(w *world, at string){
		"authorization_servers": func(w *world, at string) {
			w.Change = func(document string, m map[string]any) {
				if document == "resource" {
					m["authorization_servers"] = []string{at}
				}
			}
		},
		"authorization_endpoint": changed("authorization_endpoint"), "token_endpoint": changed("token_endpoint"), "registration_endpoint": changed("registration_endpoint"),
	} {
		for _, at := range inside {
			t.Run(name+" "+at, func(t *testing.T) {
				w := newWorld(t)
				w.names["inside.example.com"], w.names["half.example.com"] = []string{"10.0.0.8"}, []string{trackerIP + " 10.0.0.8"}
				put(w, at+"/x")
				s := w.session()
				if err := w.signIn(s); err == nil || s.Standing().In {
					t.Fatal("somebody is signed in")
				}
				w.noneInside()
			})
		}
	}
	for _, at := range inside {
		t.Run("resource_metadata "+at, func(t *testing.T) {
			w := newWorld(t)
			w.names["inside.example.com"], w.names["half.example.com"] = []string{"10.0.0.8"}, []string{trackerIP + " 10.0.0.8"}
			s := w.session()
			s.Refused(t.Context(), 401, http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + at + `/x"`}}, "")
			if _, err := s.Begin(t.Context()); err == nil {
				t.Fatal("it sent a request there")
			}
			w.noneInside()
		})
	}
}

func changed(key string) func(w *world, at string) {
	return func(w *world, at string) {
		w.Change = func(document string, m map[string]any) {
			if document == "issuer" {
				m[key] = at
			}
		}
	}
}

func (w *world) noneInside() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.dialed {
		if at != trackerIP+":443" && at != authIP+":443" {
			w.t.Error("it connected to", at)
		}
	}
}

// A redirect never leads into a private network, neither by address nor by a name that resolves
// differently the second time; a request that sends something follows no redirect.
func TestRedirects(t *testing.T) {
	for _, at := range append(inside, "http://"+authName, "https://twice.example.com") {
		t.Run(at, func(t *testing.T) {
			w := newWorld(t)
			w.names["inside.example.com"], w.names["half.example.com"] = []string{"10.0.0.8"}, []string{trackerIP + " 10.0.0.8"}
			w.names["twice.example.com"] = []string{"10.0.0.8", trackerIP}
			w.serve(authIP, http.RedirectHandler(at+"/x", http.StatusTemporaryRedirect))
			if _, err := w.session().Begin(t.Context()); err == nil {
				t.Fatal("the redirect was followed")
			}
			w.noneInside()
		})
	}
	t.Run("of the token endpoint", func(t *testing.T) {
		w := newWorld(t)
		followed := false
		w.Token = func(out http.ResponseWriter, r *http.Request) {
			followed = followed || r.URL.Query().Has("again")
			http.Redirect(out, r, "/token?again=1", http.StatusTemporaryRedirect)
		}
		if err := w.signIn(w.session()); err == nil || followed || !strings.Contains(err.Error(), "leads on") {
			t.Error(err, followed)
		}
	})
	t.Run("without end", func(t *testing.T) {
		w := newWorld(t)
		w.serve(authIP, http.RedirectHandler("https://"+authName+"/again", http.StatusFound))
		if _, err := w.session().Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "on and on") {
			t.Error(err)
		}
	})
}

// A renewal that hangs delays nobody who has a token, and there is one at a time.
func TestARenewalThatHangs(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	w.in()
	asked, ended := make(chan struct{}, 100), make(chan struct{})
	defer close(ended)
	w.set(func() {
		w.Token = func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-ended }
	})
	s := w.aged(59 * time.Second)
	for range 10 {
		start := time.Now()
		if token, err := s.Token(t.Context()); err != nil || token == "" || time.Since(start) > 30*time.Second {
			t.Error(token, err, time.Since(start))
		}
	}
	if len(asked) > 1 {
		t.Error(len(asked), "renewals")
	}
}

// While an expired token cannot be renewed, none is sent, and the server is not asked again and
// again.
func TestAnExpiredTokenIsNotSent(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	w.in()
	asked := make(chan struct{}, 100)
	w.set(func() {
		w.Token = func(_ http.ResponseWriter, r *http.Request) { asked <- struct{}{}; r.ParseForm(); <-r.Context().Done() }
	})
	w.limit = 2 * time.Second
	s := w.aged(over)
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Token(ctx); err == nil {
		t.Error("an expired token was sent")
	}
	for range 5 {
		if _, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "could not be renewed") {
			t.Error(err)
		}
	}
	if n, most := len(asked), 1+int(time.Since(start)/signin.Retry); n > most {
		t.Errorf("%d renewals, at most %d are right", n, most)
	}
	if !s.Standing().In {
		t.Error("it counts as signed out")
	}
}

// A server in the person's own network may name its neighbours, and a server on this machine may
// name others on it. Neither helps a host that only claims to belong to them.
func TestPrivateServers(t *testing.T) {
	w := newWorld(t)
	w.names["mcp.corp.example.com"], w.names["auth.corp.example.com"], w.names["other.example.net"] = []string{"10.0.0.8"}, []string{"10.0.0.9"}, []string{"10.0.0.10"}
	w.makeCert("mcp.corp.example.com", "auth.corp.example.com", "other.example.net")
	w.Resource, w.Issuer = "https://mcp.corp.example.com/mcp", "https://auth.corp.example.com"
	w.serve("10.0.0.8", w.Door(http.NotFoundHandler()))
	w.serve("10.0.0.9", w.Server())
	s := w.session()
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	for _, at := range []string{"https://other.example.net", "https://127.0.0.1", "https://169.254.169.254"} {
		w.Change = func(document string, m map[string]any) {
			if document == "resource" {
				m["authorization_servers"] = []string{at}
			}
		}
		if _, err := w.session().Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "no business") {
			t.Error(at, err)
		}
	}
	for _, at := range []string{"http://mcp.corp.example.com/mcp", "http://10.0.0.8/mcp"} {
		s := signin.New(signin.Options{Server: at, Keep: newEntry(), Network: w.network()})
		if _, err := s.Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "https://") {
			t.Error(at, err)
		}
	}
}
