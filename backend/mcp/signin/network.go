package signin

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/clip"
)

// Network is how to reach servers. The zero value uses the system's network; tests supply names and
// connections of their own.
type Network struct {
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Roots   *x509.CertPool
	Timeout time.Duration // of a request
}

const (
	requestTime  = 20 * time.Second
	maxAnswer    = 256 << 10 // bytes of an answer
	maxHeader    = 64 << 10  // bytes of its headers
	maxAddress   = 2000      // bytes of an address that a server names
	maxRedirects = 3
)

func (n Network) or() Network {
	if n.Resolve == nil {
		n.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if n.Dial == nil {
		n.Dial = (&net.Dialer{Timeout: requestTime / 2}).DialContext
	}
	if n.Timeout == 0 {
		n.Timeout = requestTime
	}
	return n
}

// zone is the network in which the server that the person set up is. Addresses that the server
// names may be in the same zone, but no nearer: otherwise it could send requests to addresses that
// only this machine reaches.
type zone int

const (
	public   zone = iota
	private       // in the person's own network
	loopback      // on this machine
)

// reach makes requests on behalf of a server that the person set up.
type reach struct {
	net    Network
	host   string // of that server
	zone   zone
	client *http.Client
}

// newReach finds out in which zone the server at an address is.
func newReach(ctx context.Context, network Network, server string) (*reach, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("its `url` is not an address")
	}
	r := &reach{net: network.or(), host: strings.ToLower(u.Hostname())}
	if isLoopback(r.host) {
		r.zone = loopback
	} else {
		ips, err := r.resolve(ctx, r.host)
		if err != nil {
			if proxyFor(u) == nil {
				return nil, fmt.Errorf("%s cannot be found: %s", r.host, plain(err))
			}
		}
		// A name that resolves to this machine counts as public: it may resolve elsewhere tomorrow.
		if len(ips) > 0 && !slices.ContainsFunc(ips, func(ip netip.Addr) bool { return zoneOf(ip) != private }) {
			r.zone = private
		}
	}
	direct := &http.Transport{
		DialContext: r.dial, TLSClientConfig: &tls.Config{RootCAs: r.net.Roots}, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: r.net.Timeout, ResponseHeaderTimeout: r.net.Timeout, MaxResponseHeaderBytes: maxHeader, DisableKeepAlives: true,
	}
	proxied := direct.Clone()
	proxied.DialContext, proxied.Proxy = r.net.Dial, http.ProxyFromEnvironment
	r.client = &http.Client{Transport: &guarded{r, direct, proxied}, Timeout: r.net.Timeout, CheckRedirect: r.redirect}
	return r, nil
}

// isLoopback reports whether a host is this machine by its name alone, without a resolver.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// nowhere is the zone of addresses that no server has.
const nowhere zone = -1

// reserved are networks that the standard library does not know.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("fec0::/10"),
}

// zoneOf returns the zone of an address. An IPv6 address that embeds an IPv4 address has the zone of that
// address.
func zoneOf(ip netip.Addr) zone {
	ip = ip.Unmap().WithZone("")
	if b := ip.As16(); ip.Is6() {
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(ip), netip.MustParsePrefix("::/96").Contains(ip) && !ip.IsLoopback() && !ip.IsUnspecified():
			return zoneOf(netip.AddrFrom4([4]byte(b[12:16])))
		case netip.MustParsePrefix("2002::/16").Contains(ip):
			return zoneOf(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	switch {
	case !ip.IsValid() || ip.IsUnspecified() || ip.IsMulticast() || ip.IsLinkLocalUnicast():
		return nowhere
	case ip.IsLoopback():
		return loopback
	case ip.IsPrivate() || slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(ip) }):
		return private
	}
	return public
}

// errNearer means that a server named an address inside a network that it may not reach.
var errNearer = errors.New("it leads to an address in a private network, which that server has no business with")

// allows checks whether a host may be reached at an address.
func (r *reach) allows(host string, ip netip.Addr) error {
	switch z := zoneOf(ip); {
	case z == public,
		z == loopback && r.zone == loopback && isLoopback(host),
		z == private && r.zone == loopback,
		z == private && r.zone == private && akin(host, r.host):
		return nil
	}
	return fmt.Errorf("%s cannot be asked: %w", clip.VisibleLine(host, 100), errNearer)
}

