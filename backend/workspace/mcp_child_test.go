package workspace_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/runner"
)

// callTool0 calls the tool tool0 of a server of the manner "many", as search_tools describes it.
func callTool0(server string) string {
	revision := mcp.Revision(client.Tool{Name: "tool0", Description: strings.Repeat("What it does. ", 20), Schema: json.RawMessage(`{"type":"object"}`)})
	return callFound(server+"__tool0", revision, "{}")
}

// callFound calls a tool that search_tools found.
func callFound(name, revision, args string) string {
	return `tool call_tool {"name":"` + name + `","revision":"` + revision + `","arguments":` + args + "}\n"
}

// A child's server tools are deferred like its parent's: it finds them, the person is asked about
// the tool that it calls, and its requests keep their beginning. An agent that consults the child
// with call_agent gets none of the tools there, and does not change the child's next request.
func TestDeferredInAChild(t *testing.T) {
	t.Parallel()
	d := openServers(t, saying("PARENT", forkCall("Child: do it"))+
		saying("do it", `tool search_tools {"query":"tool0"}`)+saying(`"name":"big__tool0"`, callTool0("big"))+
		saying("done", `tool task_finish {"summary":"called"}`)+saying("called", callOf("Child", "What did you do?", ""))+
		saying("What did you do?", callTool0("big"))+saying("call_tool", "text I only read.")+
		saying("I only read.", "text All done.")+"answer always\ntext Fine.", openai.New, map[string]string{"big": "many", "small": "told"})
	d.put(".mutsumi/agents/chat.md", "---\nname: chat\ntools: [read, agents, mcp]\nchildren: [chat]\n---\n")
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	path, cell := d.fork()
	r := d.asks()
	if r.Tool != "big__tool0" || r.Agent != "Child" || r.Action != "calling tool0 of big" || strings.Contains(r.Arguments, "revision") {
		t.Fatalf("%+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "tool: I only read.\nassistant: All done.") {
		t.Fatalf("got %q", got)
	}
	child := d.agentNamed("Child", there)
	next := d.prompt(child.File, "Turn 2.")
	d.run(child.File, next, runner.RunCell)
	d.untilFinished(1)

	first, asked := "", 0
	for _, r := range d.server.Requests() {
		body := string(r.Body)
		if strings.Contains(body, "another agent, asks you the question below") {
			asked++
			if slices.ContainsFunc(r.Tools, func(name string) bool {
				return name == "call_tool" || name == "search_tools" || strings.Contains(name, "__")
			}) {
				t.Errorf("the consulted agent is offered %q", r.Tools)
			}
			continue
		}
		if !slices.Contains(r.Tools, "search_tools") || !slices.Contains(r.Tools, "call_tool") || !slices.Contains(r.Tools, "small__note") || slices.Contains(r.Tools, "big__tool0") {
			t.Errorf("a request holds %q", r.Tools)
		}
		if !strings.Contains(body, "do it") || !strings.Contains(body, "child agent") {
			continue
		}
		if first == "" {
			first = body[:strings.Index(body, "do it")+len("do it")]
		}
		if same := common(first, body); same < len(first) {
			t.Errorf("a request of the child keeps only %d of %d bytes: %.300q", same, len(first), body[same:])
		}
	}
	if first == "" || asked != 2 {
		t.Errorf("the child began with %q; it was asked in %d requests", first, asked)
	}
}
