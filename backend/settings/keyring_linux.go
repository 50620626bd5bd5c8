package settings

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"
)

// keyringMissing says why there is no keyring, "" if there is one. It is called first because the
// library would start its own bus or wait for a service that never comes: this takes five seconds
// at most.
func keyringMissing() string {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" || address == "autolaunch:" {
		socket := filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")
		if _, err := os.Stat(socket); err != nil {
			return "there is no D-Bus session"
		}
		address = "unix:path=" + socket
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return "the D-Bus session does not answer"
	}
	defer conn.Close()
	for _, method := range []string{"ListNames", "ListActivatableNames"} {
		var names []string
		if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus."+method, 0).Store(&names); err != nil {
			return "the D-Bus session does not answer"
		}
		if slices.Contains(names, "org.freedesktop.secrets") {
			return ""
		}
	}
	return "no keyring service (GNOME Keyring, KWallet, KeePassXC) is running"
}
