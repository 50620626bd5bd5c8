package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
)

// Guard admits only the person who opened the printed address. Its token is after a "#", which no
// browser sends or reveals to another page; it is valid once, and the page exchanges it for a
// session. A session is sent with each call in a header. It is not a cookie: those are sent to all
// ports of a host, and so to any other server there.
//
// Host must be the listening address (so that no foreign name can be pointed here), and a page's
// request must come from this origin. The interface itself is not secret: its files are the
// program's.
type Guard struct {
	hosts map[string]bool
	host  string
	tell  func(address string)
	now   func() time.Time

	mu       lock.Mutex
	reported time.Time
	printed  string            // of the address that was printed last
	entries  map[sum]time.Time // until when an address is valid; zero: until it is used
	sessions map[sum]struct{}  // by what calls carry
	images   map[sum]struct{}  // by what addresses of images carry
}

type sum = [sha256.Size]byte

const (
	entryTime = time.Minute      // for the address that a page requested
	tellEvery = 10 * time.Second // addresses for pages that have none
)

// NewGuard makes a guard for a server that listens on addr. tell is called with an address to print
// if a page was opened without a valid one.
func NewGuard(addr net.Addr, tell func(address string)) *Guard {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		host, port = addr.String(), "80"
	}
	g := &Guard{
		tell: tell, now: time.Now, host: net.JoinHostPort(host, port), hosts: map[string]bool{net.JoinHostPort(host, port): true},
		entries: map[sum]time.Time{}, sessions: map[sum]struct{}{}, images: map[sum]struct{}{},
	}
	if ip := net.ParseIP(host); ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
			g.hosts[net.JoinHostPort(name, port)] = true
		}
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		for _, name := range ownAddresses() {
			g.hosts[net.JoinHostPort(name, port)] = true
		}
	}
	return g
}

// Address returns the address to open, which works once. Until it is used it
// stays the same.
func (g *Guard) Address() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, open := g.entries[sha256.Sum256([]byte(g.printed))]; !open {
		g.printed = secret()
		g.entries[sha256.Sum256([]byte(g.printed))] = time.Time{}
	}
	g.reported = g.now()
	return address(g.host, g.printed)
}

func address(host, token string) string { return "http://" + host + "/#token=" + token }

func secret() string {
	var b [24]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Session is a page's session in exchange for an address.
type Session struct {
	Session string `json:"session"` // for the header of each call
	Images  string `json:"images"`  // for addresses of images, which carry no header
}

// Wrap puts next behind the guard.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := strings.HasPrefix(r.URL.Path, "/api/")
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case !g.hosts[r.Host]:
			refuse(w, http.StatusForbidden, "This address is not the one that mutsumi serve listens on.")
		case r.Header.Get("Origin") != "" && r.Header.Get("Origin") != "http://"+r.Host,
			(site == "cross-site" || site == "same-site") && (r.Method != http.MethodGet || r.URL.Path != "/"):
			refuse(w, http.StatusForbidden, "This request comes from another site.")
		case !call && r.Method != http.MethodGet && r.Method != http.MethodHead:
			refuse(w, http.StatusMethodNotAllowed, "There is nothing to send here.")
		case r.URL.Path == "/api/session" && r.Method == http.MethodPost:
			g.enter(w, r)
		case call && !g.allowed(r):
			refuse(w, http.StatusUnauthorized, signedOut)
		case r.URL.Path == "/api/session/address" && r.Method == http.MethodPost:
			token := secret()
			g.mu.Lock()
			g.entries[sha256.Sum256([]byte(token))] = g.now().Add(entryTime)
			g.mu.Unlock()
			writeJSON(w, http.StatusOK, address(r.Host, token))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

const signedOut = "This page is not signed in: its address was used already, or had nothing behind the #. Open the new address that mutsumi serve prints now, in the terminal where it runs."

// codeSignedOut is the code of the fault for a missing session.
const codeSignedOut = "signedOut"

// refuse answers with a fault and closes the connection: an unadmitted client holds none.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	f := fault.New(fault.Denied, "%s", why)
	if status == http.StatusUnauthorized {
		f = f.WithCode(codeSignedOut)
	}
	writeJSON(w, status, f)
}

// enter changes the address of a page, or a session that it has, for a session.
func (g *Guard) enter(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Token string `json:"token"`
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4096))
	if err != nil || json.Unmarshal(body, &q) != nil {
		refuse(w, http.StatusBadRequest, "This is no address.")
		return
	}
	if g.use(q.Token) || g.allowed(r) {
		s := Session{secret(), secret()}
		g.mu.Lock()
		g.sessions[sha256.Sum256([]byte(s.Session))] = struct{}{}
		g.images[sha256.Sum256([]byte(s.Images))] = struct{}{}
		g.mu.Unlock()
		writeJSON(w, http.StatusOK, s)
		return
	}
	g.mu.Lock()
	again := g.now().Sub(g.reported) >= tellEvery
	if _, open := g.entries[sha256.Sum256([]byte(g.printed))]; !open {
		again = true // the existing one is no longer valid
	}
	g.mu.Unlock()
	if again && g.tell != nil {
		g.tell(g.Address())
	}
	refuse(w, http.StatusUnauthorized, signedOut)
}

// use reports whether a token is valid, and invalidates it.
func (g *Guard) use(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := sha256.Sum256([]byte(token))
	until, ok := g.entries[key]
	delete(g.entries, key)
	return ok && (until.IsZero() || g.now().Before(until))
}

// allowed reports whether a request carries a session, or what addresses of
// images carry and asks for one.
func (g *Guard) allowed(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if session, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		_, ok := g.sessions[sha256.Sum256([]byte(session))]
		return ok
	}
	if r.Method != http.MethodGet || r.URL.Path != "/api/image" {
		return false
	}
	_, ok := g.images[sha256.Sum256([]byte(r.URL.Query().Get("key")))]
	return ok
}

func ownAddresses() []string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []string
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			out = append(out, n.IP.String())
		}
	}
	return out
}

// Policy is the content security policy of the interface: nothing from
// elsewhere, no inline script. Styles may be inline because CodeMirror and
// KaTeX set them; blob: is where WebKit puts a pasted image, which is fetched from there.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Server is the whole of `mutsumi serve` behind the guard: the built interface, /api/ and the calls
// of app.
func Server(assets fs.FS, api http.Handler, app any) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /api/call/{name}", Calls(app))
	mux.Handle("/api/", api)
	mux.Handle("GET /preferences.js", api)
	files := http.FileServerFS(assets)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if strings.HasPrefix(r.URL.Path, "/assets/") {
			h.Set("Cache-Control", "max-age=31536000, immutable")
		} else {
			h.Set("Cache-Control", "no-cache")
		}
		files.ServeHTTP(w, r)
	})
	return mux
}
