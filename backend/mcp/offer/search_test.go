package offer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/tool"
)

const issueSchema = `{"type":"object","properties":{"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string","enum":["bug","idea"]}},"count":{"type":"integer"}},"required":["title"],"additionalProperties":false}`

// calling is a Caller that records the calls.
type calling struct {
	listed
	called []string
}

func (c *calling) CallOffered(_ context.Context, t mcp.Tool, call client.Call) (client.Result, error) {
	c.called = append(c.called, fmt.Sprintf("%s/%s %s %s", t.Server, t.Name, t.Description, call.Args))
	return client.Result{Parts: []client.Part{{Kind: client.Text, Text: "ok"}}}, nil
}

func tracker() *calling {
	c := &calling{}
	for _, server := range []string{"github", "tracker"} {
		c.listed = append(c.listed,
			mcp.Tool{Server: server, Tool: client.Tool{Name: "create_issue", Description: "Opens an issue.\u202e", Schema: json.RawMessage(issueSchema)}},
			mcp.Tool{Server: server, Tool: client.Tool{Name: "listDashboards", Description: "列出看板。", Schema: json.RawMessage(`{"type":"object"}`)}})
	}
	return c
}

func registry(of *Offer) *tool.Registry { return tool.NewRegistry(of.Sent...).Finding(of.Find) }

func run(t *testing.T, r *tool.Registry, name, args string) string {
	t.Helper()
	call, err := r.Prepare(name, args)
	if err != nil {
		return "refused: " + err.Error()
	}
	return call.Tool.Name() + ": " + tool.Run(t.Context(), tool.Env{}, call).Content
}

// revisionOf returns the revision that a search result gives for a tool.
func revisionOf(t *testing.T, text, name string) string {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		var d struct{ Name, Revision string }
		if json.Unmarshal([]byte(line), &d) == nil && d.Name == name {
			return d.Revision
		}
	}
	t.Fatalf("%s was not found in %s", name, text)
	return ""
}

// A deferred tool is found by words and called as itself: the arguments must fit, and the call has
// the name of the server and the tool, not call_tool.
func TestFoundAndCalled(t *testing.T) {
	c := tracker()
	r := registry(offered(c, 0))
	if names := r.All(); len(names) != 2 || names[0].Name() != Search || names[1].Name() != Call || !strings.HasSuffix(names[0].Description(), " Servers: github, tracker.") {
		t.Fatal(names)
	}
	found := run(t, r, Search, `{"query":"open an issue in the tracker"}`)
	lines := strings.Split(found, "\n")
	if !strings.Contains(lines[1], `"name":"tracker__create_issue"`) || strings.Contains(found, "\u202e") || !strings.Contains(found, "<U+202E>") {
		t.Error(found)
	}
	for query, want := range map[string]string{"dashboard": "listDashboards", "看板": "listDashboards", "labels": "create_issue"} {
		if got := run(t, r, Search, `{"query":"`+query+`"}`); !strings.Contains(got, "github__"+want) || strings.Contains(got, map[bool]string{true: "create_issue", false: "listDashboards"}[want == "listDashboards"]) {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := run(t, r, Search, `{"query":"weather"}`); !strings.Contains(got, "None of 4 tools") {
		t.Error(got)
	}
	if got := run(t, r, Search, `{"query":""}`); !strings.Contains(got, "There are 4 tools") || !strings.Contains(got, "\ngithub__create_issue: Opens") {
		t.Error(got)
	}
	revision := revisionOf(t, found, "tracker__create_issue")
	args := func(arguments string) string {
		return fmt.Sprintf(`{"name":"tracker__create_issue","revision":%q,"arguments":%s}`, revision, arguments)
	}
	for arguments, want := range map[string]string{
		`{}`:                                 "`title` is missing",
		`{"title":1}`:                        "`title` must be of the type string, not number",
		`{"title":"a","count":1.5}`:          "`count` must be of the type integer",
		`{"title":"a","labels":["x"]}`:       "`labels[0]` must be one of [\"bug\",\"idea\"]",
		`{"title":"a","labels":"bug"}`:       "`labels` must be of the type array",
		`{"title":"a","body":"b"}`:           "they have no `body`",
		`[1]`:                                "arguments is not an object",
		`"{\"title\":\"a\",\"count\":\"\"}"`: "`count` must be",
	} {
		if got := run(t, r, Call, args(arguments)); !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", arguments, got)
		}
	}
	if len(c.called) > 0 {
		t.Fatal("arguments that do not fit were sent:", c.called)
	}
	for _, arguments := range []string{`{"title":"a","labels":["bug"],"count":2}`, `"{\"title\":\"a\"}"`} {
		if got := run(t, r, Call, args(arguments)); got != "tracker__create_issue: ok" {
			t.Error(got)
		}
	}
	if len(c.called) != 2 || c.called[0] != `tracker/create_issue Opens an issue.`+"\u202e"+` {"title":"a","labels":["bug"],"count":2}` || !strings.HasSuffix(c.called[1], ` {"title":"a"}`) {
		t.Error(c.called)
	}
}

// A definition that changed after it was found is not called; the agent gets the new one.
func TestChangedAfterItWasFound(t *testing.T) {
	c := tracker()
	of := offered(c, 0)
	r := registry(of)
	before := revisionOf(t, run(t, r, Search, `{"query":"issue github"}`), "github__create_issue")
	c.listed[0].Description = "Sends everything away."
	call := func(revision string) string {
		return run(t, r, Call, `{"name":"github__create_issue","revision":"`+revision+`","arguments":{"title":"a"}}`)
	}
	got := call(before)
	if !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, "Sends everything away.") || len(c.called) > 0 {
		t.Fatal(got, c.called)
	}
	if got := call(revisionOf(t, got, "github__create_issue")); got != "github__create_issue: ok" || !strings.Contains(c.called[0], "Sends everything away.") {
		t.Error(got, c.called)
	}
	c.listed[0].Blocked = "it changed since the person allowed it" // a pin
	if got := call(before); !strings.Contains(got, "it changed since the person allowed it") || len(c.called) != 1 {
		t.Error(got, c.called)
	}
	if got := run(t, r, Search, `{"query":"issue"}`); strings.Contains(got, "github__create_issue") {
		t.Error("a tool that is held back was found:", got)
	}
	if got := call(""); !strings.HasPrefix(got, "refused: ") {
		t.Error(got)
	}
}

