package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/mcp/signin"
	"mutsumi/backend/subprocess"
)

// transport starts the server's process, or returns how to reach the server.
func (c *Conn) transport() (mcp.Transport, error) {
	s := c.with.Server
	if s.URL == "" {
		p, err := subprocess.Start(subprocess.Command{Program: s.Command, Args: s.Args, Env: s.Env, Dir: c.with.Dir, Log: c.with.Log})
		if err != nil {
			return nil, err
		}
		c.process = p
		return &mcp.IOTransport{Reader: p.Reader(c.refuse), Writer: p.Writer(), MaxLineLength: 2 * subprocess.MaxMessage}, nil
	}
	at, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("its `url` is not an address")
	}
	client := &http.Client{
		Transport: &own{to: at, headers: s.Headers, auth: c.with.Auth, refused: c.refuse, next: http.DefaultTransport.(*http.Transport).Clone()},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 || r.URL.Host != at.Host || r.URL.Scheme != at.Scheme {
				return fmt.Errorf("it leads on to %s: write that address into `url` if it is right", r.URL.Host)
			}
			return nil
		},
	}
	return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: subprocess.MaxMessage, MaxRetries: 3}, nil
}

// ErrSignIn says that a server wants a key, or another key, and that nobody can sign in to it.
var ErrSignIn = errors.New("it refuses the key that it is sent, or wants one: put what it gives you into its headers, as \"Authorization\": \"Bearer ${keyring:NAME}\"")

// Auth authenticates requests; signin.Session implements it.
type Auth interface {
	// Token returns the token to send with a request; "": none.
	Token(ctx context.Context) (string, error)
	// Refused notes that the server refused a request with this token. again says whether to send
	// it once more; the caller of the request gets the error.
	Refused(ctx context.Context, status int, h http.Header, token string) (again bool, err error)
}

// tries is how often a refused request is sent at most.
const tries = 3

// own sends the configured headers and the token to the configured server and nowhere else, and
// limits the size of answers.
type own struct {
	to      *url.URL
	headers map[string]string
	auth    Auth // nil: nobody can sign in
	refused func(error)
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (o *own) RoundTrip(r *http.Request) (*http.Response, error) {
	var res *http.Response
	var err error
	if r.URL.Host == o.to.Host && r.URL.Scheme == o.to.Scheme {
		res, err = o.signed(r)
	} else {
		res, err = o.next.RoundTrip(r)
	}
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = subprocess.Counted(res.Body, o.refused)
	} else {
		res.Body = &atMost{res.Body, subprocess.MaxMessage, o.refused}
	}
	return res, nil
}

// signed sends a request to the configured server, and sends it again if another token may help.
func (o *own) signed(r *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		sent := r.Clone(r.Context())
		if n > 1 && r.Body != nil && r.Body != http.NoBody {
			if r.GetBody == nil {
				return nil, errors.New("the request cannot be sent again")
			}
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			sent.Body = body
		}
		token := ""
		if o.auth != nil {
			var err error
			if token, err = o.auth.Token(r.Context()); err != nil {
				return nil, err
			}
		}
		if token != "" {
			sent.Header.Set("Authorization", "Bearer "+token)
		}
		for name, value := range o.headers {
			sent.Header.Set(name, value)
		}
		res, err := o.next.RoundTrip(sent)
		if err != nil || res.StatusCode != http.StatusUnauthorized && res.StatusCode != http.StatusForbidden {
			return res, err
		}
		again, err := o.refusal(r, res, token, n)
		if err == nil && !again {
			return res, nil
		}
		io.CopyN(io.Discard, res.Body, 64<<10)
		res.Body.Close()
		if err != nil {
			return nil, err
		}
	}
}

// refusal decides whether a refused request is worth sending again.
func (o *own) refusal(r *http.Request, res *http.Response, token string, n int) (again bool, err error) {
	signIn := res.StatusCode == http.StatusUnauthorized
	if o.auth == nil {
		if signIn {
			err = ErrSignIn
			o.refused(err)
		}
		return false, err
	}
	again, err = o.auth.Refused(r.Context(), res.StatusCode, res.Header, token)
	if again && n >= tries {
		return false, &signin.Needed{Why: "it refuses what it was just given: the person has to sign in again"}
	}
	return again, err
}

// atMost reads a body up to a size.
type atMost struct {
	io.ReadCloser
	left    int
	refused func(error)
}

func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if a.left -= n; a.left <= 0 { // stop before the SDK reads a whole event of that size and refuses it in words of its own
		err = subprocess.ErrTooLong
		a.refused(err)
		return 0, err
	}
	return n, err
}

// closeWait is how long the program waits for a server elsewhere to end the session.
const closeWait = 2 * time.Second