// akin reports whether two hosts belong to the same owner, as far as names tell.
func akin(a, b string) bool {
	tail := func(host string) string {
		if _, err := netip.ParseAddr(host); err == nil {
			return host
		}
		labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
		return strings.Join(labels[max(0, len(labels)-2):], ".")
	}
	return tail(a) == tail(b)
}

func (r *reach) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	return r.net.Resolve(ctx, host)
}

// dial connects to an address that was checked, so that a name cannot resolve differently between
// the check and the use.
func (r *reach) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ips, err := r.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, ip := range ips { // one forbidden address rules out the name
		if err := r.allows(host, ip); err != nil {
			return nil, err
		}
	}
	last := errors.New("it has no address")
	for _, ip := range ips {
		conn, err := r.net.Dial(ctx, network, net.JoinHostPort(ip.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

// visit checks an address that a browser is to open, which resolves it on its own.
func (r *reach) visit(ctx context.Context, u *url.URL) error {
	ips, err := r.resolve(ctx, u.Hostname())
	if err != nil {
		if proxyFor(u) != nil {
			return nil // the proxy resolves the name
		}
		return fmt.Errorf("%s cannot be found: %s", clip.VisibleLine(u.Hostname(), 100), plain(err))
	}
	for _, ip := range ips {
		if err := r.allows(u.Hostname(), ip); err != nil {
			return err
		}
	}
	return nil
}

func proxyFor(u *url.URL) *url.URL {
	proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: u})
	return proxy
}

// guarded sends requests through the person's proxy, if they set one up, or to addresses that were
// checked.
type guarded struct {
	of              *reach
	direct, proxied *http.Transport
}

func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.of.check(r.URL); err != nil {
		return nil, err
	}
	if proxyFor(r.URL) == nil {
		return g.direct.RoundTrip(r)
	}
	if err := g.of.visit(r.Context(), r.URL); err != nil {
		return nil, err
	}
	return g.proxied.RoundTrip(r)
}

// redirect follows a few redirects of requests that only read, and none of those that send.
func (r *reach) redirect(to *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return errors.New("it leads on and on")
	}
	return nil // guarded checks where it leads
}

// address parses an address that a server named.
func (r *reach) address(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		err = r.check(u)
	}
	if len(text) > maxAddress {
		err = errors.New("it is too long")
	}
	if err != nil {
		return nil, fmt.Errorf("the %s %q cannot be used: %s", what, clip.VisibleLine(text, 200), plain(err))
	}
	return u, nil
}

// check checks that an address has an acceptable form.
func (r *reach) check(u *url.URL) error {
	switch {
	case u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "":
		return errors.New("it is not the address of a server")
	case u.Scheme == "https", u.Scheme == "http" && r.zone == loopback && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("it does not begin with https://")
}

// answer is a server's answer.
type answer struct {
	status int
	body   []byte
}

// get reads a document. The error is for people.
func (r *reach) get(ctx context.Context, u *url.URL) (answer, error) {
	return r.send(ctx, http.MethodGet, u, "", nil, nil)
}

func (r *reach) send(ctx context.Context, method string, u *url.URL, kind string, body []byte, set func(*http.Request)) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return answer{}, errors.New("an address cannot be used")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "mutsumi")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if set != nil {
		set(req)
	}
	host := clip.VisibleLine(u.Host, 100)
	res, err := r.client.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("%s did not answer: %w", host, cause(err))
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answer{}, fmt.Errorf("%s did not answer: %w", host, cause(err))
	case len(text) > maxAnswer:
		return answer{}, fmt.Errorf("%s answered with more than %d KB", host, maxAnswer>>10)
	case res.StatusCode/100 == 3:
		return answer{}, fmt.Errorf("%s leads on to another address, which is not followed here", host)
	}
	return answer{res.StatusCode, text}, nil
}

// cause takes the address out of an error: it may hold something secret.
func cause(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		if of.Timeout() {
			return errors.New("it took too long")
		}
		err = of.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("it took too long")
	}
	return err
}

// plain returns the text of an error in one line.
func plain(err error) string { return clip.VisibleLine(cause(err).Error(), 300) }
