package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/mcp/signin"
)

// door is an MCP server on this machine that requires a sign-in, and its configuration.
type door struct {
	*mcptest.OAuth
	t    *testing.T
	dir  string
	keys map[string]*signin.Memory
	mu   sync.Mutex
	told []string

	trusted  atomic.Bool
	settings []byte // the person's own servers
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{OAuth: mcptest.NewOAuth(t), t: t, dir: t.TempDir(), keys: map[string]*signin.Memory{}}
	d.put(map[string]any{"tracker": map[string]any{"url": d.Resource}})
	return d
}

func (d *door) put(servers map[string]any) {
	d.t.Helper()
	raw, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err == nil {
		err = os.WriteFile(filepath.Join(d.dir, ".mcp.json"), raw, 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// open starts the program on the folder; the keyring survives restarts.
func (d *door) open(trusted bool) *mcp.Servers {
	d.trusted.Store(trusted)
	s := mcp.Open(mcp.Options{Folder: d.dir, Trusted: func(string) bool { return d.trusted.Load() }, Timing: patient,
		Settings: func() []byte { return d.settings },
		SignIns: func(from string, what ...string) signin.Keep {
			d.mu.Lock()
			defer d.mu.Unlock()
			key := from + "\x00" + strings.Join(what, "\x00")
			if d.keys[key] == nil {
				d.keys[key] = &signin.Memory{}
			}
			return d.keys[key]
		},
		SignInWanted: func(name string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.told = append(d.told, name)
		},
	})
	d.t.Cleanup(s.Close)
	return s
}

func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.told)
}

// signIn does what the person does who presses the button.
func (d *door) signIn(s *mcp.Servers) error {
	d.t.Helper()
	done := make(chan error, 1)
	a, err := s.SignIn(d.t.Context(), "tracker", func(err error) { done <- err })
	if err != nil {
		return err
	}
	if v := d.view(s); !v.SignIn.Waiting || v.SignIn.Address != a.Address {
		d.t.Errorf("%+v", v.SignIn)
	}
	res, err := http.Get(a.Address)
	if err != nil {
		return err
	}
	res.Body.Close()
	return <-done
}

func (d *door) view(s *mcp.Servers) mcp.View {
	d.t.Helper()
	all, err := s.List()
	if err != nil || len(all) != 1 {
		d.t.Fatal(all, err)
	}
	return all[0]
}

func (d *door) echo(s *mcp.Servers) error {
	_, err := s.Call(d.t.Context(), "tracker", client.Call{Tool: "echo", Args: []byte(`{"text":"x"}`)})
	return err
}

// A server that wants a sign-in says so in its state, and its callers get an error that says what
// to do. The person is asked once. From the sign-in on it works for all agents, even after a
// restart.
func TestSignInToAServer(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(true)
	for range 3 {
		if err := d.echo(s); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "mutsumi mcp sign-in tracker") {
			t.Fatal(err)
		}
	}
	if v := d.view(s); v.State != mcp.SignIn || !v.SignIn.Can || v.SignIn.In || v.Problem != "" {
		t.Errorf("%+v", v)
	}
	if n := d.count(); n != 1 {
		t.Error("the person was asked", n, "times")
	}
	if err := d.signIn(s); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := d.echo(s); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if v := d.view(s); v.State != mcp.Ready || !v.SignIn.In || v.SignIn.Waiting {
		t.Errorf("%+v", v)
	}
	s.Close()
	again := d.open(true)
	if err := d.echo(again); err != nil {
		t.Fatal("after a restart:", err)
	}
	d.Mu.Lock()
	given, wrong := d.Given, d.Wrong
	d.Mu.Unlock()
	if given != 1 || len(wrong) > 0 {
		t.Error(given, wrong)
	}
	if note, err := again.SignOut(t.Context(), "tracker"); note != "" || err != nil {
		t.Fatal(note, err)
	}
	if err := d.echo(again); !fault.Is(err, fault.Denied) {
		t.Error("a call after the person signed out:", err)
	}
	for key, kept := range d.keys {
		if kept.Has() {
			t.Error("there are remains of", key)
		}
	}
}

// If a sign-in expires while the server runs, the call and the state say so, and the person is
// asked again.
func TestASignInThatEnds(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(true)
	d.echo(s)
	if err := d.signIn(s); err != nil || d.echo(s) != nil {
		t.Fatal(err)
	}
	d.Revoke()
	if err := d.echo(s); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "sign in") {
		t.Fatal(err)
	}
	if v := d.view(s); v.State != mcp.SignIn || d.count() != 2 {
		t.Error(v.State, d.count())
	}
	if err := d.signIn(s); err != nil || d.echo(s) != nil {
		t.Error(err)
	}
}

// A call that needs more rights fails alone: the others go on, and the next sign-in asks for them.
func TestACallThatNeedsMore(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(true)
	d.echo(s)
	if err := d.signIn(s); err != nil || d.echo(s) != nil {
		t.Fatal(err)
	}
	d.Mu.Lock()
	d.Scopes = []string{"write"}
	d.Mu.Unlock()
	if err := d.echo(s); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "write") {
		t.Fatal(err)
	}
	if v := d.view(s); v.State != mcp.Ready || len(v.SignIn.Wants) != 1 || !v.SignIn.In {
		t.Errorf("%+v", v)
	}
	if err := d.signIn(s); err != nil || d.echo(s) != nil {
		t.Error(err, d.echo(s))
	}
}