// The definitions in requests stay the same, byte for byte, whatever happens to the servers. Only
// the person takes one out, and it returns to its place.
func TestTheHeadStays(t *testing.T) {
	c := tracker()
	w := wanted(1 << 20)
	offers := New(c)
	first := offers.Offer(w)
	raw, err := json.Marshal(first.Head)
	if err != nil {
		t.Fatal(err)
	}
	var head Head
	if err := json.Unmarshal(raw, &head); err != nil {
		t.Fatal(err)
	}
	w.Head = &head
	definitions := func(of *Offer) string {
		var b strings.Builder
		for _, t := range of.Sent {
			fmt.Fprintf(&b, "%s %s %s\n", t.Name(), t.Description(), t.Schema())
		}
		return b.String()
	}
	want := definitions(first)
	same := func(what string) *Offer {
		t.Helper()
		of := offers.Offer(w)
		if got := definitions(of); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
		}
		return of
	}
	same("the next turn")
	whole := c.listed
	c.listed = append(listed{{Server: "aaa", Tool: client.Tool{Name: "new", Schema: json.RawMessage(`{"type":"object"}`)}}}, whole...)
	if got := run(t, registry(same("another server")), Search, `{"query":"new"}`); !strings.Contains(got, "aaa__new") {
		t.Error("the tools of a server that was added later are not found:", got)
	}
	c.listed = append(listed{}, whole...)
	c.listed[0].Description = "Closes an issue."
	of := same("another definition")
	if got := run(t, registry(of), "github__create_issue", `{"title":"a"}`); !strings.Contains(got, "its server changed it since this conversation began") || len(c.called) > 0 {
		t.Error(got)
	}
	if got := run(t, registry(of), Search, `{"query":"closes"}`); !strings.Contains(got, "Closes an issue.") {
		t.Error(got)
	}
	c.listed = whole
	if got := run(t, registry(same("the old one again")), "github__create_issue", `{"title":"a"}`); got != "github__create_issue: ok" {
		t.Error(got)
	}
	// A server that does not run lists no tools, but stays configured.
	offers.servers = quiet{c}
	if got := run(t, registry(same("no server runs")), "github__create_issue", `{"title":"a"}`); got != "github__create_issue: ok" {
		t.Error("it is not started for the call:", got)
	}
	offers.servers = c

	w.Off = func(server, tool string) bool {
		return server == "github" && tool == "" || server == "tracker" && tool == "create_issue"
	}
	of = offers.Offer(w)
	if got := definitions(of); strings.Contains(got, "github__") || strings.Contains(got, "tracker__create_issue") || !strings.Contains(got, "tracker__listDashboards") {
		t.Error(got)
	}
	for _, name := range []string{"github__create_issue", "tracker__create_issue"} {
		if got := run(t, registry(of), Call, `{"name":"`+name+`","revision":"","arguments":{}}`); !strings.Contains(got, "switched it off") {
			t.Error(got)
		}
	}
	w.Off = func(string, string) bool { return false }
	same("switched on again")
	c.listed = whole[2:] // github is no longer configured
	if got := definitions(offers.Offer(w)); strings.Contains(got, "github__") {
		t.Error(got)
	}
	c.listed = whole
	w.Model = "another"
	c.listed = append(listed{}, whole...)
	c.listed[0].Description = "Closes an issue."
	if got := definitions(offers.Offer(w)); !strings.Contains(got, "Closes an issue.") {
		t.Error("another model reads everything again, so it should get the current tools:", got)
	}
}

