package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/subprocess"
	"mutsumi/backend/waittest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// quiet is for calls of a good server in which nothing is heard for longer.
var quiet = client.Timing{Connect: time.Minute, List: time.Minute, Quiet: 6 * time.Second, Call: time.Minute}

func connect(t *testing.T, o client.Options) *client.Conn {
	t.Helper()
	if o.Log == nil {
		o.Log = &subprocess.Tail{}
	}
	c, err := client.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// both runs a test with the good server, once over each transport.
func both(t *testing.T, test func(t *testing.T, o client.Options)) {
	t.Run("stdio", func(t *testing.T) { test(t, client.Options{Server: mcptest.Server("s", "good")}) })
	t.Run("http", func(t *testing.T) {
		h := httptest.NewServer(mcptest.Handler())
		t.Cleanup(h.Close)
		test(t, client.Options{Server: config.Server{Name: "s", URL: h.URL}})
	})
}

func text(t *testing.T, c *client.Conn, tool string) string {
	t.Helper()
	r, err := c.Call(t.Context(), client.Call{Tool: tool})
	if err != nil || len(r.Parts) == 0 {
		t.Fatal(r, err)
	}
	return r.Parts[0].Text
}

func TestWhatAServerOffers(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		c := connect(t, o)
		revision := "2026-07-28"
		if o.Server.URL != "" { // with a session, which the newest revision no longer has
			revision = "2025-11-25"
		}
		if a := c.About(); a.Name != "good" || a.Revision != revision || a.Instructions != "Be nice." || !a.Tools || !a.Resources || !a.Prompts {
			t.Errorf("%+v", a)
		}
		tools, err := c.Tools(t.Context())
		i := slices.IndexFunc(tools, func(x client.Tool) bool { return x.Name == "echo" })
		if err != nil || i < 0 || tools[i].Description != "Says it again." || !strings.Contains(string(tools[i].Schema), `"what to say"`) || tools[i].Problem != "" {
			t.Fatalf("%+v %v", tools, err)
		}
		r, err := c.Call(t.Context(), client.Call{Tool: "echo", Args: []byte(`{"text":"hi"}`)})
		if err != nil || r.IsError || len(r.Parts) != 1 || r.Parts[0].Text != "hi" {
			t.Errorf("%+v %v", r, err)
		}
		r, err = c.Call(t.Context(), client.Call{Tool: "fail"})
		if err != nil || !r.IsError {
			t.Errorf("%+v %v", r, err)
		}
		r, err = c.Call(t.Context(), client.Call{Tool: "pieces"})
		var kinds []string
		for _, p := range r.Parts {
			kinds = append(kinds, string(p.Kind))
		}
		if err != nil || strings.Join(kinds, " ") != "text image audio link text" || string(r.Structured) != `{"n":1}` || r.Parts[1].MIME != "image/gif" {
			t.Errorf("%v %+v %v", kinds, r, err)
		}
		if _, err = c.Call(t.Context(), client.Call{Tool: "none"}); err == nil {
			t.Error("calling a tool that does not exist succeeded")
		}
		resources, err := c.Resources(t.Context())
		at := slices.IndexFunc(resources, func(r client.Resource) bool { return r.Name == "note" })
		if err != nil || at < 0 {
			t.Fatal(resources, err)
		}
		if parts, err := c.Read(t.Context(), resources[at].URI); err != nil || parts[0].Text != "the note" {
			t.Error(parts, err)
		}
		prompts, err := c.Prompts(t.Context())
		at = slices.IndexFunc(prompts, func(p client.Prompt) bool { return p.Name == "greet" })
		if err != nil || at < 0 || !prompts[at].Arguments[0].Required {
			t.Fatal(prompts, err)
		}
		if m, err := c.Prompt(t.Context(), "greet", map[string]string{"who": "Ann"}); err != nil || m[0].Role != "user" || m[0].Part.Text != "Greet Ann" {
			t.Error(m, err)
		}
	})
}

func TestProgressKeepsACallAlive(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		t.Parallel()
		o.Timing = quiet
		c := connect(t, o)
		began := time.Now()
		var last atomic.Int32
		r, err := c.Call(t.Context(), client.Call{Tool: "slow", Args: []byte(`{"steps":70}`), Progress: func(p client.Progress) { last.Store(int32(p.Done)) }})
		if err != nil || r.Parts[0].Text != "done" || last.Load() < 5 || time.Since(began) < quiet.Quiet {
			t.Error(r, err, last.Load(), time.Since(began))
		}
	})
}

