package desktop

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"mutsumi/backend/lock"

	"github.com/godbus/dbus/v5"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
	// notifyTime is how long the desktop may take to answer.
	notifyTime = 5 * time.Second
)

// Notifier shows notifications through org.freedesktop.Notifications. It
// connects to the session's D-Bus when there is something to show, and again
// after the bus was lost. It is safe for concurrent use.
type Notifier struct {
	clicked func(id uint32)

	mu      lock.Mutex
	conn    *dbus.Conn
	end     func() // of conn
	markup  bool   // bodies are read as markup
	actions bool   // clicks are reported
	closed  bool
}

// NewNotifier makes a notifier, which needs no Sender. Clicked is called, on a
// goroutine of the notifier's own, when the person clicks on a notification.
func NewNotifier(_ Sender, clicked func(id uint32)) *Notifier { return &Notifier{clicked: clicked} }

// Show shows a notification, replacing the one with the id replaces unless that is 0 or gone, and
// returns its id. It waits a few seconds at most. An error means that this desktop shows none.
func (n *Notifier) Show(note Notification, replaces uint32) (id uint32, err error) {
	conn, err := n.connect()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	body, actions := note.Body, []string{}
	n.mu.Lock()
	if n.markup {
		body = html.EscapeString(body)
	}
	if n.actions {
		actions = []string{"default", openLabel}
	}
	n.mu.Unlock()
	urgency := byte(1)
	if note.Urgent {
		urgency = 2
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency), "desktop-entry": dbus.MakeVariant(programEntry)}
	err = conn.Object(notifyName, notifyPath).
		CallWithContext(ctx, notifyName+".Notify", 0, program, replaces, programIcon, note.Title, body, actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return 0, fmt.Errorf("show a notification: %w", err)
	}
	return id, nil
}

// Withdraw removes a notification. A missing one is not an error.
func (n *Notifier) Withdraw(id uint32) {
	n.mu.Lock()
	conn := n.conn
	n.mu.Unlock()
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	conn.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".CloseNotification", 0, id)
}

// Badge shows a count on the program's icon where the desktop can do that, as
// docks do that know Unity's launcher entries; 0 takes it away.
func (n *Notifier) Badge(count int) error {
	conn, err := n.connect()
	if err != nil {
		return err
	}
	return conn.Emit("/com/canonical/unity/launcherentry/1", "com.canonical.Unity.LauncherEntry.Update",
		"application://"+programEntry+".desktop", map[string]dbus.Variant{
			"count": dbus.MakeVariant(int64(count)), "count-visible": dbus.MakeVariant(count > 0), "urgent": dbus.MakeVariant(count > 0),
		})
}

// Close leaves the bus. Visible notifications stay.
func (n *Notifier) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	if n.end != nil {
		n.end()
	}
}

// connect returns the connection, a new one if necessary.
func (n *Notifier) connect() (*dbus.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, errors.New("the program is closing")
	}
	if n.conn != nil && n.conn.Connected() {
		return n.conn, nil
	}
	address, err := sessionBus()
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	late := time.AfterFunc(notifyTime, end) // a bus that takes calls and never answers
	conn, err := dbus.Connect(address, dbus.WithContext(life))
	late.Stop()
	if err != nil {
		end()
		return nil, fmt.Errorf("connect to the session's D-Bus: %w", err)
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	if err := conn.AddMatchSignal(dbus.WithMatchObjectPath(notifyPath), dbus.WithMatchInterface(notifyName), dbus.WithMatchMember("ActionInvoked")); err != nil {
		end()
		return nil, fmt.Errorf("listen to the session's D-Bus: %w", err)
	}
	ctx, cancel := context.WithTimeout(life, notifyTime)
	defer cancel()
	var can []string // a server that cannot be asked has none
	_ = conn.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".GetCapabilities", 0).Store(&can)
	n.conn, n.end, n.markup, n.actions = conn, end, slices.Contains(can, "body-markup"), slices.Contains(can, "actions")
	go n.listen(signals)
	return conn, nil
}

// listen reports clicks until the connection ends, which closes signals.
func (n *Notifier) listen(signals <-chan *dbus.Signal) {
	for s := range signals {
		if s.Name != notifyName+".ActionInvoked" || len(s.Body) != 2 {
			continue
		}
		if id, ok := s.Body[0].(uint32); ok {
			n.clicked(id)
		}
	}
}

// sessionBus is the address of the session's D-Bus; none is ever started.
func sessionBus() (string, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address != "" && address != "autolaunch:" {
		return address, nil
	}
	socket := filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")
	if _, err := os.Stat(socket); err != nil {
		return "", errors.New("there is no D-Bus session")
	}
	return "unix:path=" + socket, nil
}
