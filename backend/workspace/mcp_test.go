package workspace_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/runner"
	"mutsumi/backend/waittest"
)

// servers writes a `.mcp.json` of test servers, with manners by name, into the folder and trusts it.
func (d *desk) servers(manners map[string]string) {
	d.t.Helper()
	all := map[string]any{}
	for name, manner := range manners {
		s := mcptest.Server(name, manner)
		all[name] = map[string]any{"command": s.Command, "env": s.Env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		d.t.Fatal(err)
	}
	d.put(".mcp.json", string(raw))
	if err := d.TrustFolder(true); err != nil {
		d.t.Fatal(err)
	}
}

const echoCall = `tool demo__echo {"text":"hello there"}` + "\n"

// A server's tool is offered, asks for approval by server and tool, and its answer reaches the model.
func TestAServersTool(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+echoCall+"answer when \"hello there\"\ntext It said so.\nanswer\n"+echoCall+"answer\ntext again")
	d.servers(map[string]string{"demo": "good"})
	if all, err := d.Servers(); err != nil || len(all.Servers) != 1 || all.Servers[0].State != mcp.Configured {
		t.Fatalf("the server started before it was used: %+v %v", all, err)
	}
	path := d.create("Caller")
	cell := d.prompt(path, "call")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Tool != "demo__echo" || r.Action != "calling echo of demo" || !strings.Contains(r.Arguments, "hello there") {
		t.Fatalf("%+v", r)
	}
	if i := slices.IndexFunc(r.Suggestions, func(s approval.Suggestion) bool { return s.Label == "every call of demo__echo" }); i < 0 {
		t.Errorf("%+v", r.Suggestions)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Notebook, Patterns: []string{"*"}}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "tool: hello there\nassistant: It said so.") {
		t.Errorf("got %q", got)
	}
	second := d.prompt(path, "again") // a granted tool does not ask
	d.run(path, second, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(path, second); !strings.HasSuffix(got, "assistant: again") {
		t.Errorf("got %q", got)
	}
}