func TestChangedLists(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		changed := make(chan client.List, 10)
		o.Changed = func(l client.List) { changed <- l }
		c := connect(t, o)
		text(t, c, "grow")
		select {
		case l := <-changed:
			if l != client.Tools {
				t.Error(l)
			}
		case <-time.After(time.Minute):
			t.Fatal("the change was not reported")
		}
		tools, err := c.Tools(t.Context())
		if err != nil || !slices.ContainsFunc(tools, func(x client.Tool) bool { return x.Name == "grown" }) {
			t.Error(tools, err)
		}
		text(t, c, "offer")
		heard := map[client.List]bool{}
		for limit := time.After(time.Minute); !heard[client.Resources] || !heard[client.Prompts]; {
			select {
			case l := <-changed:
				heard[l] = true
			case <-limit:
				t.Fatal("only these were told:", heard)
			}
		}
		if all, err := c.Prompts(t.Context()); err != nil || !slices.ContainsFunc(all, func(p client.Prompt) bool { return p.Name == "new" }) {
			t.Error(all, err)
		}
		if all, err := c.Resources(t.Context()); err != nil || !slices.ContainsFunc(all, func(r client.Resource) bool { return r.Name == "new" }) {
			t.Error(all, err)
		}
	})
}

// A call that is stopped, or whose server is silent, ends at once, and the server gets a cancellation.
func TestCancelled(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		t.Parallel()
		var log subprocess.Tail
		o.Timing, o.Log = quiet, &log
		c := connect(t, o)
		begun, ends := mcptest.Hanging.Load(), mcptest.Cancelled.Load()
		calls := func() (hanging, cancelled int) {
			if o.Server.URL != "" {
				return int(mcptest.Hanging.Load() - begun), int(mcptest.Cancelled.Load() - ends)
			}
			return strings.Count(log.Text(), mcptest.Hangs), strings.Count(log.Text(), "cancelled")
		}
		if _, err := c.Call(t.Context(), client.Call{Tool: "hang"}); err == nil || !strings.Contains(err.Error(), "did not answer within 6s") {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := c.Call(ctx, client.Call{Tool: "hang"})
			ended <- err
		}()
		waittest.Until(t, "the second call hangs", func() bool { n, _ := calls(); return n == 2 })
		cancel()
		if err := <-ended; err == nil {
			t.Error("it answered")
		}
		waittest.Until(t, "the server hears that both were cancelled", func() bool { _, n := calls(); return n >= 2 })
		if _, n := calls(); n != 2 || text(t, c, "pid") == "" {
			t.Errorf("the server heard of %d cancelled calls: %q", n, log.Text())
		}
	})
}

