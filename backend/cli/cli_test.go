package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mutsumi/backend/cli/clitest"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/version"
)

// The tests run the real program, built once without a window.
var binary string

func TestMain(m *testing.M) {
	mcptest.Main()
	clitest.Main(m, &binary)
}

// command prepares a call with a home of its own and no model from outside.
func command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	return clitest.Command(t, binary, env, args...)
}

// call runs the program to its end.
func call(t *testing.T, stdin string, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := command(t, env, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

const empty = `{
  "metadata": {
    "uuid": "11111111-1111-4111-8111-111111111111",
    "name": "Agent",
    "created_at": "2026-01-01T00:00:00.000Z",
    "parent_agent_id": null,
    "allowed_uris": [
      "/ws"
    ]
  },
  "context": []
}`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	return filestest.Write(t, filepath.Join(dir, name), text)
}

func read(t *testing.T, file string) string {
	t.Helper()
	return filestest.Read(t, file)
}

// TestWhatMayNotBeReadIsRefused has a folder, and a notebook in it, that nobody may look into: it is
// not an empty folder, nor a wrong word.
func TestWhatMayNotBeReadIsRefused(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is forbidden to this user")
	}
	for _, mode := range []os.FileMode{0, 0o600, 0o300} {
		closed := filepath.Join(t.TempDir(), "closed")
		inside := write(t, closed, "one.mtm", "{}")
		if err := os.Chmod(closed, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(closed, 0o700) })
		for _, args := range [][]string{{"tree", closed}, {"serve", closed}, {closed}, {inside}, {"serve", inside}} {
			out, errs, status := call(t, "", nil, args...)
			if status != 1 || out != "" || !strings.Contains(errs, "you may not look into") {
				t.Errorf("%o %v: status %d, %q, %q", mode, args, status, out, errs)
			}
		}
	}
}

func TestWrongUseIsTwoAndFailureIsOne(t *testing.T) {
	dir := t.TempDir()
	damaged := write(t, dir, "bad.mtm", "{\n  \"metadata\": {},\n  oops")
	cases := []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"nonsense"}, 2, "neither a folder, a notebook (.mtm) nor a command"},
		{[]string{write(t, dir, "text.md", "x")}, 2, "neither a folder, a notebook (.mtm) nor a command"},
		{[]string{filepath.Join(dir, "none.mtm")}, 1, "there is no such notebook"},
		{[]string{filepath.Join(damaged, "none.mtm")}, 1, "there is no such notebook"},
		{[]string{"tree", damaged}, 1, "it is a file, not a folder"},
		{[]string{"--nonsense"}, 2, "no option --nonsense"},
		{[]string{"run"}, 2, "run: got 0 arguments"},
		{[]string{"run", damaged, "--unknown"}, 2, "-unknown"},
		{[]string{"run", damaged, "--approve", "some"}, 2, "none, reads or all"},
		{[]string{"notebook"}, 2, "fmt or cells"},
		{[]string{"notebook", "other", damaged}, 2, "neither fmt nor cells"},
		{[]string{"notebook", "fmt", damaged}, 1, "bad.mtm"},
		{[]string{"notebook", "fmt", damaged}, 1, "line 3"},
		{[]string{"notebook", "fmt", filepath.Join(dir, "none.mtm")}, 1, "none.mtm"},
		{[]string{"run", filepath.Join(dir, "none.mtm"), "--prompt", "x"}, 1, "none.mtm"},
		{[]string{"tree", filepath.Join(dir, "none")}, 1, "no such folder"},
	}
	for _, c := range cases {
		out, errs, status := call(t, "", nil, c.args...)
		if status != c.status || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%v: status %d, %q, %q; want %d with %q in one line", c.args, status, out, errs, c.status, c.says)
		}
	}
	if got := read(t, damaged); !strings.HasSuffix(got, "oops") {
		t.Errorf("the damaged file was written: %q", got)
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"version"}, {"--version"}} {
		if out, errs, status := call(t, "", nil, args...); status != 0 || errs != "" || !strings.Contains(strings.ToLower(out), "mutsumi") {
			t.Errorf("%v: status %d, %q, %q", args, status, out, errs)
		}
	}
	out, errs, status := call(t, "", nil, "version", "--json")
	var build version.Build
	if err := json.Unmarshal([]byte(out), &build); err != nil || status != 0 || errs != "" || build.Version != version.Number || build.System == "" {
		t.Errorf("version --json: status %d, %q, %q, %v", status, out, errs, err)
	}
	if text, _, _ := call(t, "", nil, "version"); text != "mutsumi "+build.String()+"\n" {
		t.Errorf("version: %q, want the same as --json: %q", text, build.String())
	}
}

