package workspace_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/runner"
	"mutsumi/backend/summaries"
)

// definitions returns the names of the tools whose definitions the last request holds.
func (d *serverDesk) definitions() []string {
	d.t.Helper()
	all := d.server.Requests()
	return all[len(all)-1].Tools
}

// A notebook's switch takes a server or a tool out of its requests, as one undo step; a tool that
// was sent returns to its place. A kind leaves out what its file says.
func TestSwitchesOfServers(t *testing.T) {
	t.Parallel()
	const deleteCall = "tool small__note {\"text\":\"x\"}\n"
	d := openServers(t, saying("Turn off", deleteCall)+saying("small__note cannot be called: the person switched it off", "text Off.")+
		saying("Turn kind", deleteCall)+saying("an agent of this kind is not offered it", "text Not mine.")+"answer always\ntext Fine.", openai.New,
		map[string]string{"small": "told", "other": "told"})
	path := d.create("Switched")
	turn := func(text string) (definitions []string, answer string) {
		t.Helper()
		cell := d.prompt(path, text)
		d.run(path, cell, runner.RunCell)
		d.untilFinished(1)
		return d.definitions(), d.answer(path, cell)
	}
	first, _ := turn("Turn 0.")
	if !slices.Contains(first, "small__note") || !slices.Contains(first, "other__note") {
		t.Fatal(first)
	}
	if err := d.SwitchContext(path, "mcp:small/note", false); err != nil {
		t.Fatal(err)
	}
	if got, answer := turn("Turn off."); slices.Contains(got, "small__note") || !slices.Contains(got, "small__reread") || !strings.HasSuffix(answer, "Off.") {
		t.Error(got, answer)
	}
	if err := d.SwitchContext(path, "mcp:other", false); err != nil {
		t.Fatal(err)
	}
	if got, _ := turn("Turn 1."); slices.Contains(got, "other__note") || slices.Contains(got, "small__note") {
		t.Error(got)
	}
	if raw := d.onDisk(path); !strings.Contains(raw, `"mcp:other"`) {
		t.Error("the notebook does not keep the switch:", raw)
	}
	if err := d.SwitchContext(path, "mcp:small", false); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo(path); err != nil { // undoes exactly that step
		t.Fatal(err)
	}
	if got, _ := turn("Turn undone."); slices.Contains(got, "other__note") || !slices.Contains(got, "small__reread") {
		t.Error(got)
	}
	for _, id := range []string{"mcp:small/note", "mcp:other"} {
		if err := d.SwitchContext(path, id, true); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := turn("Turn 2."); !slices.Equal(got, first) {
		t.Errorf("%q instead of %q", got, first)
	}

	d.put(".mutsumi/agents/careful.md", "---\ntools: [read, mcp, \"-mcp:small/note\"]\n---\n")
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if err := d.SetKind(path, "careful"); err != nil {
		t.Fatal(err)
	}
	if got, answer := turn("Turn kind."); slices.Contains(got, "small__note") || !slices.Contains(got, "small__reread") || !slices.Contains(got, "other__note") || !strings.HasSuffix(answer, "Not mine.") {
		t.Error(got, answer)
	}
}

// noteRevision is the revision that search_tools gives for a server's tool note.
var noteRevision = mcp.Revision(client.Tool{Name: "note", Description: "Keeps a note.", Schema: json.RawMessage(`{"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}`)})

func callNote(server string) string {
	return callFound(server+"__note", noteRevision, `{"text":"x"}`)
}

// For a call through call_tool, the person is asked about the server's tool; what was found
// survives a summary; a rule for the tool counts, a rule for call_tool does not.
func TestADispatchedCallIsAskedAboutAsItself(t *testing.T) {
	t.Parallel()
	d := openServers(t, saying("Turn 1.", `tool search_tools {"query":"keeps note"}`)+saying(`"revision":"`+noteRevision, callNote("late"))+
		saying("Turn 3.", callNote("late"))+"answer always\ntext "+sayings, openai.New, map[string]string{"small": "told"})
	if err := d.AddApprovalRule("", approval.Rule{Tool: "call_tool", Pattern: "*", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	path := d.create("Caller")
	cell := d.prompt(path, "Turn 0.")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	d.manners["late"] = "told"
	d.tell("late", fmt.Sprintf(lowNote, "Keeps"))
	d.setUp()
	cell = d.prompt(path, "Turn 1.")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Tool != "late__note" || r.Action != "calling note of late" || strings.Contains(r.Arguments, "revision") || !strings.Contains(r.Arguments, `"text": "x"`) && !strings.Contains(r.Arguments, `"text":"x"`) {
		t.Fatalf("%+v", r)
	}
	if i := slices.IndexFunc(r.Suggestions, func(s approval.Suggestion) bool { return s.Label == "every call of late__note" }); i < 0 {
		t.Errorf("%+v", r.Suggestions)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Notebook, Patterns: []string{"*"}, Arguments: `{"text":"edited"}`}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.Contains(got, `[The person changed the arguments to {"text":"edited"}]`+"\ndone") {
		t.Errorf("got %.300q", got)
	}
	cell = d.prompt(path, "Turn 2.")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	d.compact(path, summaries.Wanted{})
	cell = d.prompt(path, "Turn 3.")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	all := d.server.Requests()
	if got := d.answer(path, cell); !strings.Contains(got, "tool: done") {
		t.Errorf("after the summary: %.300q", got)
	}
	if body := string(all[len(all)-2].Body); !strings.Contains(body, "## Goal") || strings.Contains(body, `{\"query\":\"keeps note`) || !strings.Contains(body, noteRevision) {
		t.Errorf("what was found did not survive the summary: %.2000s", body[strings.Index(body, `"messages"`):])
	}
}
