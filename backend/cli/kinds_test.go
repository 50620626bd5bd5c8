package cli_test

import (
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/provider/providertest"
)

// The command line knows the same kinds: the role is in the request, tools that a kind lacks are
// not offered whatever --approve says, nobody can be asked, and a folder's kind needs trust.
func TestKindsOnTheCommandLine(t *testing.T) {
	server := providertest.New(t, "answer times 2\ntext Fine.")
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}
	dir := t.TempDir()
	of := func(kind string) string {
		text := strings.Replace(strings.Replace(empty, "/ws", dir, 1), `"name": "Agent",`, `"name": "Agent", "agentType": "`+kind+`",`, 1)
		return write(t, dir, ".mutsumi/"+kind+".mtm", text)
	}
	write(t, dir, ".mutsumi/agents/tester.md", "---\ntools: [read_file]\n---\nTESTER-ROLE")
	reviewer, tester, odd := of("reviewer"), of("tester"), of("odd")

	out, errs, status := call(t, "", nil, "context", reviewer, "--prompt", "hi")
	if status != 0 || !strings.Contains(out, "# Your role: reviewer") || !strings.Contains(errs, "tester") {
		t.Errorf("%d, %q\n%s", status, errs, out)
	}
	if out, errs, status = call(t, "", nil, "context", tester, "--prompt", "hi"); status != 0 || strings.Contains(out, "TESTER-ROLE") || !strings.Contains(errs, "cannot run") {
		t.Errorf("not trusted: %d, %q\n%s", status, errs, out)
	}
	if out, errs, status = call(t, "", nil, "context", tester, "--prompt", "hi", "--trust"); status != 0 || !strings.Contains(out, "TESTER-ROLE") || errs != "" {
		t.Errorf("trusted: %d, %q\n%s", status, errs, out)
	}
	if _, errs, status = call(t, "", nil, "context", odd, "--prompt", "hi", "--trust"); status != 0 || !strings.Contains(errs, `"odd"`) {
		t.Errorf("unknown: %d, %q", status, errs)
	}
	if _, errs, status = call(t, "", env, "run", tester, "--prompt", "hi", "--model", "m"); status != 1 || !strings.Contains(errs, "not trusted") {
		t.Errorf("run, not trusted: %d, %q", status, errs)
	}
	if _, errs, status = call(t, "", env, "run", reviewer, "--prompt", "hi", "--model", "m", "--approve", "all"); status != 0 {
		t.Errorf("run: %d, %q", status, errs)
	}
	if _, errs, status = call(t, "", env, "run", tester, "--prompt", "hi", "--model", "m", "--approve", "all", "--trust"); status != 0 {
		t.Errorf("run, trusted: %d, %q", status, errs)
	}
	all := server.Requests()
	if tools := all[0].Tools; !slices.Contains(tools, "read_file") || slices.Contains(tools, "write_file") || slices.Contains(tools, "shell") || slices.Contains(tools, "ask_user") {
		t.Errorf("a reviewer is offered %q", tools)
	}
	if !slices.Equal(all[1].Tools, []string{"read_file", "compact_chat_history"}) {
		t.Errorf("a tester is offered %q", all[1].Tools)
	}
}
