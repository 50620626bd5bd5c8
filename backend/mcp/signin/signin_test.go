package signin_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/mcp/signin"
)

// A sign-in goes from the server's refusal to the browser and back, and survives a restart.
func TestSignIn(t *testing.T) {
	w := newWorld(t)
	s := w.session()
	if err := w.call(s); !isNeeded(err) || !strings.Contains(err.Error(), "sign in first") {
		t.Fatal(err)
	}
	if s.Standing().In || w.keep.Has() {
		t.Error("somebody signed in")
	}
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if u, err := url.Parse(a.Address); err != nil || a.Host != authName || u.Host != authName || u.Query().Get("scope") != "offline_access" {
		t.Errorf("%s %s", a.Host, a.Address)
	}
	done := make(chan error, 1)
	go func() { done <- a.Wait(t.Context()) }()
	status, page := w.browse(a.Address)
	if err := <-done; err != nil || status != 200 || !strings.Contains(page, signin.SignedIn) || strings.Contains(page, "<script") {
		t.Fatal(err, status, page)
	}
	if err := w.call(s); err != nil || !s.Standing().In {
		t.Fatal(err, s.Standing())
	}
	if later := w.session(); !later.Standing().In || w.call(later) != nil {
		t.Error("the sign-in did not survive a restart")
	}
	if w.count(&w.Given) != 1 || w.count(&w.Registered) != 1 {
		t.Error(w.Given, w.Registered)
	}
	other := signin.New(signin.Options{Server: "https://" + trackerName + "/other", Keep: w.keep, Network: w.network()})
	if token, err := other.Token(t.Context()); token != "" || err != nil {
		t.Errorf("another address got the token %q, %v", token, err)
	}
}

// Many concurrent agents renew a token once, and none of them sees an expired one.
func TestOneRenewal(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	w.in()
	w.Expire()
	s := w.aged(over)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := w.call(s); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := w.count(&w.Renewed); n != 1 {
		t.Error(n, "renewals")
	}
	if w.count(&w.Given) != 1 {
		t.Error("somebody signed in again")
	}
}

// A token is renewed before it expires, while callers go on using it.
func TestRenewedBeforeItEnds(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	w.in()
	s := w.aged(59 * time.Second)
	first, err := s.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(50 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if now, err := s.Token(t.Context()); err == nil && now != first {
			return
		}
	}
	t.Error("it was not renewed before its end")
}

