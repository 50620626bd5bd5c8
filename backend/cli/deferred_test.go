package cli_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/provider/providertest"
)

// On the command line the tools of servers are deferred as in the window: `context` shows what
// `run` sends, deferred tools are found and called, and the requests of a later run begin like
// earlier ones. If the tools are not allowed, neither they nor the search tool is offered.
func TestDeferredOnTheCommandLine(t *testing.T) {
	revision := mcp.Revision(client.Tool{Name: "tool0", Description: strings.Repeat("What it does. ", 20), Schema: json.RawMessage(`{"type":"object"}`)})
	dispatch := `tool call_tool {"name":"c__tool0","revision":"` + revision + `","arguments":{}}` + "\n"
	server := providertest.New(t, "models gpt-4o\n"+
		"answer when \"Turn 0.\"\ntool search_tools {\"query\":\"c tool0\"}\nanswer when \"\\\"name\\\":\\\"c__tool0\\\"\"\n"+dispatch+
		"answer when \"done\"\ntext Called.\nanswer when \"Turn 2.\"\n"+dispatch+"answer always\ntext Fine.")
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k", "MUTSUMI_CONFIG=" + t.TempDir(), "MUTSUMI_STATE=" + t.TempDir()}
	folder := t.TempDir()
	all := map[string]any{}
	for name, manner := range map[string]string{"a": "good", "b": "many", "c": "many", "d": "many"} {
		s := mcptest.Server(name, manner)
		all[name] = map[string]any{"command": s.Command, "env": maps.Clone(s.Env)}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, ".mcp.json", string(raw))
	file := write(t, folder, "a.mtm", wireCase{}.notebook(t, folder, 1))
	args := func(command, prompt string, more ...string) []string {
		return append([]string{command, filepath.Join(folder, "a.mtm"), "--prompt", prompt, "--trust"}, more...)
	}
	before := ""
	for i, prompt := range []string{"Turn 0.", "Turn 1."} {
		out, errs, status := call(t, "", env, args("context", prompt, "--json", "--approve", "all")...)
		var shown wireShown
		if err := json.Unmarshal([]byte(out), &shown); err != nil || status != 0 {
			t.Fatalf("status %d, %v, %s", status, err, errs)
		}
		from := len(server.Requests())
		if _, errs, status := call(t, "", env, args("run", prompt, "--approve", "all")...); status != 0 {
			t.Fatalf("status %d, %s", status, errs)
		}
		sent := server.Requests()[from:]
		var compact bytes.Buffer
		if err := json.Compact(&compact, shown.Request); err != nil {
			t.Fatal(err)
		}
		same(t, "context and what the command line sent", compact.Bytes(), sent[0].Body)
		shown.check(t, sent[0].Body)
		for _, r := range sent {
			if !slices.Contains(r.Tools, "search_tools") || !slices.Contains(r.Tools, "call_tool") || !slices.Contains(r.Tools, "a__echo") || slices.Contains(r.Tools, "c__tool0") {
				t.Errorf("a request holds %q", r.Tools)
			}
			head, _, _ := strings.Cut(string(r.Body), "Turn 0.")
			if before == "" {
				before = head
			}
			if head != before {
				t.Error("a request does not begin as the first one")
			}
		}
		if i == 0 && (len(sent) != 3 || !strings.Contains(read(t, file), "Called.")) {
			t.Errorf("%d requests: %s", len(sent), read(t, file))
		}
	}
	from := len(server.Requests())
	if out, errs, status := call(t, "", env, args("run", "Turn 2.")...); status != 0 {
		t.Fatalf("status %d, %s, %s", status, out, errs)
	}
	sent := server.Requests()[from:]
	if got := strings.Join(sent[0].Tools, " "); strings.Contains(got, "__") || strings.Contains(got, "search_tools") || strings.Contains(got, "call_tool") {
		t.Errorf("without leave it is offered %s", got)
	}
	if len(sent) != 2 || !bytes.Contains(sent[1].Body, []byte(`"content":"there is no tool named \"call_tool\"`)) {
		t.Errorf("a call that was not allowed: %d requests, %s", len(sent), sent[len(sent)-1].Body)
	}
}
