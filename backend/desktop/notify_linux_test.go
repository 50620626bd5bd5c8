package desktop

import (
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mutsumi/backend/desktop/bustest"
)

func TestNotifications(t *testing.T) {
	address := bustest.Start(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	service := bustest.Serve(t, address, "body", "body-markup", "actions")
	clicks := make(chan uint32, 10)
	n := NewNotifier(Sender{}, func(id uint32) { clicks <- id })
	defer n.Close()
	id, err := n.Show(Notification{Title: "A <b>", Body: `<a href="file:///x">1 & 2</a>`, Urgent: true}, 0)
	must(t, err)
	note := <-service.Shown
	if note.ID != id || note.Title != "A <b>" || note.Body != "&lt;a href=&#34;file:///x&#34;&gt;1 &amp; 2&lt;/a&gt;" || !slices.Equal(note.Actions, []string{"default", "Open"}) {
		t.Errorf("%+v", note)
	}
	if note.Hints["urgency"].Value() != byte(2) || note.Hints["desktop-entry"].Value() != "mutsumi" {
		t.Errorf("%v", note.Hints)
	}
	again, err := n.Show(Notification{Title: "B"}, id)
	if err != nil || again != id {
		t.Errorf("in its place: %d, %v", again, err)
	}
	must(t, service.Click(id))
	if got := <-clicks; got != id {
		t.Errorf("clicked %d", got)
	}
	n.Withdraw(id)
	if got := <-service.Closed; got != id {
		t.Errorf("closed %d", got)
	}
	// After the bus is lost, the next one is found.
	other := bustest.Start(t)
	plain := bustest.Serve(t, other)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", other)
	n.conn.Close()
	if _, err = n.Show(Notification{Title: "C", Body: "1 & 2"}, 0); err != nil {
		t.Fatal(err)
	}
	if note := <-plain.Shown; note.Body != "1 & 2" || len(note.Actions) != 0 {
		t.Errorf("without markup and actions: %+v", note)
	}
	n.Close()
	if _, err := n.Show(Notification{}, 0); err == nil {
		t.Error("a closed notifier shows something")
	}
}

func TestNotificationsWithoutADesktop(t *testing.T) {
	silent := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", silent)
	must(t, err)
	defer l.Close()
	for name, address := range map[string]string{
		"no bus": "unix:path=" + filepath.Join(t.TempDir(), "none"), "dead bus": "unix:path=" + silent, "nobody shows them": bustest.Start(t),
	} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		n := NewNotifier(Sender{}, func(uint32) {})
		start := time.Now()
		if _, err := n.Show(Notification{Title: "x"}, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
		n.Withdraw(1)
		n.Close()
		if took := time.Since(start); took > 15*notifyTime {
			t.Errorf("%s: it took %s", name, took)
		}
	}
}

func TestBadge(t *testing.T) {
	address := bustest.Start(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	dock, err := dbus.Connect(address)
	must(t, err)
	defer dock.Close()
	must(t, dock.AddMatchSignal(dbus.WithMatchInterface("com.canonical.Unity.LauncherEntry")))
	signals := make(chan *dbus.Signal, 10)
	dock.Signal(signals)
	n := NewNotifier(Sender{}, nil)
	defer n.Close()
	for _, count := range []int{2, 0} {
		must(t, n.Badge(count))
		s := <-signals
		props := s.Body[1].(map[string]dbus.Variant)
		if s.Body[0] != "application://mutsumi.desktop" || props["count"].Value() != int64(count) || props["count-visible"].Value() != (count > 0) {
			t.Errorf("%v", s.Body)
		}
	}
}
