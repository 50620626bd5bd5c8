package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestOnlyThePersonWithTheAddressComesIn(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/api/events?since=0", "/api/notebook?path=a.mtm", "/api/image?path=a&src=b", "/api/image?path=a&src=b&key=", "/api/", "/api/other", "/api//session"} {
		if status, body := s.do("GET", path, ""); status != 401 || !strings.Contains(body, `"code":"signedOut"`) {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	for _, path := range []string{"/api/call/Nothing", "/api/session/address", "/api/image?path=a"} {
		if status, _ := s.do("POST", path, "[]"); status != 401 {
			t.Errorf("%s without a session: %d", path, status)
		}
	}
	for _, header := range []string{"", "Bearer ", "Bearer x", "Basic x", s.token(s.enter), "Bearer " + s.token(s.enter)} {
		if status, _ := s.do("POST", "/api/call/Nothing", "[]", "Authorization", header); status != 401 {
			t.Errorf("with %q: %d", header, status)
		}
	}
	if status, _ := s.do("POST", "/", ""); status != 405 {
		t.Errorf("something was sent to the page: %d", status)
	}
	s.login()
	host := strings.TrimPrefix(s.url, "http://")
	port := host[strings.LastIndex(host, ":"):]
	refused := [][]string{
		{"Origin", "http://evil.example"},
		{"Origin", "null"},
		{"Origin", "http://127.0.0.1"},
		{"Origin", "https://" + host},
		{"Host", "evil.example" + port},
		{"Host", "127.0.0.1"},
		{"Host", "127.0.0.1.evil.example" + port},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
	}
	for _, h := range refused {
		for _, path := range []string{"/api/call/Nothing", "/api/session", "/api/session/address"} {
			if status, _ := s.do("POST", path, "[]", h...); status != 403 {
				t.Errorf("%s with %v: %d", path, h, status)
			}
		}
	}
	for _, h := range [][]string{nil, {"Origin", s.url}, {"Sec-Fetch-Site", "same-origin"}} {
		if status, body := s.do("POST", "/api/call/Nothing", "[]", h...); status != 200 || body != "null" {
			t.Errorf("%v: %d %q", h, status, body)
		}
	}
}

// What lets the person in is in no cookie, which other ports of the host get too,
// and in nothing that the server answers but the exchange.
func TestNothingThatOtherPortsGetLetsAnybodyIn(t *testing.T) {
	s := serve(t)
	s.login()
	u, _ := url.Parse(s.url)
	if cookies := s.client.Jar.Cookies(u); len(cookies) > 0 {
		t.Errorf("cookies: %v", cookies)
	}
	for _, header := range []string{"Cookie", "X-Session", "Proxy-Authorization"} {
		if status, _ := s.do("POST", "/api/call/Nothing", "[]", "Authorization", "none", header, "mutsumi="+s.Session.Session); status != 401 {
			t.Errorf("a session in %s is valid: %d", header, status)
		}
	}
	for _, path := range []string{"/?token=" + s.Session.Session, "/api/events?since=0&key=" + s.Session.Session, "/api/events?since=0&key=" + s.Images} {
		if status, body := s.do("GET", path, "", "Authorization", "none"); strings.HasPrefix(path, "/api") && status != 401 || strings.Contains(body, s.Session.Session) {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	// Addresses of images carry a word of their own, which is good for nothing else.
	if status, _ := s.do("GET", "/api/image?path=a.mtm&src=b.png&key="+s.Images, "", "Authorization", ""); status == 401 {
		t.Error("an image is refused")
	}
	for _, path := range []string{"/api/call/Nothing?key=" + s.Images, "/api/image?key=" + s.Images} {
		if status, _ := s.do("POST", path, "[]", "Authorization", "Bearer "+s.Images); status != 401 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// An address is valid once. Opening it again, or the page without one, is refused with a message,
// and the terminal prints the next address: the same until it is used.
func TestAnAddressCountsOnce(t *testing.T) {
	s := serve(t)
	if status, _ := s.exchange(s.enter); status != 200 {
		t.Fatal(status)
	}
	status, body := s.do("POST", "/api/session", fmt.Sprintf(`{"token":%q}`, s.token(s.enter)))
	if status != 401 || !strings.Contains(body, "was used already") || !strings.Contains(body, "new address that mutsumi serve prints") {
		t.Errorf("a second time: %d %s", status, body)
	}
	next := <-s.told
	if next == s.enter {
		t.Error("the used address is printed again")
	}
	for range 20 { // a client without one cannot fill the terminal
		if status, _ := s.do("POST", "/api/session", `{"token":""}`); status != 401 {
			t.Errorf("without one: %d", status)
		}
	}
	if len(s.told) > 0 {
		t.Errorf("%d more were printed", len(s.told))
	}
	status, session := s.exchange(next)
	if status != 200 {
		t.Fatal(status)
	}
	s.Session = session
	// A page that is in gets an address for another window.
	status, body = s.do("POST", "/api/session/address", "")
	if status != 200 {
		t.Fatal(status, body)
	}
	status, other := s.exchange(strings.Trim(body, `"`))
	if status != 200 || other == session {
		t.Errorf("another window: %d", status)
	}
	s.Session = other
	if status, _ := s.do("POST", "/api/call/Nothing", "[]"); status != 200 {
		t.Errorf("its session: %d", status)
	}
}

func TestRefusedConnectionsAreClosed(t *testing.T) {
	s := serve(t)
	host := strings.TrimPrefix(s.url, "http://")
	for _, request := range []string{
		"GET /api/events?since=0 HTTP/1.1\r\nHost: " + host, "GET / HTTP/1.1\r\nHost: evil.example", "POST /api/session HTTP/1.1\r\nContent-Length: 2\r\nHost: " + host,
	} {
		c, err := net.DialTimeout("tcp", host, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(c, request+"\r\n\r\n{}")
		in := bufio.NewReader(c)
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.StatusCode < 400 {
			t.Fatalf("%q: %v %v", request, res, err)
		}
		for { // the body, and then the end of the connection
			if _, err := in.ReadByte(); err != nil {
				if err, ok := err.(net.Error); ok && err.Timeout() {
					t.Errorf("%q: the connection stays", request)
				}
				break
			}
		}
	}
}