// Two processes renew in turns: the second takes the first one's tokens, as the server counts a
// used refresh token as stolen.
func TestTwoProcesses(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Second
	a := w.in()
	b := w.session()
	if err := w.call(b); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		w.late(a)
		w.late(b)
		var both sync.WaitGroup
		for _, s := range []*signin.Session{a, b, a, b} {
			both.Go(func() {
				if err := w.call(s); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	w.set(func() { w.Lifetime = time.Hour })
	w.late(a)
	w.late(b)
	for range 3 {
		w.Expire() // both are refused, and one of them renews
		before := w.count(&w.Renewed)
		var both sync.WaitGroup
		for _, s := range []*signin.Session{a, b, a, b} {
			both.Go(func() {
				if err := w.call(s); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if n := w.count(&w.Renewed) - before; n != 1 {
			t.Error(n, "renewals of two processes")
		}
	}
	w.set(func() { w.Lifetime = time.Second })
	w.Expire()
	for _, s := range []*signin.Session{a, b} {
		if err := w.call(s); err != nil {
			t.Fatal(err)
		}
	}
	if w.count(&w.Given) != 1 {
		t.Error("somebody had to sign in again")
	}
	w.outAndIn(a, b)
	if err := w.call(b); err != nil {
		t.Errorf("the other process does not see the new sign-in: %v", err)
	}
}

// After the person signed out and in again in another process, a token that has expired is renewed:
// the failed renewal was of another token.
func TestAFailedRenewalDelaysNoOtherToken(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Second
	a := w.in()
	b := w.session()
	if err := w.call(b); err != nil {
		t.Fatal(err)
	}
	w.outAndIn(a, b)
	time.Sleep(w.Lifetime - over)
	if err := w.call(b); err != nil {
		t.Errorf("the other process does not renew the new sign-in: %v", err)
	}
}

// When somebody ends the sign-in at the server, the person has to sign in again, nothing of it is
// kept, and the server is not flooded with requests.
func TestRevoked(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	s := w.in()
	w.Revoke()
	for range 3 {
		if err := w.call(s); !isNeeded(err) || !strings.Contains(err.Error(), "ran out") {
			t.Fatal(err)
		}
	}
	if s.Standing().In {
		t.Error("it counts as signed in")
	}
	text, _ := w.keep.Read()
	for _, secret := range w.Secrets() {
		if strings.Contains(text, secret) {
			t.Error("the keyring has", secret)
		}
	}
	if err := w.signIn(s); err != nil || w.call(s) != nil {
		t.Fatal(err)
	}
	if w.count(&w.Registered) != 1 {
		t.Error("it registered again at the same server")
	}
}

// An access token that is refused although it should still be good is renewed.
func TestRefusedBeforeItsEnd(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	s := w.in()
	w.Expire()
	if err := w.call(s); err != nil || w.count(&w.Renewed) != 1 {
		t.Error(err, w.Renewed)
	}
}

func TestOut(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	s := w.in()
	if told, err := s.Out(t.Context()); told != nil || err != nil {
		t.Fatal(told, err)
	}
	if w.count(&w.Revoked) != 2 || w.keep.Has() || s.Standing().In {
		t.Error(w.Revoked, w.keep.Has(), s.Standing())
	}
	if err := w.call(s); !isNeeded(err) {
		t.Error(err)
	}
	// The person is signed out here even if the server cannot be told.
	if err := w.signIn(s); err != nil {
		t.Fatal(err)
	}
	w.names[authName] = nil
	if told, err := s.Out(t.Context()); told == nil || err != nil || w.keep.Has() {
		t.Error(told, err)
	}
}

// If a server moves to another issuer, nothing of the old one is shown to the new one.
func TestAnotherPlace(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	s := w.in()
	var mu sync.Mutex
	var seen []string
	w.names["elsewhere.example.net"] = []string{"93.184.216.36"}
	w.serve("93.184.216.36", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		r.ParseForm()
		seen = append(seen, r.URL.String()+" "+r.Form.Encode())
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server") {
			json.NewEncoder(out).Encode(map[string]any{"issuer": "https://elsewhere.example.net", "authorization_endpoint": "https://elsewhere.example.net/a",
				"token_endpoint": "https://elsewhere.example.net/t", "registration_endpoint": "https://elsewhere.example.net/r", "code_challenge_methods_supported": []string{"S256"}})
			return
		}
		out.WriteHeader(http.StatusCreated)
		out.Write([]byte(`{"client_id":"another"}`))
	}))
	w.Expire()
	w.set(func() {
		w.Change = func(document string, m map[string]any) {
			if document == "resource" {
				m["authorization_servers"] = []string{"https://elsewhere.example.net"}
			}
		}
	})
	if err := w.call(s); !isNeeded(err) || !strings.Contains(err.Error(), "elsewhere") || w.count(&w.Renewed) != 0 {
		t.Fatal(err, w.Renewed)
	}
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	u, err := url.Parse(a.Address)
	if err != nil || u.Host != "elsewhere.example.net" || u.Query().Get("client_id") != "another" {
		t.Error(a.Address, err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, secret := range append(w.Secrets(), "client-1") {
		if strings.Contains(strings.Join(seen, "\n")+a.Address, secret) {
			t.Error("the new place saw", secret)
		}
	}
}

// If a call needs more rights, the error names them, and the next sign-in asks for them in addition
// to the old ones. Rights that were refused are not asked for forever.
func TestMoreRights(t *testing.T) {
	w := newWorld(t)
	w.Lifetime = time.Hour
	s := w.in()
	w.set(func() { w.Scopes = []string{"write"} })
	var needed *signin.Needed
	if err := w.call(s); !errors.As(err, &needed) || !needed.Rights || !slices.Equal(needed.Scopes, []string{"write"}) {
		t.Fatal(err)
	}
	if st := s.Standing(); !st.In || !slices.Equal(st.Wants, []string{"write"}) {
		t.Errorf("%+v", st)
	}
	a, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if u, _ := url.Parse(a.Address); u.Query().Get("scope") != "offline_access write" {
		t.Error(a.Address)
	}
	a.Close()
	if err := w.signIn(s); err != nil || w.call(s) != nil || s.Standing().Wants != nil {
		t.Fatal(err, s.Standing())
	}
	w.set(func() { w.Scopes = []string{"write", "never"} })
	if err := w.call(s); !isNeeded(err) {
		t.Fatal(err)
	}
	if err := w.signIn(s); err != nil { // but the account does not have the right
		t.Fatal(err)
	}
	h := http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="never"`}}
	if _, err := s.Refused(t.Context(), http.StatusForbidden, h, "x"); !errors.As(err, &needed) || needed.Scopes != nil || s.Standing().Wants != nil {
		t.Errorf("it asks for the same again: %v", err)
	}
	if again, err := s.Refused(t.Context(), http.StatusForbidden, http.Header{}, "x"); again || err != nil {
		t.Error("another refusal was taken for missing rights:", again, err)
	}
}

// Without a keyring a sign-in lasts until the program ends, even when it is renewed.
func TestWithoutKeyring(t *testing.T) {
	w := newWorld(t)
	w.keep.refuse = errors.New("no keyring is running")
	w.Lifetime = time.Second
	s := w.in()
	for range 3 {
		w.late(s)
		if err := w.call(s); err != nil {
			t.Fatal(err)
		}
	}
	if st := s.Standing(); !st.In || st.Unkept == nil {
		t.Errorf("%+v", st)
	}
	if told, err := s.Out(t.Context()); told != nil || err != nil || s.Standing().In {
		t.Error(told, err)
	}
}
