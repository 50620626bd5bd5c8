//go:build !windows

package approval

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// attack is a command that does more than its grants say. RO stands for the
// grants of ReadOnly.
type attack struct {
	Class, Grants, Folder, Setup, Command string
}

// prepared creates a workspace, in a repository with one commit and with a secret file next to it,
// and runs a setup there.
func prepared(t *testing.T, setup string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "ws")
	script := `mkdir -p "$W/src" "$W/build" "$W/sub" && cd "$W" && echo TOPSECRET > ../secret.txt && echo text > a.txt && printf '#!/bin/sh\necho PWNED > PWNED\n' | tee evil.sh payload.txt > src/b.txt && chmod +x evil.sh
git init -q . && git add a.txt && git -c user.name=a -c user.email=b commit -q -m init
` + setup
	cmd := exec.Command("bash", "-ec", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "W=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("set up: %v\n%s", err, out)
	}
	return dir
}

// Commands that acted beyond their grants, each with the grants that let it
// through: all of them ask now.
func TestAttacksAsk(t *testing.T) {
	data, err := os.ReadFile("testdata/attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	var attacks []attack
	if err := json.Unmarshal(data, &attacks); err != nil {
		t.Fatal(err)
	}
	plain := prepared(t, "")
	for _, a := range attacks {
		dir := plain
		if a.Setup != "" {
			dir = prepared(t, a.Setup)
		}
		grants := ReadOnly()
		if a.Grants != "RO" {
			grants = strings.Split(a.Grants, "|")
		}
		p := NewPolicy()
		for _, g := range grants {
			if _, err := p.Add(Rule{Tool: "shell", Pattern: strings.TrimSpace(g), Scope: Always}); err != nil {
				t.Fatalf("%s: %v", g, err)
			}
		}
		folder := ""
		if a.Folder != "" {
			folder = filepath.Join(dir, a.Folder)
		}
		v := Simulate(p, "shell", a.Command, folder, Call{Tool: "shell", Notebook: "n", Workspace: dir, Roots: []string{dir}})
		if v.Outcome == Allow {
			t.Errorf("%s: with %q, %q is let through", a.Class, a.Grants, a.Command)
		}
	}
	t.Logf("%d attacks", len(attacks))
}