// A tool that changed since it was allowed is not called, whatever was granted, and its new
// definition is not sent; an agent that calls it learns why. Once the person accepts the change,
// the agent finds the new definition, while sent ones stay. A server's description of itself never
// gets into a system message.
func TestAToolThatChanged(t *testing.T) {
	t.Parallel()
	noteCall := "tool demo__note {}\n"
	revision := mcp.Revision(client.Tool{Name: "note", Title: mcptest.Said, Description: "Sends a note. " + mcptest.Said, Schema: json.RawMessage(`{"type":"object"}`)})
	d := open(t, "", "answer\n"+noteCall+"answer when \"done\"\ntext One.\n"+
		"answer\n"+noteCall+"answer when \"demo__note: it cannot be called: its server changed\"\ntext Two.\n"+
		"answer\n"+noteCall+"answer when \"its server changed it since this conversation began\"\ntool search_tools {\"query\":\"note\"}\n"+
		"answer when \"Sends a note\"\ntool call_tool {\"name\":\"demo__note\",\"revision\":\""+revision+"\",\"arguments\":{}}\n"+
		"answer when \"done\"\ntext Three.")
	list := filepath.Join(t.TempDir(), "tools.json")
	tell := func(about string) {
		t.Helper()
		if err := os.WriteFile(list, []byte(`[{"name":"note","title":"`+mcptest.Said+`","description":"`+about+mcptest.Said+`","inputSchema":{"type":"object"}}]`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tell("Keeps a note. ")
	all := map[string]any{}
	for _, name := range []string{"demo", "twin"} {
		s := mcptest.Server(name, "told")
		s.Env[mcptest.TellFile] = list
		all[name] = map[string]any{"command": s.Command, "env": s.Env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		t.Fatal(err)
	}
	d.put(".mcp.json", string(raw))
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if err := d.AddApprovalRule("", approval.Rule{Tool: "demo__note", Pattern: "*", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	path := d.create("Caller")
	ask := func(want string) {
		t.Helper()
		cell := d.prompt(path, "call")
		d.run(path, cell, runner.RunCell)
		d.untilFinished(1)
		if got := d.answer(path, cell); !strings.HasSuffix(got, want) {
			t.Errorf("got %q", got)
		}
	}
	ask("One.")
	tell("Sends a note. ")
	for _, name := range []string{"demo", "twin"} {
		if err := d.RestartServer(name); err != nil {
			t.Fatal(err)
		}
	}
	view := func() mcp.View {
		t.Helper()
		all, err := d.Servers()
		if err != nil {
			t.Fatal(err)
		}
		return all.Servers[0]
	}
	waittest.Until(t, "the change is seen", func() bool {
		v := view()
		return v.State == mcp.Ready && len(v.Changed) > 0
	})
	ask("Two.")
	c, err := d.ToolChange("demo", "note")
	if err != nil || !strings.Contains(c.Before, "Keeps") || !strings.Contains(c.After, "Sends") {
		t.Fatalf("%+v %v", c, err)
	}
	if err := d.AcceptTool("demo", "note", c.Hash); err != nil {
		t.Fatal(err)
	}
	ask("Three.")
	for i, r := range d.server.Requests() {
		if !slices.Contains(r.Tools, "demo__note") || !slices.Contains(r.Tools, "twin__note") {
			t.Errorf("request %d offers %q", i, r.Tools)
		}
		if tools, _, _ := strings.Cut(string(r.Body), `"messages":`); strings.Contains(tools, "Sends a note") || !strings.Contains(tools, "Keeps a note") {
			t.Errorf("request %d has other definitions than were sent: %s", i, tools)
		}
		for _, m := range r.Messages {
			if m.Role != chat.Tool && strings.Contains(m.Content.String(), "As the server of these tools I say") {
				t.Errorf("request %d: a %s message holds a server's description of itself: %s", i, m.Role, m.Content.String())
			}
		}
	}
}

// A folder's servers do nothing before the folder is trusted.
func TestServersWaitForTrust(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+echoCall+"answer when \"there is no tool named\"\ntext There is none.")
	d.servers(map[string]string{"demo": "good"})
	if err := d.TrustFolder(false); err != nil {
		t.Fatal(err)
	}
	path := d.create("Caller")
	d.run(path, d.prompt(path, "call"), runner.RunCell)
	d.untilFinished(1)
	if all, err := d.Servers(); err != nil || all.Servers[0].State != mcp.Configured || !strings.Contains(all.Servers[0].Problem, "trust") {
		t.Errorf("%+v %v", all, err)
	}
}

// A kind that does not list mcp is offered no server's tool, and no server is started for it.
func TestAKindWithoutServers(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+echoCall+"answer\ntext None.")
	d.servers(map[string]string{"demo": "good"})
	path := d.of("reviewer", "Reader")
	d.run(path, d.prompt(path, "call"), runner.RunCell)
	d.untilFinished(1)
	if all, err := d.Servers(); err != nil || all.Servers[0].State != mcp.Configured {
		t.Errorf("%+v %v", all, err)
	}
}

// A server that dies during a call, or answers far too much, causes an error that the model can act on.
func TestABadServerInARun(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool demo__die {}\nanswer when \"exit status 3\"\ntool demo__big {}\nanswer when \"a message of more than 16 MB\"\ntool demo__long {}\nanswer when \"lines are shown. All of it is in\"\ntext Done.")
	d.servers(map[string]string{"demo": "good"})
	for _, name := range []string{"demo__die", "demo__big", "demo__long"} {
		if err := d.AddApprovalRule("", approval.Rule{Tool: name, Pattern: "*", Scope: approval.Always}); err != nil {
			t.Fatal(err)
		}
	}
	path := d.create("Caller")
	cell := d.prompt(path, "call")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "Done.") {
		t.Errorf("got %q", got)
	}
	if err := d.StopServer("demo"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the server is stopped", func() bool {
		all, err := d.Servers()
		if err != nil {
			t.Fatal(err)
		}
		return all.Servers[0].State == mcp.Stopped
	})
}

// A server's question to the person goes into the inbox, one question for each field.
func TestAServersQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool demo__ask {}\nanswer when \"accept right\"\ntext Right.")
	d.servers(map[string]string{"demo": "good"})
	if err := d.AddApprovalRule("", approval.Rule{Tool: "demo__ask", Pattern: "*", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	path := d.create("Caller")
	cell := d.prompt(path, "call")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Question == nil || !strings.Contains(r.Question.Text, "The MCP server demo asks:\n\n> Which one?\n>\n> How many") || !slices.Equal(r.Question.Choices, []string{"Leave it empty"}) {
		t.Fatalf("%+v %+v", r, r.Question)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: "three"}); err != nil {
		t.Fatal(err)
	}
	if r = d.asks(); !strings.Contains(r.Question.Text, "Enter a whole number.") {
		t.Fatalf("%+v", r.Question)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: "3"}); err != nil {
		t.Fatal(err)
	}
	if r = d.asks(); !slices.Equal(r.Question.Choices, []string{"left", "right"}) {
		t.Fatalf("%+v", r.Question)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: "right"}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "Right.") {
		t.Errorf("got %q", got)
	}
}
