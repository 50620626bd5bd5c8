package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/mcp/child"
)

// transport starts the server, or says how it is reached.
func (c *Conn) transport() (mcp.Transport, error) {
	s := c.with.Server
	if s.URL == "" {
		p, err := child.Start(child.Command{Program: s.Command, Args: s.Args, Env: s.Env, Dir: c.with.Dir, Log: c.with.Log})
		if err != nil {
			return nil, err
		}
		c.process = p
		return &mcp.IOTransport{Reader: p.Reader(c.refuse), Writer: p.Writer(), MaxLineLength: 2 * child.MaxMessage}, nil
	}
	at, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("its `url` is not an address")
	}
	client := &http.Client{
		Transport: &own{to: at, headers: s.Headers, refused: c.refuse, next: http.DefaultTransport.(*http.Transport).Clone()},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 || r.URL.Host != at.Host || r.URL.Scheme != at.Scheme {
				return fmt.Errorf("it leads on to %s: write that address into `url` if it is right", r.URL.Host)
			}
			return nil
		},
	}
	return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: child.MaxMessage, MaxRetries: 3}, nil
}

// ErrSignIn says that a server wants to know who asks.
var ErrSignIn = errors.New("it needs a sign-in: put the key that it gives you into its headers, as \"Authorization\": \"Bearer ${keyring:NAME}\"")

// own sends the configured headers to the configured server and nowhere else, and bounds
// what comes back.
type own struct {
	to      *url.URL
	headers map[string]string
	refused func(error)
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (o *own) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == o.to.Host && r.URL.Scheme == o.to.Scheme {
		r = r.Clone(r.Context())
		for name, value := range o.headers {
			r.Header.Set(name, value)
		}
	}
	res, err := o.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusUnauthorized {
		o.refused(ErrSignIn)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = child.Counted(res.Body, o.refused)
	} else {
		res.Body = &atMost{res.Body, child.MaxMessage, o.refused}
	}
	return res, nil
}

// atMost reads a body up to a size.
type atMost struct {
	io.ReadCloser
	left    int
	refused func(error)
}

func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if a.left -= n; a.left < 0 {
		err = fmt.Errorf("it sent a message of more than %d MB", child.MaxMessage>>20)
		a.refused(err)
		return 0, err
	}
	return n, err
}

// closeWait is how long a server elsewhere has to take its leave.
const closeWait = 2 * time.Second