// Every vector of the file format goes through the command line.
func TestNotebookVectors(t *testing.T) {
	var cases []struct {
		ID         string
		Input      string
		Serialized string
		Cells      []struct {
			Value    string
			Metadata struct{ Role string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "../notebook/testdata/serializer.json")), &cases); err != nil {
		t.Fatal(err)
	}
	dir, ran := t.TempDir(), 0
	for _, c := range cases {
		if c.Input != c.Serialized || len(c.Cells) == 0 {
			continue // package notebook tests the whole table; here are those that pass unchanged
		}
		ran++
		file := write(t, dir, c.ID+".mtm", c.Input)
		if out, errs, status := call(t, "", nil, "notebook", "fmt", file); status != 0 || out != c.Serialized {
			t.Errorf("%s: status %d, %s\ngot  %q\nwant %q", c.ID, status, errs, out, c.Serialized)
		}
		out, _, _ := call(t, "", nil, "notebook", "cells", "--json", file)
		var cells []struct {
			Role, Text string
			Messages   []json.RawMessage
		}
		if err := json.Unmarshal([]byte(out), &cells); err != nil || len(cells) != len(c.Cells) {
			t.Errorf("%s: %v in %q; want %d cells", c.ID, err, out, len(c.Cells))
			continue
		}
		for i, w := range c.Cells {
			if cells[i].Role != w.Metadata.Role {
				t.Errorf("%s, cell %d: role %s, want %s", c.ID, i, cells[i].Role, w.Metadata.Role)
			}
		}
	}
	if ran < 5 {
		t.Errorf("only %d vectors ran", ran)
	}
}

func TestTree(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".mutsumi/a.mtm", empty)
	write(t, dir, "sub/b.mtm", strings.NewReplacer("11111111-1", "22222222-1", "null", `"11111111-1111-4111-8111-111111111111"`, `"Agent"`, `"Child"`).Replace(empty))
	out, errs, status := call(t, "", nil, "tree", dir, "--json")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(out), &rows); err != nil || status != 0 || len(rows) != 2 {
		t.Fatalf("status %d, %q, %q, %v", status, out, errs, err)
	}
	if a, b := rows[0], rows[1]; a["parentId"] != nil || a["status"] != "standby" || a["file"] != ".mutsumi/a.mtm" ||
		b["parentId"] != a["uuid"] || b["status"] != "pending" || b["name"] != "Child" {
		t.Errorf("got %v", rows)
	}
	if out, _, _ := call(t, "", nil, "tree", dir); out != "Agent  (standby)  .mutsumi/a.mtm\n  Child  (pending)  sub/b.mtm\n" {
		t.Errorf("got %q", out)
	}
	if out, _, status := call(t, "", nil, "tree", t.TempDir(), "--json"); out != "[]\n" || status != 0 {
		t.Errorf("an empty folder gives %q", out)
	}
}

