package settings

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mutsumi/backend/desktop/bustest"
	"mutsumi/backend/fault"
)

// TestWithoutKeyring: a machine without a desktop answers at once and plainly.
func TestWithoutKeyring(t *testing.T) {
	for name, address := range map[string]string{
		"no bus":      "unix:path=" + filepath.Join(t.TempDir(), "none"),
		"dead bus":    deadBus(t),
		"empty bus":   bustest.Start(t),
		"odd address": "nonsense",
	} {
		s := store(t, "providers: [{id: a, baseUrl: https://a/v1, key: keyring}, {id: b, baseUrl: https://b/v1}]\n")
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		before := text(t, s)
		start := time.Now()
		err := s.SetKey("b", "sk-secret")
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "environment variable") || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: setting a key: %v", name, err)
		}
		if text(t, s) != before {
			t.Errorf("%s: the file says %s", name, text(t, s))
		}
		if _, err := s.Key("a"); fault.Of(err).Code != fault.CodeKeyMissing {
			t.Errorf("%s: reading a key: %v", name, err)
		}
		if key, err := s.Key("b"); key != "" || err != nil {
			t.Errorf("%s: a provider without a key: %q, %v", name, key, err)
		}
		if len(s.View().Providers) != 2 {
			t.Errorf("%s: the providers are gone", name)
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: it took %v", name, d)
		}
	}
}

// deadBus is a socket that takes connections and never answers.
func deadBus(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return "unix:path=" + path
}

// TestKeyring goes through the real client to a Secret Service on a real bus.
func TestKeyring(t *testing.T) {
	address := bustest.Start(t)
	service := startSecrets(t, address)
	s := store(t, "# mine\nproviders:\n  - id: a\n    baseUrl: https://a/v1\n    keyEnv: TEST_A\n")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	t.Setenv("TEST_A", "from-env")
	must(t, s.SetKey("a", " sk-secret-1 "))
	if got := text(t, s); strings.Contains(got, "sk-secret") || !strings.Contains(got, "key: keyring") || strings.Contains(got, "keyEnv") || !strings.Contains(got, "# mine") {
		t.Errorf("the file says %s", got)
	}
	if v := s.View().Providers[0].Key; v != (KeyView{Store: "keyring", Set: true}) {
		t.Errorf("the view says %+v", v)
	}
	if key, err := s.Key("a"); err != nil || key != "sk-secret-1" {
		t.Errorf("the key is %q, %v", key, err)
	}
	must(t, s.SetKey("a", "sk-secret-2"))
	if key, err := s.Key("a"); err != nil || key != "sk-secret-2" {
		t.Errorf("the new key is %q, %v", key, err)
	}
	// Taken out with the system's own tool.
	service.clear()
	if _, err := s.Key("a"); fault.Of(err).Code != fault.CodeKeyMissing || !strings.Contains(err.Error(), "not in the system's keyring any more") {
		t.Errorf("a key that is gone: %v", err)
	}
	if s.View().Providers[0].Key.Set {
		t.Error("the view still says that there is a key")
	}
	must(t, s.SetKey("a", "sk-secret-3"))
	if !s.View().Providers[0].Key.Set {
		t.Error("the view does not see the new key")
	}
	must(t, s.SetKey("a", ""))
	if service.count() != 0 || strings.Contains(text(t, s), "keyring") {
		t.Errorf("%d keys are left, the file says %s", service.count(), text(t, s))
	}
	must(t, s.SetKey("a", "sk-secret-4"))
	must(t, s.DeleteProvider("a"))
	if service.count() != 0 {
		t.Error("the key outlives its provider")
	}
	for _, bad := range []string{"two\nlines", "nul\x00", strings.Repeat("k", 5000), "ключ"} {
		if err := s.SetKey("a", bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q was taken: %v", bad, err)
		}
	}
}

// secrets is a Secret Service (freedesktop.org, 0.2) that is always unlocked
// and knows plain sessions: as much as the client asks for.
type secrets struct {
	conn  *dbus.Conn
	mu    sync.Mutex
	items map[dbus.ObjectPath]*secretItem
	n     int
}

type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

type secretItem struct {
	service    *secrets
	path       dbus.ObjectPath
	attributes map[string]string
	value      secret
}

func startSecrets(t *testing.T, address string) *secrets {
	t.Helper()
	conn, err := dbus.Connect(address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	s := &secrets{conn: conn, items: map[dbus.ObjectPath]*secretItem{}}
	must(t, conn.Export(s, "/org/freedesktop/secrets", "org.freedesktop.Secret.Service"))
	for _, path := range []dbus.ObjectPath{"/org/freedesktop/secrets/aliases/default", "/org/freedesktop/secrets/collection/login"} {
		must(t, conn.Export(collection{s}, path, "org.freedesktop.Secret.Collection"))
	}
	must(t, conn.Export(properties{}, "/org/freedesktop/secrets", "org.freedesktop.DBus.Properties"))
	must(t, conn.Export(session{}, "/org/freedesktop/secrets/session/1", "org.freedesktop.Secret.Session"))
	reply, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue)
	must(t, err)
	if reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal("the bus has a keyring already")
	}
	return s
}

func (s *secrets) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.items)
}

func (s *secrets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items)
}

func (s *secrets) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), "/org/freedesktop/secrets/session/1", nil
}

func (s *secrets) Unlock(objects []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	return objects, "/", nil
}

type properties struct{}

func (properties) Get(string, string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant([]dbus.ObjectPath{"/org/freedesktop/secrets/collection/login"}), nil
}

type session struct{}

func (session) Close() *dbus.Error { return nil }

type collection struct{ s *secrets }

func (c collection) SearchItems(want map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	out := []dbus.ObjectPath{}
	for path, item := range c.s.items {
		match := true
		for k, v := range want {
			match = match && item.attributes[k] == v
		}
		if match {
			out = append(out, path)
		}
	}
	return out, nil
}

func (c collection) CreateItem(props map[string]dbus.Variant, value secret, replace bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	attributes := map[string]string{}
	_ = props["org.freedesktop.Secret.Item.Attributes"].Store(&attributes)
	if found, _ := c.SearchItems(attributes); replace && len(found) > 0 {
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		c.s.items[found[0]].value = value
		return found[0], "/", nil
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.n++
	path := dbus.ObjectPath(fmt.Sprintf("/org/freedesktop/secrets/collection/login/%d", c.s.n))
	item := &secretItem{c.s, path, attributes, value}
	c.s.items[path] = item
	if err := c.s.conn.Export(item, path, "org.freedesktop.Secret.Item"); err != nil {
		return "/", "/", dbus.MakeFailedError(err)
	}
	return path, "/", nil
}

func (i *secretItem) GetSecret(dbus.ObjectPath) (secret, *dbus.Error) { return i.value, nil }

func (i *secretItem) Delete() (dbus.ObjectPath, *dbus.Error) {
	i.service.mu.Lock()
	defer i.service.mu.Unlock()
	delete(i.service.items, i.path)
	return "/", nil
}
