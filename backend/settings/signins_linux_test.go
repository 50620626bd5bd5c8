package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/desktop/bustest"
)

// A sign-in is only in the keyring, however long it is, for one folder and one address; a server
// without a sign-in does not access the keyring.
func TestSignInsInTheKeyring(t *testing.T) {
	address := bustest.Start(t)
	service := startSecrets(t, address)
	s := store(t, "")
	v := ServersOf(s)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	here := t.TempDir()
	kept := v.SignIn(here, "tracker", "https://a")
	if text, err := kept.Read(); kept.Has() || text != "" && err == nil {
		t.Error(kept.Has(), text, err)
	}
	if err := kept.Write("a-secret"); err == nil || kept.Has() {
		t.Error("it is kept without a keyring:", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	short, long, longer := "a-secret", strings.Repeat("a-secret", 1000), strings.Repeat("b-secret", 2000)
	for _, text := range []string{short, long, longer, long, short} {
		must(t, kept.Write(text))
		got, err := ServersOf(s).SignIn(here, "tracker", "https://a").Read()
		if err != nil || got != text || !kept.Has() {
			t.Fatalf("%d bytes of %d: %v", len(got), len(text), err)
		}
		if n, want := service.count(), 1+(len(text)+keyLimit-1)/keyLimit; len(text) > keyLimit && n != want || len(text) <= keyLimit && n != 1 {
			t.Errorf("%d entries for %d bytes", n, len(text))
		}
	}
	for _, other := range []*SignIn{v.SignIn("", "tracker", "https://a"), v.SignIn(t.TempDir(), "tracker", "https://a"), v.SignIn(here, "tracker", "https://b"), v.SignIn(here, "other", "https://a")} {
		if got, err := other.Read(); other.Has() || got != "" || err != nil {
			t.Errorf("another one reads %q, %v", got, err)
		}
	}
	must(t, kept.Write(long))
	noneOf(t, filepath.Dir(s.StateFolder("")), "secret")
	must(t, kept.Remove())
	if service.count() != 0 || kept.Has() {
		t.Error(service.count(), "entries are left")
	}
	if err := kept.Write(strings.Repeat("x", keyLimit*(maxParts+1))); err == nil {
		t.Error("it takes anything")
	}
}

// noneOf looks into every file of a folder.
func noneOf(t *testing.T, dir, secret string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Error(path, "holds it")
		}
		return err
	}))
}

// Processes work on an entry one after the other.
func TestSignInLock(t *testing.T) {
	s := store(t, "")
	a, b := ServersOf(s).SignIn("", "tracker"), ServersOf(s).SignIn("", "tracker")
	unlock, err := a.Lock(t.Context())
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := b.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, unlock)
	again, err := b.Lock(t.Context())
	must(t, err)
	again()
}