func TestRunStreamsTheAnswerAndSavesIt(t *testing.T) {
	server := providertest.New(t, "key sk-secret-key\nanswer when \"From stdin\"\ntext \"One \"\ntext two.\nusage 3 2\nanswer when \"Second\"\ntool ls {\"uri\":\".\"}\nanswer\ntext Listed.")
	dir := t.TempDir()
	write(t, dir, "seen.txt", "x")
	file := write(t, dir, ".mutsumi/a.mtm", strings.Replace(empty, "/ws", dir, 1))
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-secret-key"}
	out, errs, status := call(t, "From stdin\n", env, "run", file, "--prompt", "-", "--model", "any-model")
	if status != 0 || out != "One two.\n" || errs != "" {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	out, errs, status = call(t, "", env, "run", "--prompt", "Second", file, "--model", "any-model")
	if status != 0 || out != "Listed.\n" {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	saved := read(t, file)
	for _, want := range []string{`"From stdin"`, `"One two."`, `"Second"`, "[FILE] seen.txt", `"Listed."`, `"outcome": "done"`} {
		if !strings.Contains(saved, want) {
			t.Errorf("the file lacks %s:\n%s", want, saved)
		}
	}
	if strings.Contains(saved, "sk-secret") {
		t.Error("the key is in the file")
	}
	if r := server.Requests(); r[0].Model != "any-model" || len(r[0].Tools) == 0 {
		t.Errorf("sent model %q, tools %v", r[0].Model, r[0].Tools)
	}
	if out, errs, status = call(t, "", env, "run", file); status != 1 || !strings.Contains(errs, "--prompt") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

// Without a window an agent may start others too, when everything is allowed.
func TestRunWithChildren(t *testing.T) {
	server := providertest.New(t, `answer when "Split it"
tool self_fork {"children":[{"name":"A","prompt":"do alpha","allowed_uris":["sub"]},{"name":"B","prompt":"do beta"}]}
answer when "Split it"
text Both are back.
answer when "do alpha"
tool task_finish {"summary":"alpha is done"}
answer when "do beta"
text beta, in words`)
	dir := t.TempDir()
	write(t, dir, "sub/x.txt", "x")
	file := write(t, dir, ".mutsumi/a.mtm", strings.Replace(empty, "/ws", dir, 1))
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}
	out, errs, status := call(t, "", env, "run", file, "--prompt", "Split it", "--model", "m", "--approve", "all")
	if status != 0 || out != "Both are back.\n" || errs != "" {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	saved := read(t, file)
	for _, want := range []string{"2 children: 1 finished, 1 ended without task_finish.", "alpha is done", "beta, in words"} {
		if !strings.Contains(saved, want) {
			t.Errorf("the report lacks %s: %s", want, saved)
		}
	}
	made, _ := filepath.Glob(filepath.Join(dir, ".mutsumi", "agent-*.mtm"))
	if len(made) != 2 {
		t.Errorf("%d notebooks of children", len(made))
	}
}

func TestRunTakesTheLastPromptWithoutAnAnswer(t *testing.T) {
	server := providertest.New(t, "answer when \"waiting\"\ntext Here.\nanswer when \"no tools\"\ntext Fine.")
	file := write(t, t.TempDir(), "a.mtm", strings.Replace(empty, `"context": []`, `"context": [{"role": "user", "content": "waiting"}]`, 1))
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}
	if out, errs, status := call(t, "", env, "run", file, "--model", "m"); status != 0 || out != "Here.\n" {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if out, errs, status := call(t, "", env, "run", file, "--model", "m", "--prompt", "no tools", "--approve", "none"); status != 0 || out != "Fine.\n" {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if r := server.Requests()[1]; len(r.Tools) != 0 {
		t.Errorf("offered %v", r.Tools)
	}
}

// Nobody can be asked on the command line: a call that needs a person gets a result that says so.
func TestRunReportsCallsThatNeedAPerson(t *testing.T) {
	for _, c := range []struct{ approve, call string }{
		{"reads", `write_file {"uri":"x.txt","content":"x"}`}, {"reads", `bash {"command":"touch x.txt"}`}, {"all", `ask_user {"question":"May I?"}`},
	} {
		server := providertest.New(t, "answer\ntool "+c.call+"\nanswer\ntext Without it.")
		dir := t.TempDir()
		file := write(t, dir, "a.mtm", strings.Replace(empty, "/ws", dir, 1))
		env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}
		out, errs, status := call(t, "", env, "run", file, "--prompt", "x", "--model", "m", "--approve", c.approve)
		saved := read(t, file)
		if status != 0 || out != "Without it.\n" || !strings.Contains(saved, "nobody can be asked in this run") || !strings.Contains(saved, `"end": "refused"`) {
			t.Errorf("%s: status %d, %q, %q, %s", c.call, status, out, errs, saved)
		}
		if _, err := os.Stat(filepath.Join(dir, "x.txt")); err == nil {
			t.Errorf("%s: it ran", c.call)
		}
	}
}

func TestTheServerOfTheEnvironmentAnswersWithItsOwnModel(t *testing.T) {
	server := providertest.New(t, "models first second\nanswer\ntext From the server.")
	file := write(t, t.TempDir(), "a.mtm", empty)
	out, errs, status := call(t, "", []string{"OPENAI_BASE_URL=" + server.URL}, "run", file, "--prompt", "x")
	if status != 0 || out != "From the server.\n" || server.Requests()[0].Model != "first" {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

func TestAFailedRunReportsTheReason(t *testing.T) {
	server := providertest.New(t, "answer\nfail 401 Wrong key sk-abcdef")
	file := write(t, t.TempDir(), "a.mtm", empty)
	_, errs, status := call(t, "", []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-abcdef"}, "run", file, "--prompt", "x", "--model", "m")
	if status != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "a.mtm") || strings.Contains(errs, "sk-abcdef") {
		t.Errorf("status %d, %q", status, errs)
	}
	if saved := read(t, file); !strings.Contains(saved, `"x"`) || strings.Contains(saved, "sk-abcdef") {
		t.Errorf("saved %s", saved)
	}
}

func TestWithoutAnyProviderTheOfflineGuideAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "notes.md", "# Heading\n\nText\n")
	file := write(t, dir, "a.mtm", strings.Replace(empty, "/ws", dir, 1))
	out, errs, status := call(t, "", []string{"MUTSUMI_GUIDE_PACE=0"}, "run", file, "--prompt", "List the files here")
	if status != 0 || !strings.Contains(out, "notes.md") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

func TestCtrlCStopsAndKeepsWhatCame(t *testing.T) {
	server := providertest.New(t, "answer\ntext arrived\nstall")
	file := write(t, t.TempDir(), "a.mtm", empty)
	cmd := command(t, []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}, "run", file, "--prompt", "x", "--model", "m")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, len("arrived"))
	if _, err := out.Read(first); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 1 || !strings.Contains(errs.String(), "stopped") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("status %d, %q", status, errs.String())
	}
	if saved := read(t, file); !strings.Contains(saved, `"arrived"`) || !strings.Contains(saved, `"outcome": "stopped"`) {
		t.Errorf("saved %s", saved)
	}
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.mtm", empty)
	server := serveFolder(t, nil, dir)
	var snapshot struct{ Folder string }
	if server.call(&snapshot, "Snapshot"); snapshot.Folder != dir {
		t.Errorf("got %+v", snapshot)
	}
	if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.cmd.Wait(); err != nil {
		t.Errorf("it did not end well: %v", err)
	}
}

// A notebook opens the folder that it belongs to, with it in front.
func TestServeANotebook(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".mutsumi"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.mtm", empty)
	for name, want := range map[string]string{"b.mtm": "b.mtm", ".mutsumi/c.mtm": ".mutsumi/c.mtm"} {
		server := serveFolder(t, nil, write(t, dir, name, empty))
		var snapshot struct {
			Folder string
			UI     struct{ Active string }
		}
		if server.call(&snapshot, "Snapshot"); snapshot.Folder != dir || snapshot.UI.Active != want {
			t.Errorf("%s: got %+v", name, snapshot)
		}
	}
}