// Before a server of the settings is removed, its sign-in is forgotten; a folder's is not.
func TestForgetSignIn(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{true, false} {
		d := newDoor(t)
		if own {
			d.settings, _ = os.ReadFile(filepath.Join(d.dir, ".mcp.json"))
			d.put(nil)
		}
		s := d.open(true)
		calls := s.Calls(t.Context(), func(f func()) { go f() })
		if err := calls.ForgetSignIn("tracker"); err != nil {
			t.Fatal("nobody is signed in:", err)
		}
		if err := d.signIn(s); err != nil {
			t.Fatal(err)
		}
		if err := calls.ForgetSignIn("tracker"); err != nil || d.view(s).SignIn.In == own {
			t.Errorf("own %v: %v, %+v", own, err, d.view(s).SignIn)
		}
	}
}

// The server of an untrusted folder gets no request, and nobody signs in to it. If the folder changes
// a server, it becomes another one, and a folder's sign-in is not the person's own.
func TestSignInAndTrust(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(false)
	if _, err := s.SignIn(t.Context(), "tracker", nil); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "trust") {
		t.Error(err)
	}
	if v := d.view(s); v.SignIn.Can {
		t.Errorf("%+v", v)
	}
	if d.Registered != 0 || d.count() != 0 {
		t.Error("the server got a request")
	}
	s.Close()
	trusted := d.open(true)
	if err := d.signIn(trusted); err != nil {
		t.Fatal(err)
	}
	d.put(map[string]any{"tracker": map[string]any{"url": d.Resource + "/"}})
	if err := d.echo(trusted); err == nil {
		t.Error("the sign-in also applies to another address")
	}
	for key := range d.keys {
		if !strings.HasPrefix(key, d.dir+"\x00tracker\x00") {
			t.Errorf("stored as %q", key)
		}
	}
}

// Two windows that sign in share one attempt; it can be given up, and closing the folder gives it up.
func TestSignInIsGivenUp(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(true)
	done := make(chan error, 3)
	first, err := s.SignIn(t.Context(), "tracker", func(err error) { done <- err })
	if err != nil {
		t.Fatal(err)
	}
	if second, err := s.SignIn(t.Context(), "tracker", nil); err != nil || second.Address != first.Address {
		t.Error(second, err)
	}
	if err := s.CancelSignIn("tracker"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("somebody signed in")
	}
	if v := d.view(s); v.SignIn.Waiting || v.SignIn.Problem != "" {
		t.Errorf("%+v", v.SignIn)
	}
	d.Mu.Lock()
	d.Decline = true
	d.Mu.Unlock()
	if err := d.signIn(s); err == nil || !strings.HasPrefix(err.Error(), "Could not sign in to tracker: it was declined") || d.view(s).SignIn.Problem != err.Error() {
		t.Error(err, d.view(s).SignIn)
	}
	if _, err := s.SignIn(t.Context(), "tracker", func(err error) { done <- err }); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("closing the folder waits for the browser")
	}
	if err := <-done; err == nil {
		t.Error("somebody signed in")
	}
}

// A folder that is no longer trusted ends the waiting sign-in, and nothing listens for it.
func TestASignInEndsWithTheTrust(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(true)
	done := make(chan error, 1)
	a, err := s.SignIn(t.Context(), "tracker", func(err error) { done <- err })
	if err != nil {
		t.Fatal(err)
	}
	d.trusted.Store(false)
	s.Recheck()
	if err := <-done; err == nil {
		t.Error("somebody signed in")
	}
	u, err := url.Parse(a.Address)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := http.Get(u.Query().Get("redirect_uri")); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("somebody still listens for the browser")
		}
	}
	if v := d.view(s); v.SignIn.Waiting || v.SignIn.Can || d.Given != 0 {
		t.Errorf("%+v", v)
	}
}

// A server that the person stopped stays stopped, even if a browser returns or the person signs out.
func TestStoppedStaysStopped(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	s := d.open(true)
	d.echo(s)
	done := make(chan error, 1)
	a, err := s.SignIn(t.Context(), "tracker", func(err error) { done <- err })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop("tracker"); err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(a.Address)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if v := d.view(s); v.State != mcp.Stopped || !v.SignIn.In {
		t.Errorf("after the sign-in: %+v", v)
	}
	if _, err := s.SignOut(t.Context(), "tracker"); err != nil {
		t.Fatal(err)
	}
	if v := d.view(s); v.State != mcp.Stopped || v.SignIn.In {
		t.Errorf("after the sign-out: %+v", v)
	}
	if err := s.Restart(t.Context(), "tracker"); err == nil || d.view(s).State != mcp.SignIn {
		t.Error(err, d.view(s).State)
	}
}

// A server that gets a key has no sign-in; if it refuses the key, the error says so.
func TestAKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.put(map[string]any{"tracker": map[string]any{"url": d.Resource, "headers": map[string]string{"authorization": "Bearer access-secret-of-mine"}}})
	s := d.open(true)
	if err := d.echo(s); err == nil || !strings.Contains(err.Error(), "refuses the key") || strings.Contains(err.Error(), "of-mine") {
		t.Error(err)
	}
	if v := d.view(s); v.State != mcp.Failed || v.SignIn.Can {
		t.Errorf("%+v", v)
	}
	if _, err := s.SignIn(t.Context(), "tracker", nil); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}
