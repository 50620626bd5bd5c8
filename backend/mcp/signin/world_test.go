package signin_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/mcp/signin"
)

// world is the web as a test sees it: an MCP server and an authorization server at public names,
// over TLS. Only the connections are simulated.
type world struct {
	*mcptest.OAuth
	t      *testing.T
	roots  *x509.CertPool
	cert   tls.Certificate
	mu     sync.Mutex
	names  map[string][]string // addresses by name; several sets are used in turn
	asked  map[string]int
	dialed []string          // addresses that were connected to
	at     map[string]string // where a public address really is
	keep   *entry
	limit  time.Duration // of a request
}

const (
	trackerName, authName = "tracker.example.com", "auth.example.org"
	trackerIP, authIP     = "93.184.216.34", "93.184.216.35"
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, OAuth: &mcptest.OAuth{Resource: "https://" + trackerName + "/mcp", Issuer: "https://" + authName},
		names: map[string][]string{trackerName: {trackerIP}, authName: {authIP}}, asked: map[string]int{}, at: map[string]string{}, keep: newEntry(), limit: time.Minute}
	w.makeCert(trackerName, authName, "elsewhere.example.net", "inside.example.com", "localhost")
	w.serve(trackerIP, w.Door(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { out.Write([]byte("in")) })))
	w.serve(authIP, w.Server())
	t.Cleanup(func() {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		for _, what := range w.Wrong {
			t.Error("the server saw " + what)
		}
	})
	return w
}

func (w *world) makeCert(names ...string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: names,
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP("10.0.0.8")}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		w.t.Fatal(err)
	}
	w.cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		w.t.Fatal(err)
	}
	w.roots = x509.NewCertPool()
	w.roots.AddCert(leaf)
}

// serve runs a server at a public address.
func (w *world) serve(ip string, h http.Handler) {
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{w.cert}}
	s.StartTLS()
	w.t.Cleanup(s.Close)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at[ip] = s.Listener.Addr().String()
}

func (w *world) network() signin.Network {
	return signin.Network{Roots: w.roots, Timeout: w.limit,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			turns := w.names[host]
			if turns == nil {
				return nil, errors.New("no such host")
			}
			n := min(w.asked[host], len(turns)-1)
			w.asked[host]++
			var ips []netip.Addr
			for _, text := range strings.Fields(turns[n]) {
				ips = append(ips, netip.MustParseAddr(text))
			}
			return ips, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			w.mu.Lock()
			w.dialed = append(w.dialed, address)
			real := w.at[host]
			w.mu.Unlock()
			if real == "" {
				return nil, errors.New("nobody is there")
			}
			return new(net.Dialer).DialContext(ctx, network, real)
		},
	}
}

// session is the program's side; two sessions represent two processes.
func (w *world) session() *signin.Session {
	return signin.New(signin.Options{Server: w.Resource, Keep: w.keep, Network: w.network()})
}

// client is the HTTP client of the MCP server and of the person's browser.
func (w *world) client() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: w.roots}, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(address)
		w.mu.Lock()
		if turns := w.names[host]; turns != nil {
			address = w.at[turns[0]]
		}
		w.mu.Unlock()
		return new(net.Dialer).DialContext(ctx, network, address)
	}}}
}

// call sends a request to the MCP server as package client does.
func (w *world) call(s *signin.Session) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); { // a short token may end on its way
		token, err := s.Token(w.t.Context())
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.Resource, nil)
		if err != nil {
			return err
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := w.client().Do(req)
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
		again, err := s.Refused(w.t.Context(), res.StatusCode, res.Header, token)
		if err != nil {
			return err
		}
		if !again {
			return errors.New(res.Status)
		}
	}
	return errors.New("it is refused for ever")
}

// browse plays the person's browser: it opens an address and returns the page at which it ends up.
func (w *world) browse(address string) (status int, page string) {
	w.t.Helper()
	res, err := w.client().Get(address)
	if err != nil {
		w.t.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Error(err)
	}
	return res.StatusCode, string(text)
}

// signIn goes through a whole sign-in.
func (w *world) signIn(s *signin.Session) error {
	w.t.Helper()
	a, err := s.Begin(w.t.Context())
	if err != nil {
		return err
	}
	defer a.Close()
	done := make(chan error, 1)
	go func() { done <- a.Wait(w.t.Context()) }()
	w.browse(a.Address)
	return <-done
}

// in returns a session after a sign-in.
func (w *world) in() *signin.Session {
	w.t.Helper()
	s := w.session()
	if err := w.call(s); !isNeeded(err) {
		w.t.Fatalf("sign in: %v", err)
	}
	if err := w.signIn(s); err != nil {
		w.t.Fatal(err)
	}
	if err := w.call(s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// outAndIn signs out and in again in process a. Process b notices that it is signed out, and does not
// know the new sign-in yet.
func (w *world) outAndIn(a, b *signin.Session) {
	w.t.Helper()
	if told, err := a.Out(w.t.Context()); told != nil || err != nil {
		w.t.Fatal(told, err)
	}
	w.late(b)
	if err := w.call(b); !isNeeded(err) {
		w.t.Errorf("process b still calls the server after the person signed out: %v", err)
	}
	if err := w.signIn(a); err != nil {
		w.t.Fatal(err)
	}
}

// aged makes the stored token one that has this long left of an hour, or that ended if it is below
// zero. It returns a session that knows nothing else.
func (w *world) aged(left time.Duration) *signin.Session {
	w.t.Helper()
	text, err := w.keep.Read()
	if err != nil {
		w.t.Fatal(err)
	}
	var rec signin.Record
	if err := json.Unmarshal([]byte(text), &rec); err != nil || rec.Access == "" {
		w.t.Fatal("no token is stored", err)
	}
	rec.Expires = time.Now().Add(left)
	rec.Given = rec.Expires.Add(-time.Hour)
	raw, err := json.Marshal(rec)
	if err == nil {
		err = w.keep.Write(string(raw))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.session()
}

// late waits until a session's token has surely ended.
func (w *world) late(s *signin.Session) {
	w.t.Helper()
	ends := s.Standing().Expires
	if ends.IsZero() {
		w.t.Fatal("the token has no end")
	}
	time.Sleep(time.Until(ends) - over)
}

// over is how long after its end a token has surely ended, for the server too.
const over = -20 * time.Millisecond

func isNeeded(err error) bool {
	var n *signin.Needed
	return errors.As(err, &n)
}

// count returns a counter of the server.
func (w *world) count(of *int) int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return *of
}

// set changes the server.
func (w *world) set(change func()) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	change()
}

// entry is a keyring entry that the test's processes share.
type entry struct {
	signin.Memory
	held   chan struct{}
	refuse error // the error of Write
}

func newEntry() *entry { return &entry{held: make(chan struct{}, 1)} }

func (e *entry) Write(text string) error {
	if e.refuse != nil {
		return e.refuse
	}
	return e.Memory.Write(text)
}

func (e *entry) Remove() error { return e.Write("") }

func (e *entry) Lock(ctx context.Context) (func(), error) {
	select {
	case e.held <- struct{}{}:
		return func() { <-e.held }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
