package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Guard lets only the person who saw the printed address in: a fresh token,
// taken from ?token= once and kept as a cookie, must come with every request;
// Host must be the address that was listened on (so that no foreign name can
// be pointed here), and a request that a page makes must come from this origin.
type Guard struct {
	token  string
	cookie string
	hosts  map[string]bool
}

// NewGuard makes a guard for a server that listens on addr, with a fresh token.
func NewGuard(addr net.Addr) *Guard {
	var b [24]byte
	rand.Read(b[:])
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		host, port = addr.String(), "80"
	}
	g := &Guard{token: hex.EncodeToString(b[:]), cookie: "mutsumi_" + port, hosts: map[string]bool{net.JoinHostPort(host, port): true}}
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

// Address is what to open: the origin at host with the token.
func (g *Guard) Address(host string) string { return "http://" + host + "/?token=" + g.token }

// Wrap returns next behind the guard.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.hosts[r.Host] {
			http.Error(w, "This address is not the one that mutsumi serve listens on.", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			http.Error(w, "This request comes from another site.", http.StatusForbidden)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			if r.Method != http.MethodGet || r.URL.Path != "/" {
				http.Error(w, "This request comes from another site.", http.StatusForbidden)
				return
			}
		}
		if token := r.URL.Query().Get("token"); token != "" && r.Method == http.MethodGet && r.URL.Path == "/" && g.same(token) {
			http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			u := url.URL{Path: "/"}
			http.Redirect(w, r, u.String(), http.StatusSeeOther)
			return
		}
		if c, err := r.Cookie(g.cookie); err != nil || !g.same(c.Value) {
			http.Error(w, "Open the address that mutsumi serve printed: it carries the token.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *Guard) same(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
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

// Server is the whole of `mutsumi serve` behind the guard: the built
// interface, /api/ and the calls of app.
func Server(assets fs.FS, api http.Handler, app any) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /api/call/{name}", Calls(app))
	mux.Handle("/api/", api)
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
