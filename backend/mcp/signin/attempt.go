package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/clip"
)

// patience is how long the person has for a sign-in.
const patience = 10 * time.Minute

// Attempt is a sign-in that waits for the person's browser to come back.
type Attempt struct {
	Address string // to open in the browser
	Host    string // of Address

	of       *Session
	rec      Record // without tokens
	iss      bool   // the browser's answer must name the issuer
	redirect string
	state    string
	verifier string
	say      func(string) string
	server   *http.Server
	listener net.Listener // of server

	once sync.Once
	back chan url.Values // the parameters that the browser brought back
	done chan struct{}   // closed at the end
	err  error           // the outcome
}

// listen opens the loopback address that the browser returns to.
func listen(ctx context.Context, port int) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("the address 127.0.0.1:%d, which the browser is to come back to, is in use: end the program that uses it, or write another `callbackPort`", port)
	}
	return l, nil
}

const callback = "/callback"

// redirectOf is the address to which a browser returns. A host is only another name of the
// loopback address.
func redirectOf(l net.Listener, host string) string {
	at := l.Addr().String()
	if _, port, err := net.SplitHostPort(at); err == nil && host != "" {
		at = net.JoinHostPort(host, port)
	}
	return "http://" + at + callback
}

// newAttempt makes the address to open. It takes over the listener.
func newAttempt(s *Session, p place, rec Record, l net.Listener) (*Attempt, error) {
	a := &Attempt{
		of: s, rec: rec, redirect: redirectOf(l, s.with.Registered.Host), iss: p.meta.AuthorizationResponseIssParameterSupported, state: rand.Text(), verifier: rand.Text() + rand.Text(),
		say: s.with.Say, listener: l, back: make(chan url.Values, 1), done: make(chan struct{}),
	}
	u, err := url.Parse(p.meta.AuthorizationEndpoint)
	if err != nil {
		l.Close()
		return nil, err
	}
	sum := sha256.Sum256([]byte(a.verifier))
	q := u.Query()
	for k, v := range map[string]string{
		"response_type": "code", "client_id": rec.Client.ID, "redirect_uri": a.redirect, "state": a.state, "resource": rec.Resource,
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256", "scope": strings.Join(rec.Scopes, " "),
	} {
		if v != "" {
			q.Set(k, v)
		}
	}
	u.RawQuery = q.Encode()
	a.Address, a.Host = u.String(), clip.VisibleLine(u.Host, 100)
	a.server = &http.Server{
		Handler: http.HandlerFunc(a.serve), ReadTimeout: 5 * time.Second, WriteTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
	}
	go a.server.Serve(l) // until end closes it
	return a, nil
}

// serve answers requests to the loopback address: from the person's browser, or from anybody else
// on this machine.
func (a *Attempt) serve(w http.ResponseWriter, r *http.Request) {
	own, err := url.Parse(a.redirect)
	if err != nil || r.Host != own.Host || r.URL.Path != callback || r.Method != http.MethodGet {
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	if !a.take(r.URL.Query()) {
		a.show(w, http.StatusBadRequest, NotSignedIn, StrayText)
		return
	}
	select {
	case <-a.done:
	case <-r.Context().Done():
		return
	}
	if a.err != nil {
		a.show(w, http.StatusOK, NotSignedIn, FailedText)
		return
	}
	a.show(w, http.StatusOK, SignedIn, SignedInText)
}

// take accepts the browser's answer if it belongs to this sign-in, once.
func (a *Attempt) take(q url.Values) bool {
	if len(q["state"]) != 1 || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(a.state)) != 1 {
		return false
	}
	select {
	case a.back <- q:
		return true
	default:
		return false
	}
}

// Arrived takes the address at which a browser on another machine ended up.
func (a *Attempt) Arrived(address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Path != callback || !a.take(u.Query()) {
		return errors.New("this is not the address that the browser ends at: copy all of it, from http:// on")
	}
	return nil
}

// Wait waits until the browser comes back, then gets the tokens and stores them. The error is for
// people. When it returns, the attempt's port is free; the browser may still be getting its page.
func (a *Attempt) Wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("nobody signed in within %s", patience))
	defer cancel()
	select {
	case q := <-a.back:
		a.end(a.finish(ctx, q))
	case <-ctx.Done():
		a.end(context.Cause(ctx))
	case <-a.done:
	}
	return a.err
}

// Close gives up a sign-in.
func (a *Attempt) Close() { a.end(context.Canceled) }

func (a *Attempt) end(err error) {
	a.once.Do(func() {
		a.err = err
		a.listener.Close()
		close(a.done)
		go func() { // the page is still on its way
			bounded, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			if a.server.Shutdown(bounded) != nil {
				a.server.Close()
			}
		}()
	})
}

// finish checks who answered, and gets the tokens.
func (a *Attempt) finish(ctx context.Context, q url.Values) error {
	for _, name := range []string{"code", "iss", "error", "error_description"} {
		if len(q[name]) > 1 {
			return errors.New("the browser brought back an answer that says things twice")
		}
	}
	switch iss := q.Get("iss"); {
	case q.Has("iss") && iss != a.rec.Issuer:
		return fmt.Errorf("the answer came from %q, and not from %s, where the sign-in began", clip.VisibleLine(iss, 200), clip.VisibleLine(a.rec.Issuer, 200))
	case a.iss && iss == "":
		return fmt.Errorf("the answer does not say that it came from %s, as it has to", clip.VisibleLine(a.rec.Issuer, 200))
	}
	switch code := q.Get("error"); {
	case code == "access_denied":
		return errors.New("it was declined in the browser")
	case code != "":
		text := clip.VisibleLine(code, 60)
		if more := q.Get("error_description"); more != "" {
			text += ": " + clip.VisibleLine(more, 200)
		}
		return fmt.Errorf("%s refused it: %s", a.Host, text)
	case !isValue(q.Get("code")):
		return errors.New("the browser brought back no answer")
	}
	return a.of.complete(ctx, a.rec, url.Values{
		"grant_type": {"authorization_code"}, "code": {q.Get("code")}, "code_verifier": {a.verifier}, "redirect_uri": {a.redirect},
	})
}
