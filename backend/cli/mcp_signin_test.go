package cli_test

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"mutsumi/backend/mcp/mcptest"
)

// A sign-in on a machine without a browser: the address is printed, and the person pastes the
// address at which a browser elsewhere ended. Without a keyring it cannot be stored, and a message
// says so; no token is printed.
func TestMCPSignIn(t *testing.T) {
	o := mcptest.NewOAuth(t)
	dir := t.TempDir()
	write(t, dir, ".mcp.json", `{"mcpServers": {"tracker": {"url": "`+o.Resource+`"}}}`)
	env := []string{"MUTSUMI_STATE=" + t.TempDir(), "DISPLAY=", "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"}
	if _, errs, status := call(t, "", env, "mcp", "sign-in", "tracker", "--workspace", dir); status == 0 || !strings.Contains(errs, "trust") || o.Registered != 0 {
		t.Error(status, errs, o.Registered)
	}
	if _, errs, status := call(t, "", env, "mcp", "call", "tracker", "echo", "{}", "--workspace", dir, "--trust"); status != 1 || !strings.Contains(errs, "mutsumi mcp sign-in tracker") {
		t.Error(status, errs)
	}
	cmd := command(t, env, "mcp", "sign-in", "tracker", "--workspace", dir, "--trust")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, errs.String())
	}
	elsewhere := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := elsewhere.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	in.Write([]byte("something else\n" + res.Header.Get("Location") + "\n"))
	cmd.Wait()
	text := errs.String()
	if !strings.Contains(text, "paste its address here") || !strings.Contains(text, "copy all of it") || !strings.Contains(text, "Could not keep the sign-in to tracker") || o.Given != 1 {
		t.Error(text, o.Given)
	}
	for _, secret := range o.Secrets() {
		if strings.Contains(text, secret) {
			t.Error("it prints", secret)
		}
	}
}
