package web_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/web"
	"mutsumi/backend/workspace"
)

// calls is a test double for the bound methods, with every shape that they have.
type calls struct{ ws *workspace.Workspace }

func (c calls) CreateNotebook(n catalog.NewNotebook) (string, error) { return c.ws.Create(n) }
func (c calls) Add(a, b int) int                                     { return a + b }
func (c calls) Nothing() error                                       { c.hidden(); return nil }
func (c calls) Refuse(why string) error                              { return fault.New(fault.Denied, "no: %s", why) }
func (c calls) Panic() (string, error)                               { panic("boom") }

func (c calls) hidden() string { return "hidden" }

type site struct {
	*testing.T
	ws     *workspace.Workspace
	url    string
	enter  string // the printed address
	told   chan string
	client *http.Client
	web.Session
}

func serve(t *testing.T) *site {
	t.Setenv("MUTSUMI_CONFIG", t.TempDir())
	t.Setenv("MUTSUMI_STATE", t.TempDir())
	store, err := settings.Open("")
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(workspace.Options{Folder: t.TempDir(), Settings: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	server := httptest.NewUnstartedServer(nil)
	told := make(chan string, 10)
	guard := web.NewGuard(server.Listener.Addr(), func(address string) { told <- address })
	ui := fstest.MapFS{"index.html": {Data: []byte("<title>Mutsumi</title>")}, "assets/a.js": {Data: []byte("1")}}
	server.Config.Handler = guard.Wrap(web.Server(ui, web.New(ws), calls{ws}))
	server.Start()
	t.Cleanup(server.Close)
	jar, _ := cookiejar.New(nil)
	s := &site{T: t, ws: ws, url: server.URL, told: told, enter: guard.Address()}
	s.client = &http.Client{Jar: jar, Transport: signed{&s.Session}}
	return s
}

// do sends a request and returns the status and the body.
func (s *site) do(method, path, body string, header ...string) (int, string) {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	res, err := s.client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// signed puts the session on every request that has none, as the page does.
type signed struct{ *web.Session }

func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.Session.Session != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+s.Session.Session)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// token is the token in an address.
func (s *site) token(address string) string {
	s.Helper()
	token, ok := strings.CutPrefix(address, s.url+"/#token=")
	if !ok || len(token) < 32 {
		s.Fatalf("%s is no address", address)
	}
	return token
}

// exchange changes an address for a session.
func (s *site) exchange(address string) (status int, got web.Session) {
	s.Helper()
	status, body := s.do("POST", "/api/session", fmt.Sprintf(`{"token":%q}`, s.token(address)))
	_ = json.Unmarshal([]byte(body), &got)
	return status, got
}

// login opens the printed address, as a person does.
func (s *site) login() {
	s.Helper()
	if status, body := s.do("GET", "/", ""); status != 200 || !strings.Contains(body, "Mutsumi") {
		s.Fatalf("the page: %d %q", status, body)
	}
	status, session := s.exchange(s.enter)
	if status != 200 || session.Session == "" {
		s.Fatalf("the printed address gives %d", status)
	}
	s.Session = session
}

func TestCalls(t *testing.T) {
	s := serve(t)
	s.login()
	cases := []struct {
		name, body string
		status     int
		want       string
	}{
		{"Add", "[2,3]", 200, "5"},
		{"Nothing", "[]", 200, "null"},
		{"Refuse", `["so"]`, 403, `{"kind":"denied","message":"no: so","said":[{"text":"no: {0}","fields":[{"text":"so"}]}]}`},
		{"Panic", "[]", 500, `panicked: boom`},
		{"Add", "[2]", 400, "takes 2 arguments, not 1"},
		{"Add", `["x",3]`, 400, "Add, argument 1"},
		{"Add", `{"a":1}`, 400, `"kind":"invalid"`},
		{"Add", "", 400, `"kind":"invalid"`},
		{"hidden", "[]", 404, `there is no call \"hidden\"`},
		{"String", "[]", 404, "there is no call"},
		{"CreateNotebook", `[{"name":"New"}]`, 200, `".mutsumi/agent-`},
	}
	for _, c := range cases {
		if status, body := s.do("POST", "/api/call/"+c.name, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s%s: %d %s; want %d %s", c.name, c.body, status, body, c.status, c.want)
		}
	}
	if status, _ := s.do("GET", "/api/call/Nothing", ""); status == 200 {
		t.Error("a call came by GET")
	}
}

func TestNotebooksAndCells(t *testing.T) {
	s := serve(t)
	s.login()
	path, err := s.ws.Create(catalog.NewNotebook{Name: "<b>Name</b>"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.ws.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "prompt"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	status, body := s.do("GET", "/api/notebook?path="+url.QueryEscape(path), "")
	var v notebook.View
	if err := json.Unmarshal([]byte(body), &v); err != nil || status != 200 || v.Seq != r.Seq || len(v.Cells) != 1 || v.Cells[0].Body.Text != "prompt" {
		t.Errorf("%d %s, %v", status, body, err)
	}
	status, body = s.do("POST", "/api/cells", fmt.Sprintf(`{"path":%q,"ids":[%q,"gone"]}`, path, r.ID))
	var cells web.Cells
	if err := json.Unmarshal([]byte(body), &cells); err != nil || status != 200 || len(cells.Cells) != 1 || cells.Seq == 0 {
		t.Errorf("%d %s, %v", status, body, err)
	}
	for path, want := range map[string]int{
		"/api/notebook?path=none.mtm": 404, "/api/notebook?path=../x.mtm": 403, "/api/text?path=none.mtm": 404,
		"/api/message?path=" + url.QueryEscape(path) + "&cell=x&index=a": 400, "/api/other": 404, "/api/events?since=x": 400,
	} {
		if status, body := s.do("GET", path, ""); status != want || !strings.Contains(body, `"kind"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestEventsAreAStreamThatTwoReadersFollow(t *testing.T) {
	s := serve(t)
	s.login()
	since := s.ws.Events().Seq()
	var readers []*bufio.Scanner
	for range 2 {
		res, err := s.client.Get(fmt.Sprintf("%s/api/events?since=%d", s.url, since))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		if got := res.Header.Get("Content-Type"); got != "application/x-ndjson" {
			t.Errorf("content type %s", got)
		}
		readers = append(readers, bufio.NewScanner(res.Body))
	}
	if _, err := s.ws.Create(catalog.NewNotebook{Name: "Seen"}); err != nil {
		t.Fatal(err)
	}
	for i, r := range readers {
		if !r.Scan() || r.Text() != `{"seq":0,"type":"heartbeat"}` {
			t.Errorf("reader %d begins with %q", i, r.Text())
		}
		scanUntil(t, r, func(line string) bool {
			return strings.Contains(line, `"type":"treeChanged"`) && strings.Contains(line, "Seen")
		})
	}
}

// scanUntil reads lines of a stream until one of them is right.
func scanUntil(t *testing.T, lines *bufio.Scanner, is func(line string) bool) {
	t.Helper()
	var read []string
	for end := time.Now().Add(time.Minute); lines.Scan() && time.Now().Before(end); {
		if is(lines.Text()) {
			return
		}
		read = append(read, lines.Text())
	}
	t.Fatalf("only these came: %q", read)
}

func TestAReaderOfAnotherProcessReloads(t *testing.T) {
	s := serve(t)
	s.login()
	before := s.ws.Events().Seq()
	res, err := s.client.Get(s.url + "/api/events?since=3")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	scanUntil(t, lines, func(line string) bool { return line != `{"seq":0,"type":"heartbeat"}` })
	var seq uint64
	if _, err := fmt.Sscanf(lines.Text(), `{"seq":%d,"type":"reset"}`, &seq); err != nil || seq < before || seq > s.ws.Events().Seq() {
		t.Errorf("got %q, after %d: %v", lines.Text(), before, err)
	}
}

func TestThePolicyComesWithThePage(t *testing.T) {
	s := serve(t)
	s.login()
	res, err := s.client.Get(s.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	policy := res.Header.Get("Content-Security-Policy")
	for _, must := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "connect-src 'self'"} {
		if !strings.Contains(policy, must) {
			t.Errorf("the policy lacks %s: %s", must, policy)
		}
	}
	if strings.Contains(policy, "unsafe-eval") || strings.Contains(policy, "http:") || strings.Contains(policy, "*") {
		t.Errorf("the policy is open: %s", policy)
	}
}

func TestThePageGetsItsTextsAndAppearance(t *testing.T) {
	s := serve(t) // not signed in: it comes before the page can be
	texts := func(accept string) string {
		status, body := s.do("GET", "/preferences.js", "", "Accept-Language", accept)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		return body
	}
	if body := texts("zh-CN,zh;q=0.9"); !strings.Contains(body, "\n"+`globalThis.mutsumiCatalogue = {"language":"zh-CN"`) {
		t.Errorf("%.80s", body)
	}
	if body := texts("en-GB"); strings.Contains(body, "zh-CN") {
		t.Errorf("%.80s", body)
	}
	if body := texts("en-GB"); !strings.HasPrefix(body, `globalThis.mutsumiAppearance = {"theme":"system","zoom":100}`+"\n") {
		t.Errorf("%.80s", body)
	}
	p := settings.Preferences{Language: "zh-CN", Theme: "dark", Zoom: 125}
	if err := s.ws.ChangePreferences(settings.Preferences{}, p); err != nil {
		t.Fatal(err)
	}
	if body := texts("en-GB"); !strings.Contains(body, "zh-CN") || !strings.Contains(body, `{"theme":"dark","zoom":125}`) {
		t.Errorf("chosen: %.80s", body)
	}
}
