package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mutsumi/backend/ledger"
	"mutsumi/backend/provider/providertest"
)

// SPEC 12.4: every attempt of every request is in the record, in the order in which the server
// received it, with enough data to compare bodies.
func TestTheRecordOfRequests(t *testing.T) {
	const key = "sk-secret-0123456789"
	server := providertest.New(t, "key "+key+"\nmodels gpt-4o\nanswer\nfail 503 Down for sk-other-secret\nanswer\ntext Let me look.\ntool ls {\"uri\":\".\"}\nusage 12 5 cached=3\nanswer times 2\ntext Fine.\nusage 20 1")
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=" + key, "MUTSUMI_STATE=" + t.TempDir()}
	folder := t.TempDir()
	write(t, folder, "a.mtm", empty)
	file := filepath.Join(folder, "a.mtm")
	if out, errs, status := call(t, "", env, "requests", file); status != 0 || out != "" {
		t.Fatalf("before anything was sent: status %d, %s%s", status, out, errs)
	}
	for _, prompt := range []string{"look around", "and again"} {
		if _, errs, status := call(t, "", env, "run", file, "--trust", "--prompt", prompt); status != 0 {
			t.Fatalf("status %d, %s", status, errs)
		}
	}
	out, errs, status := call(t, "", env, "requests", file, "--json")
	var all []ledger.Request
	if err := json.Unmarshal([]byte(out), &all); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, errs)
	}
	sent := server.Requests()
	if len(all) != len(sent) || len(all) != 4 {
		t.Fatalf("%d requests are recorded, %d were sent", len(all), len(sent))
	}
	for i, r := range all {
		body := filepath.Join(folder, "body.json")
		if err := os.WriteFile(body, sent[i].Body, 0o600); err != nil {
			t.Fatal(err)
		}
		number := string(rune('1' + i))
		if out, errs, _ := call(t, "", env, "requests", file, "--number", number, "--compare", body); !strings.HasPrefix(out, "the same as request "+number) {
			t.Errorf("request %d: %s%s", i+1, out, errs)
		}
		if r.Number != i+1 || r.Bytes != int64(len(sent[i].Body)) || r.Model != "gpt-4o" || r.Cell == "" || r.Time.IsZero() || len(r.Tools) == 0 || !bytes.Contains(r.Parameters, []byte(`"stream": true`)) {
			t.Errorf("request %d: %+v", i+1, r)
		}
	}
	if a := all[0].Answer; a == nil || a.Error == "" || all[1].Attempt != 2 || all[0].SHA256 != all[1].SHA256 {
		t.Errorf("the attempt that failed: %+v, then %+v", a, all[1])
	}
	if a := all[1].Answer; a == nil || a.Finish != "tool_calls" || a.Usage == nil || a.Usage.Input != 12 || a.Usage.Cached != 3 || len(a.Calls) != 1 || a.Calls[0].Name != "ls" ||
		a.Calls[0].SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(`{"uri":"."}`))) {
		t.Errorf("the answer with a call: %+v", a)
	}

	// The request of a later run: the same beginning, then a new prompt.
	out, _, _ = call(t, "", env, "context", file, "--json", "--trust", "--prompt", "a third time")
	var shown struct{ Request json.RawMessage }
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatal(err)
	}
	last := sent[3].Body
	at := 0
	for at < min(len(last), len(shown.Request)) && last[at] == shown.Request[at] {
		at++
	}
	out, _, _ = call(t, string(shown.Request), env, "requests", file, "--compare", "-", "--json")
	var v struct {
		Same         bool
		From, Within int
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || v.Same || at < v.From || at >= v.From+v.Within {
		t.Errorf("differs from byte %d; %s", at, out)
	}

	// No text and no key is in the record.
	state := strings.TrimPrefix(env[2], "MUTSUMI_STATE=")
	files, _ := filepath.Glob(filepath.Join(state, "requests", "*"))
	if len(files) != 1 {
		t.Fatalf("files of records: %v", files)
	}
	if text := read(t, files[0]); regexp.MustCompile(`secret|look around|Let me look|content_reference`).MatchString(text) {
		t.Errorf("the record: %s", text)
	}
	out, _, _ = call(t, "", env, "requests", file)
	if !strings.Contains(out, "12 tokens in (3 cached), 5 out") || !strings.Contains(out, "calls ls") {
		t.Errorf("the list: %s", out)
	}
	if _, errs, status := call(t, "", env, "requests", file, "--number", "9", "--compare", files[0]); status != 1 || !strings.Contains(errs, "no record of request 9") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// A program that is killed while an answer streams leaves the request in the record, without an
// answer; the next one continues after it.
func TestTheRecordOutlivesAKill(t *testing.T) {
	server := providertest.New(t, "models gpt-4o\nanswer\ntext Half\nstall\nanswer\ntext Fine.\nusage 20 1")
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k", "MUTSUMI_STATE=" + t.TempDir()}
	folder := t.TempDir()
	write(t, folder, "a.mtm", empty)
	file := filepath.Join(folder, "a.mtm")
	cmd := command(t, env, "run", file, "--trust", "--prompt", "first")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("Half"))); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill() // SIGKILL
	cmd.Wait()
	if _, errs, status := call(t, "", env, "run", file, "--trust", "--prompt", "second"); status != 0 {
		t.Fatalf("status %d, %s", status, errs)
	}
	text, errs, status := call(t, "", env, "requests", file, "--json")
	var all []ledger.Request
	if err := json.Unmarshal([]byte(text), &all); err != nil || status != 0 || len(all) != 2 {
		t.Fatalf("status %d, %v, %s%s", status, err, text, errs)
	}
	if all[0].Answer != nil || all[1].Answer == nil || all[1].Number != 2 {
		t.Errorf("%+v", all)
	}
}
