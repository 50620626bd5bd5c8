package bustest

import (
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
)

// Note is a notification as the service got it.
type Note struct {
	ID, Replaces         uint32
	Program, Title, Body string
	Actions              []string
	Hints                map[string]dbus.Variant
}

// Notifications is a notification service as desktops have one.
type Notifications struct {
	Shown  chan Note
	Closed chan uint32 // taken away by the program

	conn         *dbus.Conn
	capabilities []string
	mu           sync.Mutex
	last         uint32
}

// Serve puts a notification service on a bus, with these capabilities.
func Serve(t testing.TB, address string, capabilities ...string) *Notifications {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	n := &Notifications{Shown: make(chan Note, 100), Closed: make(chan uint32, 100), conn: conn, capabilities: capabilities}
	if err := conn.Export(service{n}, notifyPath, notifyName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(notifyName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return n
}

// Click reports that the person clicked on a notification.
func (n *Notifications) Click(id uint32) error {
	return n.conn.Emit(notifyPath, notifyName+".ActionInvoked", id, "default")
}

// Dismiss reports that the person dismissed a notification.
func (n *Notifications) Dismiss(id uint32) error {
	return n.conn.Emit(notifyPath, notifyName+".NotificationClosed", id, uint32(2))
}

// service is the object on the bus.
type service struct{ n *Notifications }

// GetCapabilities implements org.freedesktop.Notifications.
func (s service) GetCapabilities() ([]string, *dbus.Error) { return s.n.capabilities, nil }

// Notify implements org.freedesktop.Notifications.
func (s service) Notify(program string, replaces uint32, icon, title, body string, actions []string, hints map[string]dbus.Variant, expire int32) (uint32, *dbus.Error) {
	s.n.mu.Lock()
	id := replaces
	if id == 0 {
		s.n.last++
		id = s.n.last
	}
	s.n.mu.Unlock()
	s.n.Shown <- Note{id, replaces, program, title, body, actions, hints}
	return id, nil
}

// CloseNotification implements org.freedesktop.Notifications.
func (s service) CloseNotification(id uint32) *dbus.Error {
	s.n.Closed <- id
	if err := s.n.conn.Emit(notifyPath, notifyName+".NotificationClosed", id, uint32(3)); err != nil {
		return dbus.MakeFailedError(err)
	}
	return nil
}
