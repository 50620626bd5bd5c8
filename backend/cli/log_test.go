package cli_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The log of whole runs, with calls, a failure and a repeated request, records what happened and
// contains no key, prompt, answer, file or server text (SPEC 17).
func TestTheLogHoldsNoSecret(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(t.TempDir(), "state")
	write(t, dir, "read.txt", "SECRET-file")
	write(t, dir, ".mutsumi/rules/r.md", "SECRET-rule")
	file := write(t, dir, "a.mtm", strings.Replace(empty, "/ws", dir, 1))
	env := []string{"MUTSUMI_STATE=" + state, "MUTSUMI_LOG=debug"}
	in := func(cmd *exec.Cmd) *exec.Cmd {
		cmd.Env = append(cmd.Env, append(env, "OPENAI_API_KEY=sk-SECRETkey")...)
		return cmd
	}
	cmd, _, errs := runs(t, file, "fail 503 SECRET-busy\nanswer\nreasoning SECRET-thought\ntext SECRET-answer\n"+
		"tool read_file {\"uri\":\"read.txt\"}\ntool write_file {\"uri\":\"new.txt\",\"content\":\"SECRET-content\"}\n"+
		"tool shell {\"command\":\"echo SECRET-command\"}\nanswer\ntext SECRET-end", "--prompt", "SECRET-prompt", "--approve", "all")
	if out, err := in(cmd).Output(); err != nil || !strings.Contains(string(out), "SECRET-end") {
		t.Fatalf("%v, %s, %s", err, out, errs)
	}
	cmd, _, errs = runs(t, file, "fail 401 Incorrect key sk-SECRETkey for SECRET-again", "--prompt", "SECRET-again")
	if _, err := in(cmd).Output(); err == nil || !strings.Contains(errs.String(), "SECRET-again") {
		t.Fatalf("the second run: %v, %s", err, errs)
	}
	got, stderr, status := call(t, "", env, "log")
	if status != 0 || strings.Contains(got, "SECRET") {
		t.Fatalf("status %d, %s, the log holds %s", status, stderr, got)
	}
	for _, want := range []string{
		`msg="folder opened"`, `msg="notebook loaded"`, `msg="run started"`, `msg="request failed, trying again"`, `msg="notebook saved"`,
		"outcome=done", "requests=3", "input=", "output=", "outcome=failed", "kind=provider code=keyRejected", `msg="folder closed"`, "conflicts=0", "notebook=a.mtm",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}

// `mutsumi log --follow` prints new entries until it is ended.
func TestTheLogIsFollowed(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	env := []string{"MUTSUMI_STATE=" + state}
	cmd := command(t, env, "log", "--follow")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := make(chan string, 100)
	go func() {
		for in := bufio.NewScanner(out); in.Scan(); {
			lines <- in.Text()
		}
		close(lines)
	}()
	for range 2 {
		if _, stderr, status := call(t, "", env, "tree", t.TempDir()); status != 0 {
			t.Fatal(stderr)
		}
		for _, want := range []string{"folder opened", "folder closed"} {
			select {
			case line := <-lines:
				if !strings.Contains(line, want) {
					t.Fatalf("got %s, want %s", line, want)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s does not come", want)
			}
		}
	}
}
