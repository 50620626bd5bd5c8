package exchange

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/fault"
)

// sharedTransport connects for all clients without a transport of their own. The watchdog limits
// the time to the first byte.
var sharedTransport = sync.OnceValue(func() http.RoundTripper {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 15 * time.Second,
		ForceAttemptHTTP2:   true,
		// A connection that died while the machine slept is noticed.
		HTTP2:               &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		// A compressed stream arrives in lumps.
		DisableCompression:     true,
		MaxResponseHeaderBytes: 1 << 20,
	}
})

// parseBase reads the address of a server. An address that was copied with
// the endpoint at its end is taken without it.
func parseBase(s, endpoint string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fault.New(fault.Provider, "the address of the provider is not valid: %s It has the form https://host/v1. Correct it in the settings.", quote(s, nil)).WithCode(fault.CodeUnreachable)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/"+endpoint)
	u.RawPath, u.Fragment = "", ""
	return u, nil
}

// sameOriginOnly follows a redirect that keeps method, scheme and host. Any
// other would carry the key or the conversation elsewhere, or turn a POST into
// a GET; its answer is reported instead.
func sameOriginOnly(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.Method != first.Method || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// newRequest makes a request to a path below the base, with the key, which it
// returns too so that it can be kept out of messages.
func (c *Client) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, string, error) {
	u := *c.base
	u.Path += "/" + path
	hr, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, "", fault.New(fault.Provider, "the address of %s is not valid. Correct it in the settings.", c.cfg.Name).WithCode(fault.CodeUnreachable)
	}
	hr.Header.Set("User-Agent", "mutsumi")
	key, err := c.key(&u)
	if err != nil {
		return nil, "", err
	}
	c.speak.Authorize(hr.Header, key)
	return hr, key, nil
}

// key returns the key for a request to u, "" if there is none.
func (c *Client) key(u *url.URL) (string, error) {
	if c.cfg.Key == nil {
		return "", nil
	}
	key, err := c.cfg.Key()
	if err != nil {
		return "", fault.New(fault.Provider, "Could not read the key for %s: %v. Enter it again in the settings, or take it from an environment variable.", c.cfg.Name, err).WithCode(fault.CodeKeyMissing).Because(err)
	}
	key = strings.TrimSpace(key)
	if key == "" {
		return "", nil
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return "", fault.New(fault.Provider, "the key for %s holds a space, a line break or another character that no key has. Enter it again in the settings.", c.cfg.Name).WithCode(fault.CodeKeyRejected)
	}
	if u.Scheme == "http" && !c.cfg.PlainKey && !nearby(u.Hostname()) {
		return "", fault.New(fault.Provider, "the key for %s was not sent: http://%s is not encrypted and not in a private network, so that anybody on the way could read it. Use https:// in the provider's address, or remove the key.", c.cfg.Name, u.Host).WithCode(fault.CodeKeyRejected)
	}
	return key, nil
}

// Bearer adds a key as most protocols want it.
func Bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// nearby reports whether a host is this machine or in a private network: a
// loopback, private, link-local or carrier-grade NAT address, a name without a
// dot, or one below a domain that only exists at home.
func nearby(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || netip.MustParsePrefix("100.64.0.0/10").Contains(ip)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(host, ".") {
		return true
	}
	for _, d := range []string{".localhost", ".local", ".lan", ".internal", ".home.arpa"} {
		if strings.HasSuffix(host, d) {
			return true
		}
	}
	return false
}

// errStalled is the cause of a context that the watchdog ended.
var errStalled = errors.New("no sign of life from the server")

// watchdog ends a context when the server shows no sign of life for too long.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func newWatchdog(ctx context.Context, first time.Duration) *watchdog {
	ctx, cancel := context.WithCancelCause(ctx)
	return &watchdog{ctx, cancel, time.AfterFunc(first, func() { cancel(errStalled) })}
}

func (w *watchdog) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// cause returns errStalled for an error that the watchdog brought about.
func (w *watchdog) cause(err error) error {
	if errors.Is(context.Cause(w.ctx), errStalled) {
		return errStalled
	}
	return err
}

// reader watches r: the first byte may take the rest of the time that the watchdog was made with,
// every later one the time stall. Bytes that are not part of an answer, such as keep-alives, may
// come for the time idle.
func (w *watchdog) reader(r io.Reader, stall, idle time.Duration) *watchedReader {
	return &watchedReader{dog: w, r: r, stall: stall, idle: idle, left: idle}
}

type watchedReader struct {
	dog   *watchdog
	r     io.Reader
	stall time.Duration
	idle  time.Duration
	left  time.Duration // of idle
	begun bool          // the first byte has come
	grace bool          // the answer is whole, only its end mark is missing
}

// Read is what the watchdog times; the time spent in emit does not count.
func (r *watchedReader) Read(p []byte) (int, error) {
	if r.begun {
		r.dog.timer.Reset(min(r.stall, max(r.left, 0)))
	}
	began := time.Now()
	n, err := r.r.Read(p)
	r.left -= time.Since(began)
	if n > 0 {
		r.begun = true
		r.dog.timer.Stop()
	}
	if err != nil && err != io.EOF {
		err = r.dog.cause(err)
	}
	return n, err
}

// progress records that a piece of the answer has arrived.
func (r *watchedReader) progress() { r.left = r.idle }

// hurry shortens the patience to d: nothing of value is still to come.
func (r *watchedReader) hurry(d time.Duration) {
	r.grace, r.stall, r.left = true, min(d, r.stall), d
}
