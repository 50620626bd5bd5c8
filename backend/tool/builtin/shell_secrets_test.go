package builtin

import "testing"

// The value of a variable with a harmless name is checked too. It is better to omit one too many,
// but not what programs need.
func TestSecretsAreKnownByTheirValue(t *testing.T) {
	for _, value := range []string{
		"sk_live_51H8xYzAbCdEf", "sk-proj-abc123", "rk_test_1234567", "ghp_0123456789abcdefABCD", "github_pat_11AAA", "glpat-xyz", "xoxb-1-2-x", "AKIAIOSFODNN7EXAMPLE", "AIzaSyA-0123456789abcdefghijk",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "-----BEGIN RSA PRIVATE KEY-----\nMII", "Bearer ghp_0123456789abcdefABCD",
		"https://0123456789abcdef0123456789abcdef@o1.ingest.example/2", "https://u:secret@host/", "postgres://u:p@host/db", "first https://a/ then https://u:p@b/", "https://host/?key=abcd1234", "https://host/x?a=1&sig=Zm9vYmFy",
		`{"apiKey": "abcdef"}`, `{"db":{"password":"hunter2"}}`, "Server=x;User=y;Password=hunter2;", "AccountName=a;AccountKey=abcdefgh==", "client_secret: abcdef",
		"wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLE4KEY1", "5f4dcc3b5aa765d61d8327deb882cf99a1b2c3d4", "Zm9vYmFyMTIzNDU2Nzg5MFhZWg==",
	} {
		if !secretValue(value) {
			t.Errorf("%q is let through", value)
		}
	}
	for _, value := range []string{
		"", "1", "en_US.UTF-8", "/home/me/go/bin:/usr/local/bin:/nix/store/3n58xw4373jp0ljirf06d8077j15pc4j-glibc-2.37/bin", "/run/current-system/sw", "x86_64-unknown-linux-gnu", "xterm-256color",
		"https://proxy.example,direct", "http://proxy.example:3128", "ssh://git@host/repo", "https://git@github.com/a/b", "https://kept/a@b:c", "localhost,127.0.0.1,.example.com", "-O2 -g -fstack-protector-strong",
		"ex=00:fi=00:mi=00:*.tar=01;31:*.tgz=01;31", "GNOME-Flashback:GNOME", "ubuntu-communitheme:ubuntu", "|/usr/share/apport/apport", "mod=mod", "-race -count=1 -timeout=10m", "Mozilla/5.0 (X11; Linux x86_64)", "/usr/share/ubuntu:/usr/local/share/:/usr/share/",
		"com.jetbrains.JetBrainsClient", "development_environment_for_everybody", "ProductionEnvironmentEurope2", `{"level":"debug","color":true}`, "v20.19.0", "2026-01-01T00:00:00Z", "my-very-long-project-name-2026",
	} {
		if secretValue(value) {
			t.Errorf("%q is left out", value)
		}
	}
}

func TestSocketsInAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"/run/x/": "/run/x", "unix:///run/docker.sock": "/run/docker.sock", "unix:path=/run/user/1/bus,guid=01": "/run/user/1/bus", "/tmp/tmux-1/default,12,0": "/tmp/tmux-1/default",
		":0": "", "tcp://host:2375": "", "unix:abstract=/tmp/dbus-x,guid=1": "", "": "", "wayland-0": "",
	} {
		if got := socketPath(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
