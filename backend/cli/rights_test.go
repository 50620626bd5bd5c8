package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/provider/providertest"
)

func notebookOf(uuid, parent, allowed, prompt string) string {
	above := "null"
	if parent != "" {
		above = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"metadata":{"uuid":%q,"name":"n","created_at":"2026-01-01T00:00:00Z","parent_agent_id":%s,"allowed_uris":%s},"context":[{"role":"user","content":%q}]}`, uuid, above, allowed, prompt)
}

// A child touches at most what every agent above it may, in each command.
func TestAChildIsBoundedOnTheCommandLine(t *testing.T) {
	const top, mid, leaf = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000a2", "00000000-0000-4000-8000-0000000000a3"
	server := providertest.New(t, "key k\nanswer\ncall 0 a read_file {\"uri\":\"a.txt\"}\ncall 1 b read_file {\"uri\":\"src/b.txt\"}\nanswer\ntext done")
	dir := t.TempDir()
	write(t, dir, "a.txt", "SECRET-A")
	write(t, dir, "src/b.txt", "CONTENT-B")
	write(t, dir, ".mutsumi/top.mtm", notebookOf(top, "", `["src"]`, "x"))
	write(t, dir, ".mutsumi/mid.mtm", notebookOf(mid, top, `["."]`, "x"))
	file := write(t, dir, ".mutsumi/leaf.mtm", notebookOf(leaf, mid, `["."]`, "go @[a.txt] @[src/b.txt]"))
	out, errs, status := call(t, "", nil, "context", file, "--json")
	var built struct{ AllowedUris []string }
	if status != 0 || json.Unmarshal([]byte(out), &built) != nil || strings.Contains(out, "SECRET-A") || !strings.Contains(out, "CONTENT-B") {
		t.Errorf("%d, %q: %s", status, errs, out)
	}
	if len(built.AllowedUris) != 1 || built.AllowedUris[0] != filepath.Join(dir, "src") {
		t.Errorf("allowed is %v", built.AllowedUris)
	}
	_, errs, status = call(t, "", []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}, "run", file, "--model", "m", "--approve", "all")
	saved := read(t, file)
	if status != 0 || strings.Contains(saved, "SECRET-A") || !strings.Contains(saved, "CONTENT-B") {
		t.Errorf("%d, %q: %s", status, errs, saved)
	}
}

// Outside places that a notebook of an untrusted folder asks for are reported and have no effect,
// whatever is approved.
func TestAForeignNotebookStaysInItsFolder(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	secret := write(t, outside, "key.txt", "SECRET-KEY")
	for _, trust := range [][]string{nil, {"--trust"}} {
		file := write(t, dir, "came.mtm", notebookOf("00000000-0000-4000-8000-0000000000c1", "", `[".",`+fmt.Sprintf("%q", outside)+`]`, "old @["+secret+"]"))
		args := append([]string{"run", file, "--prompt", "new", "--model", "m", "--approve", "all"}, trust...)
		server := providertest.New(t, "key k\nanswer\ncall 0 a read_file {\"uri\":\""+secret+"\"}\nanswer\ntext done")
		_, errs, status := call(t, "", []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}, args...)
		if status != 0 || !strings.Contains(errs, outside) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d, %q", trust, status, errs)
		}
		for _, r := range server.Requests() {
			if strings.Contains(string(r.Body), "SECRET-KEY") {
				t.Errorf("%v: the secret was sent", trust)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// Looking at an empty folder trusts nothing that comes into it.
func TestLookingAtAFolderTrustsNothing(t *testing.T) {
	dir := t.TempDir()
	env := []string{"MUTSUMI_STATE=" + t.TempDir()}
	if _, errs, status := call(t, "", env, "tree", dir); status != 0 {
		t.Fatalf("%d, %q", status, errs)
	}
	write(t, dir, ".mutsumi/rules/evil.md", "EVIL RULE")
	file := write(t, dir, "came.mtm", notebookOf("00000000-0000-4000-8000-0000000000c1", "", `["."]`, "x"))
	out, errs, status := call(t, "", env, "context", file)
	if status != 0 || strings.Contains(out, "EVIL") || !strings.Contains(errs, "evil.md") {
		t.Errorf("%d, %q, %q", status, errs, out)
	}
	if out, _, _ = call(t, "", env, "context", "--trust", file); !strings.Contains(out, "EVIL RULE") {
		t.Errorf("--trust does not count: %q", out)
	}
	if out, _, _ = call(t, "", env, "context", file); strings.Contains(out, "EVIL") {
		t.Errorf("--trust was kept: %q", out)
	}
}
