package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/settings"
)

// A real agent, Qwen Code, answers a notebook: it asks before it writes, and its session continues.
// To run it, install @qwen-code/qwen-code@0.15.10 with npm in a folder, and set MUTSUMI_ACP_AGENTS to
// that folder. make test skips it: some registries lack packages that its lock file would name.
func TestQwenCode(t *testing.T) {
	program := filepath.Join(os.Getenv("MUTSUMI_ACP_AGENTS"), "node_modules/@qwen-code/qwen-code/cli.js")
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(program); missing != nil || err != nil {
		t.Skip("MUTSUMI_ACP_AGENTS does not name a folder with Qwen Code, or node is missing")
	}
	a := withAgent(t)
	file := filepath.Join(a.folder, "hello.txt")
	server := providertest.New(t, "answer\ntext I write it.\ntool write_file "+jsonOf(map[string]any{"file_path": file, "content": "hello\n"})+"\nanswer\ntext Written.\nanswer\ntext Second answer.")
	home := t.TempDir()
	if err := settings.ACPAgentsOf(a.store).Put(settings.ACPAgent{
		ID: "scripted", Name: "Qwen", Command: node, Args: []string{program, "--acp"},
		Env: map[string]string{"HOME": home, "OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": server.URL, "OPENAI_MODEL": "scripted", "NO_PROXY": "*"},
	}); err != nil {
		t.Fatal(err)
	}
	a.begin("Write hello.txt.")
	r := a.asked()
	if r.Tool != "write_file" || len(r.Changes) != 1 || r.Changes[0].Added != 1 {
		t.Errorf("asked about %+v", r)
	}
	a.decide(r.ID, approval.Decision{Allow: true, Scope: approval.Once})
	if got := a.said(); !strings.Contains(got, "I write it.") || !strings.Contains(got, "Written.") {
		t.Errorf("it said %q", got)
	}
	if a.file("hello.txt") != "hello\n" {
		t.Errorf("the file holds %q", a.file("hello.txt"))
	}
	if got := a.ask("And again?"); got != "Second answer." {
		t.Errorf("it said %q", got)
	}
	body := a.body()
	if body.Run == nil || body.Run.Outcome != notebook.Done {
		t.Errorf("the run is %+v", body.Run)
	}
}