// quiet is a Caller whose servers do not run.
type quiet struct{ *calling }

func (quiet) Known() []mcp.Tool { return nil }

// Tools are sent by whole servers while they fit, the smallest server first.
func TestTheShare(t *testing.T) {
	c := &calling{}
	for server, n := range map[string]int{"a": 30, "b": 2, "c": 5} {
		for i := range n {
			c.listed = append(c.listed, mcp.Tool{Server: server, Tool: client.Tool{Name: fmt.Sprintf("t%02d", i), Description: strings.Repeat("x", 100), Schema: json.RawMessage(`{"type":"object"}`)}})
		}
	}
	sent := func(share int) (names []string) {
		for _, k := range offered(c, share).Head.Tools {
			if len(names) == 0 || names[len(names)-1] != k.Server {
				names = append(names, k.Server)
			}
		}
		return names
	}
	one := wanted(0).Count(direct(offered(c, 1<<20))[0])
	for share, want := range map[int]int{0: 0, 2*one + 1: 1, 7*one + 10: 2, 36 * one: 2, 40 * one: 3} {
		if got := sent(share); len(got) != want {
			t.Errorf("%d tokens: %v", share, got)
		}
	}
	rows := offered(c, 3*one).Rows()
	tokens := map[State]int{}
	for _, r := range rows {
		tokens[r.State] += r.Tokens
	}
	if len(rows) != 37 || tokens[IsSent] == 0 || tokens[IsSent] > 3*one || tokens[Deferred] < 30*one {
		t.Error(tokens)
	}
}

// After a summary, the tools found before it are listed again, called ones first, as many as fit.
func TestFoundAgain(t *testing.T) {
	c := tracker()
	of := offered(c, 0)
	call := func(name, args string) chat.ToolCall {
		var out chat.ToolCall
		out.Function.Name, out.Function.Arguments = name, args
		return out
	}
	calls := []chat.ToolCall{call("functions."+Search, `{"query":"opens"}`), call(Call, `{"name":"tracker__listDashboards","revision":"x","arguments":{}}`), call("ls", `{}`)}
	size := func(s string) int { return len(s) }
	got := of.Again(calls, 1<<20, size)
	if !strings.Contains(got, "github__create_issue") || !strings.Contains(got, "tracker__listDashboards") || strings.Contains(got, "github__listDashboards") {
		t.Error(got)
	}
	if got := of.Again(calls, 300, size); !strings.HasPrefix(got, `{"name":"tracker__listDashboards"`) || strings.Contains(got, "create_issue") {
		t.Error(got)
	}
	if got := of.Again(calls[2:], 1<<20, size); got != "" {
		t.Error(got)
	}
}

// A schema that refers to itself, fans out or is invalid costs no time and refuses nothing.
func TestHostileSchemas(t *testing.T) {
	var fan strings.Builder
	fan.WriteString(`{"type":"object","$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&fan, `"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	fan.WriteString(`"d60":{}},"$ref":"#/$defs/d0"}`)
	args := `1`
	for range 18 {
		args = `{"a":` + args + `,"b":` + args + `}`
	}
	for schema, args := range map[string]string{
		`{"$ref":"#"}`: `{}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`: `{}`,
		`{"properties":{"a":{"$ref":"#"}}}`: strings.Repeat(`{"a":`, 5000) + `{}` + strings.Repeat(`}`, 5000),
		fan.String():                        args,
		`true`:                              `{}`, `{"type":7,"required":"x","enum":{},"properties":[]}`: `{"x":1}`, `{"$ref":"https://example.com/s"}`: `{}`,
	} {
		if wrong := check(json.RawMessage(schema), json.RawMessage(args)); wrong != "" {
			t.Errorf("%.80s: %s", schema, wrong)
		}
	}
	if wrong := check(json.RawMessage(`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"required":["x"]}}}`), json.RawMessage(`{}`)); wrong != "`x` is missing" {
		t.Error(wrong)
	}
}

// A call through call_tool that its server refuses reads like a call of the tool.
func TestARefusedDispatch(t *testing.T) {
	of := New(refusing{listed{{Server: "s", Tool: client.Tool{Name: "a", Description: "Keeps.", Schema: json.RawMessage(`{"type":"object"}`)}}}, fault.New(fault.Denied, "it changed")}).Offer(wanted(0))
	r := registry(of)
	revision := revisionOf(t, run(t, r, Search, `{"query":"keeps"}`), "s__a")
	if got := run(t, r, Call, `{"name":"s__a","revision":"`+revision+`","arguments":{}}`); !strings.HasPrefix(got, "s__a: s__a was not called: it changed.") {
		t.Error(got)
	}
}
