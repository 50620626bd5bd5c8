package settings

import (
	"testing"

	"mutsumi/backend/desktop/bustest"
	"mutsumi/backend/fault"
)

// A folder gets the keyring's entries that were made for it, and no other ones.
func TestServerKeys(t *testing.T) {
	address := bustest.Start(t)
	service := startSecrets(t, address)
	v := ServersOf(store(t, ""))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	here, there := t.TempDir(), t.TempDir()
	must(t, v.SetKey("", "tracker", "mine\n"))
	must(t, v.SetKey(here, "tracker", "folder's"))
	for folder, want := range map[string]string{"": "mine", here: "folder's"} {
		if got, err := v.Key(folder, "tracker"); err != nil || got != want {
			t.Errorf("%q: %q %v", folder, got, err)
		}
	}
	if got, err := v.Key(there, "tracker"); err == nil {
		t.Errorf("another folder was given %q", got)
	}
	if err := v.SetKey("", "a}b", "x"); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
	must(t, v.SetKey("", "tracker", ""))
	must(t, v.SetKey(here, "tracker", ""))
	if service.count() != 0 {
		t.Error(service.count(), "entries are left")
	}
}

func TestServersOfTheFile(t *testing.T) {
	s := store(t, "mcpServers:\n  notes:\n    command: npx\n    args: [-y, notes] # mine\n")
	if got := string(ServersOf(s).List()); got != `{"mcpServers":{"notes":{"args":["-y","notes"],"command":"npx"}}}` {
		t.Error(got)
	}
	must(t, ServersOf(s).Add("more", map[string]any{"url": "https://example.com/mcp"}))
	must(t, ServersOf(s).Remove("notes"))
	if got := string(ServersOf(s).List()); got != `{"mcpServers":{"more":{"url":"https://example.com/mcp"}}}` {
		t.Error(got)
	}
	must(t, ServersOf(s).Remove("more"))
	if err := ServersOf(s).Remove("more"); !fault.Is(err, fault.NotFound) || ServersOf(s).List() != nil {
		t.Error(err)
	}
	if got := ServersOf(store(t, "")).List(); got != nil {
		t.Errorf("%s", got)
	}
	if s.View().Problem != "" {
		t.Error(s.View().Problem)
	}
}
