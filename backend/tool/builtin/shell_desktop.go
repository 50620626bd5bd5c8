package builtin

import (
	"path/filepath"
	"slices"
	"strings"
)

// desktopWords are variables that name the sockets of the person's session: a process connected to
// one can have others do what a command may not. Prefixes end in "*".
var desktopWords = []string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "GNOME_KEYRING_*", "DBUS_*", "AT_SPI_BUS_ADDRESS",
	"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", "ICEAUTHORITY", "SESSION_MANAGER", "XDG_RUNTIME_DIR", "PULSE_SERVER", "PIPEWIRE_*",
	"DOCKER_HOST", "CONTAINER_HOST", "PODMAN_*", "BUILDKIT_HOST", "LIBVIRT_DEFAULT_URI",
	"TMUX", "TMUX_PANE", "STY", "ZELLIJ*", "KITTY_LISTEN_ON", "ALACRITTY_SOCKET", "WEZTERM_UNIX_SOCKET", "SWAYSOCK", "I3SOCK", "HYPRLAND_INSTANCE_SIGNATURE",
	"VSCODE_*", "NVIM", "NVIM_LISTEN_ADDRESS", "EMACS_SOCKET_NAME",
}

// ofDesktop reports whether a variable names a socket of the person's session.
func ofDesktop(name string) bool {
	return slices.ContainsFunc(desktopWords, func(w string) bool {
		prefix, many := strings.CutSuffix(w, "*")
		return name == w || many && strings.HasPrefix(name, prefix)
	})
}

// desktop passes a keeper the paths that such variables name: a variable that is shown to commands
// lets its socket through.
func (k *keeper) desktop(environ, show []string) {
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch path := socketPath(value); {
		case path == "" || !ofDesktop(name):
		case slices.Contains(show, name):
			k.Sockets = append(k.Sockets, path)
		case name == "XDG_RUNTIME_DIR":
			k.Runtime = path
		default:
			k.Hide = append(k.Hide, path)
		}
	}
}

// socketPath returns the path in the address of a socket: "/run/x",
// "unix:///run/x", "unix:path=/run/x,guid=1", "/tmp/tmux-1/default,12,0".
func socketPath(address string) string {
	path, _, _ := strings.Cut(address, ",")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "unix:"), "path=")
	path = strings.TrimPrefix(path, "//")
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}
