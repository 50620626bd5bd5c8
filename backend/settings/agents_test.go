package settings

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

func TestACPAgents(t *testing.T) {
	s := store(t, "# mine\nagentServers:\n  helper: {command: helper, args: [--acp]} # at work\n  bare:\n    command: /opt/bare\n")
	v := ACPAgentsOf(s)
	want := []ACPAgent{{ID: "bare", Name: "bare", Command: "/opt/bare"}, {ID: "helper", Name: "helper", Command: "helper", Args: []string{"--acp"}}}
	if got := v.List(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v", got)
	}
	changed := ACPAgent{ID: "helper", Name: "The helper", Command: "helper2", Env: map[string]string{"LEVEL": "2"}}
	must(t, v.Put(changed))
	must(t, v.Put(ACPAgent{ID: "new", Name: "new", Command: "new", Args: []string{"a b"}}))
	must(t, v.Remove("bare"))
	if err := v.Remove("bare"); !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	again, err := Open(filepath.Dir(s.path))
	must(t, err)
	want = []ACPAgent{changed, {ID: "new", Name: "new", Command: "new", Args: []string{"a b"}}}
	if got := ACPAgentsOf(again).List(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	text, err := os.ReadFile(s.path)
	must(t, err)
	if !strings.Contains(string(text), "# mine") {
		t.Errorf("the comment is gone:\n%s", text)
	}
}