// Each bad server ends soon with an error that says what happened, and its message is not kept in
// memory.
func TestBadServers(t *testing.T) {
	for tool, want := range map[string]string{"die": "it ended: exit status 3", "big": "a message of more than 16 MB", "flood": "it floods"} {
		t.Run(tool, func(t *testing.T) {
			var log subprocess.Tail
			c := connect(t, client.Options{Server: mcptest.Server("s", "good"), Log: &log})
			began := time.Now()
			_, err := c.Call(t.Context(), client.Call{Tool: tool})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
			<-c.Done()
			if d := time.Since(began); d > time.Minute {
				t.Error("it took", d)
			}
			if c.Ended() == nil || !strings.Contains(c.Ended().Error(), want) {
				t.Error(c.Ended())
			}
			if tool == "die" && !strings.Contains(log.Text(), "my last words") {
				t.Errorf("%q", log.Text())
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		if _, err := client.Connect(t.Context(), client.Options{Server: mcptest.Server("s", "hang"), Timing: client.Timing{Connect: 4 * time.Second}, Log: &subprocess.Tail{}}); err == nil || !strings.Contains(err.Error(), "did not answer within 4s") {
			t.Error(err)
		}
	})
	t.Run("no server", func(t *testing.T) {
		s := config.Server{Command: "sh", Args: []string{"-c", "echo usage: none >&2; exit 2"}}
		if _, err := client.Connect(t.Context(), client.Options{Server: s, Log: &subprocess.Tail{}}); err == nil || !strings.Contains(err.Error(), "exit status 2") {
			t.Error(err)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		h := httptest.NewServer(nil)
		h.Close()
		_, err := client.Connect(t.Context(), client.Options{Server: config.Server{URL: h.URL + "/mcp?key=secret"}})
		if err == nil || !strings.Contains(err.Error(), "its address") || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	})
	t.Run("sign-in", func(t *testing.T) {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
		defer h.Close()
		if _, err := client.Connect(t.Context(), client.Options{Server: config.Server{URL: h.URL}}); !errors.Is(err, client.ErrSignIn) {
			t.Error(err)
		}
	})
	t.Run("big over http", func(t *testing.T) {
		h := httptest.NewServer(mcptest.Handler())
		defer h.Close()
		c := connect(t, client.Options{Server: config.Server{URL: h.URL}})
		if _, err := c.Call(t.Context(), client.Call{Tool: "big"}); err == nil || !strings.Contains(err.Error(), "more than 16 MB") {
			t.Error(err)
		}
	})
}

// A server of an earlier revision that never answers unknown requests is understood, as is one
// that answers in lists, or twice.
func TestOldServers(t *testing.T) {
	type old struct{ manner, revision string }
	all := []old{
		{"old", "2024-11-05"}, {"old", "2025-03-26"}, {"old", "2025-06-18"}, {"old", "2025-11-25"}, {"batch", "2025-03-26"}, {"twice", "2024-11-05"}, {"chatty", ""},
	}
	connected := make([]*client.Conn, len(all))
	var starts sync.WaitGroup
	for i, o := range all {
		starts.Go(func() { // each waits until the newest revision was tried in vain
			server := mcptest.Server("s", o.manner)
			server.Env[mcptest.Revision] = o.revision
			c, err := client.Connect(t.Context(), client.Options{Server: server, Log: &subprocess.Tail{}, Timing: client.Timing{Connect: 20 * time.Second}})
			if err != nil {
				t.Error(o, err)
				return
			}
			t.Cleanup(c.Close)
			connected[i] = c
		})
	}
	starts.Wait()
	for i, o := range all {
		manner, c := o.manner, connected[i]
		if c == nil {
			continue
		}
		t.Run(manner+" "+o.revision, func(t *testing.T) {
			tools, err := c.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if manner == "chatty" {
				return
			}
			if c.About().Revision != o.revision || text(t, c, "hello") != "hello" {
				t.Error(c.About())
			}
			var good []string
			for _, x := range tools {
				if x.Problem == "" {
					good = append(good, x.Name)
				}
			}
			if len(good) == 0 || good[0] != "hello" || slices.Contains(good, "text") || slices.Contains(good, "ab") || slices.Contains(good, "") {
				t.Errorf("%+v", tools)
			}
		})
	}
}

// A server over HTTP that drops its connection in a call, cuts its answer off or floods ends that
// call soon, with what happened.
func TestBadServersOverHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		do   func(http.ResponseWriter, *http.Request)
	}{
		"drops": {"", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }},
		"cuts off": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\ndata: {\"jsonrpc\"")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		"floods": {"it floods", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			event := strings.Repeat("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n", 1000)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, event); err != nil {
					return
				}
			}
		}},
		"lies": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "<html>")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			handler := mcptest.Handler()
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				if bytes.Contains(body, []byte(`"name":"fail"`)) {
					c.do(w, r)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(h.Close)
			conn := connect(t, client.Options{Server: config.Server{URL: h.URL}})
			began := time.Now()
			_, err := conn.Call(t.Context(), client.Call{Tool: "fail"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			if d := time.Since(began); d > time.Minute {
				t.Error("it took", d)
			}
		})
	}
}

// Headers go only to the configured server, never to an address that it names.
func TestHeadersStay(t *testing.T) {
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { leaked.Store(true) }))
	defer other.Close()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "secret" {
			t.Error("no key")
		}
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer h.Close()
	_, err := client.Connect(t.Context(), client.Options{Server: config.Server{URL: h.URL, Headers: map[string]string{"X-Key": "secret"}}})
	if err == nil || !strings.Contains(err.Error(), "leads on to") || strings.Contains(err.Error(), "secret") || leaked.Load() {
		t.Error(err, leaked.Load())
	}
}
