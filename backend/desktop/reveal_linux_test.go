package desktop

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mutsumi/backend/desktop/bustest"
	"mutsumi/backend/fault"
)

// fileManager speaks org.freedesktop.FileManager1, as every file manager does.
type fileManager struct{ shown chan string }

func (m fileManager) ShowItems(uris []string, startup string) *dbus.Error {
	for _, u := range uris {
		m.shown <- u
	}
	return nil
}

func TestReveal(t *testing.T) {
	address := bustest.Start(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	conn, err := dbus.Connect(address)
	must(t, err)
	defer conn.Close()
	m := fileManager{make(chan string, 10)}
	must(t, conn.Export(m, "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1"))
	if _, err := conn.RequestName("org.freedesktop.FileManager1", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a b.mtm", "中文%#?.mtm", "-x", "dir"} {
		p := filepath.Join(dir, name)
		must(t, os.WriteFile(p, nil, 0o600))
		must(t, Reveal(p))
		u, err := url.Parse(<-m.shown)
		if err != nil || u.Scheme != "file" || u.Path != p {
			t.Errorf("%s is shown as %v, %v", p, u, err)
		}
	}
	if err := Reveal(filepath.Join(dir, "gone")); !fault.Is(err, fault.NotFound) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestRevealWithoutFileManager(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bustest.Start(t)) // an empty bus
	dir, bin := t.TempDir(), t.TempDir()
	p := filepath.Join(dir, "-a b.mtm")
	must(t, os.WriteFile(p, nil, 0o600))
	t.Setenv("PATH", bin)
	if err := Reveal(p); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), p) || !strings.Contains(err.Error(), "xdg-open") {
		t.Errorf("without anything: %v", err)
	}
	opener := func(script string) {
		must(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n"+script), 0o755))
	}
	opened := filepath.Join(bin, "opened")
	opener("printf %s \"$1\" > " + opened + "\n")
	must(t, Reveal(p))
	if b, err := os.ReadFile(opened); err != nil || string(b) != dir {
		t.Errorf("the opener got %q, %v", b, err)
	}
	opener("exit 3\n")
	if err := Reveal(p); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), p) {
		t.Errorf("an opener that fails: %v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(dir, "none"))
	start := time.Now()
	if err := Reveal(p); err == nil || time.Since(start) > time.Minute {
		t.Errorf("without a bus: %v after %v", err, time.Since(start))
	}
}
