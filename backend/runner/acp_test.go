package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// A session continues as long as it knows exactly what the notebook holds (SPEC 14.3).
func TestASessionKnowsTheConversation(t *testing.T) {
	a := withAgent(t, "load")
	expect := func(got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect(a.ask("which"), "new, prompt 1")
	first := a.cell
	expect(a.ask("which\necho"), "new, prompt 2")
	a.again() // the session knows more than the notebook before this prompt
	got := a.said()
	expect(got, "new, prompt 1")
	expect(got, "new, prompt 1, mode") // of the first answer, as text
	a.Close()
	a.open()
	expect(a.ask("which"), "load, prompt 1")
	if _, err := a.Edit(a.path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: first, Text: "something else"}}, ""); err != nil {
		t.Fatal(err)
	}
	expect(a.ask("which"), "new, prompt 1")
}

// What an agent asks the program to write is judged, kept for undo, and not asked twice.
func TestWritesOfAnAgent(t *testing.T) {
	a := withAgent(t)
	path := filepath.Join(a.folder, "a.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call := jsonOf(map[string]any{
		"sessionUpdate": "tool_call", "toolCallId": "c1", "kind": "edit", "title": "Edit a.txt", "status": "pending",
		"content": []any{map[string]any{"type": "diff", "path": path, "oldText": "two", "newText": "three"}}, "locations": []any{map[string]any{"path": path}},
	})
	write := "request fs/write_text_file " + jsonOf(map[string]any{"path": path, "content": "one\nthree\n"})
	a.begin("update " + call + "\nask c1\n" + write + "\ndone c1 changed\nsay end")
	r := a.asked()
	if r.Tool != "edit_file" || len(r.Changes) != 1 || r.Changes[0].Added != 1 || r.Changes[0].Removed != 1 || r.Changes[0].Path != "a.txt" || r.Agent == "" {
		t.Errorf("the request is %+v", r)
	}
	if err := a.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Once, Arguments: `{"uri":"b.txt","edits":[]}`}); err == nil {
		t.Error("a call that the agent makes itself could be changed")
	}
	a.decide(r.ID, approval.Decision{Allow: true, Scope: approval.Once})
	a.said()
	if got := a.file("a.txt"); got != "one\nthree\n" {
		t.Errorf("the file holds %q", got)
	}
	plan, err := a.RestorePlan(a.path, a.cell)
	if err != nil || len(plan.Files) != 1 || plan.Files[0].Uncertain {
		t.Fatalf("the plan is %+v, %v", plan, err)
	}
	if _, err := a.Restore(a.path, a.cell, plan.Token, nil, false); err != nil || a.file("a.txt") != "one\ntwo\n" {
		t.Errorf("restored: %v, %q", err, a.file("a.txt"))
	}
	// Another content than the approved one is asked for again, and a rejection reaches the agent.
	a.begin("update " + call + "\nask c1\nrequest fs/write_text_file " + jsonOf(map[string]any{"path": path, "content": "other"}))
	a.decide(a.asked().ID, approval.Decision{Allow: true, Scope: approval.Once})
	second := a.asked()
	if second.Tool != "write_file" {
		t.Errorf("asked about %s", second.Tool)
	}
	a.decide(second.ID, approval.Decision{Scope: approval.Once, Reason: "leave it"})
	if got := a.said(); !strings.Contains(got, "leave it") || a.file("a.txt") != "one\ntwo\n" {
		t.Errorf("%q, the file holds %q", got, a.file("a.txt"))
	}
	// Nothing outside the folder is read or written.
	outside := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(outside, []byte("top secret"), 0o600)
	if got := a.ask("request fs/read_text_file " + jsonOf(map[string]any{"path": outside})); strings.Contains(got, "top secret") {
		t.Errorf("read outside the folder: %q", got)
	}
}

// Commands of an agent are judged by the same rules as those of models, and no rule reaches it.
func TestCommandsOfAnAgent(t *testing.T) {
	a := withAgent(t)
	ask := func(command string) string {
		return "update " + jsonOf(map[string]any{
			"sessionUpdate": "tool_call", "toolCallId": "c1", "kind": "execute", "title": "Run it", "status": "pending", "rawInput": map[string]any{"command": command},
		}) + "\nask c1\ndone c1 done"
	}
	granted := func() string {
		t.Helper()
		a.said()
		for _, m := range a.body().Answer {
			if m.Role == "tool" {
				return m.Text
			}
		}
		return ""
	}
	a.begin(ask("touch made"))
	r := a.asked()
	if r.Tool != "shell" || r.Command == nil || r.Command.Parts[0].Program != "touch" {
		t.Fatalf("the request is %+v", r)
	}
	a.decide(r.ID, approval.Decision{Allow: true, Scope: approval.Notebook, Patterns: []string{"touch *"}})
	granted()
	a.begin(ask("touch other")) // by the rule
	granted()
	if err := a.AddApprovalRule(a.path, approval.Rule{Tool: "shell", Pattern: "rm*", Deny: true, Scope: approval.Notebook}); err != nil {
		t.Fatal(err)
	}
	a.begin(ask("rm made") + "\nsay end") // denied at once
	a.said()
	if pending, _ := a.Approvals(); len(pending) > 0 {
		t.Errorf("%d requests wait", len(pending))
	}
	// A command that the program runs for it: approved once, run once, its output at hand.
	a.begin("run printf 'a%s' b")
	a.decide(a.asked().ID, approval.Decision{Allow: true, Scope: approval.Once})
	a.said()
	if text := fmt.Sprint(a.body().Answer); !strings.Contains(text, "ab") {
		t.Errorf("the answer is %s", text)
	}
}

// Commands that an agent starts at the same time have a terminal each, also one that fails at once,
// and a stop ends them all.
func TestTerminalsOfAnAgent(t *testing.T) {
	a := withAgent(t)
	allow := func(commands ...string) {
		for _, c := range commands {
			if err := a.AddApprovalRule(a.path, approval.Rule{Tool: "shell", Pattern: c, Scope: approval.Notebook}); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitFor := func(mine, other string, code int) string { // neither ends before both run
		return fmt.Sprintf("touch %[1]s.runs\nuntil [ -e %[2]s.runs ]; do sleep 0.01; done\nprintf %[1]s\nexit %[3]d\n", mine, other, code)
	}
	a.write("one.sh", waitFor("one", "two", 1))
	a.write("two.sh", waitFor("two", "one", 0))
	allow("sh one.sh", "sh two.sh", "exit 3", "sleep 1000", "sleep 2000")
	const want = `started
{"exitCode":1,"signal":null} "one"
{"exitCode":0,"signal":null} "two"
{"exitCode":3,"signal":null} ""`
	if got := a.ask(`together ["sh one.sh","sh two.sh","exit 3"]`); got != want {
		t.Errorf("it said %s", got)
	}
	a.begin(`together ["sleep 1000","sleep 2000"]`)
	next[event.Delta](a.agentAtWork)
	if err := a.Stop(a.path); err != nil {
		t.Fatal(err)
	}
	next[event.RunFinished](a.agentAtWork)
	tasks, err := a.Tasks()
	if i := slices.IndexFunc(tasks, func(c event.Task) bool { return c.EndedMs == 0 }); err != nil || len(tasks) != 5 || i >= 0 {
		t.Errorf("the commands are %+v, %v", tasks, err)
	}
}

// A stop, a crash and a folder that is not trusted end a run with what came, and the reason.
func TestEndsOfAnAgent(t *testing.T) {
	a := withAgent(t)
	a.begin("say before\nhang")
	next[event.Delta](a.agentAtWork)
	if err := a.Stop(a.path); err != nil {
		t.Fatal(err)
	}
	if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Stopped || a.body().Answer[0].Text != "before" {
		t.Errorf("stopped: %+v, %+v", end, a.body().Answer)
	}
	a.begin("say before\ncrash no memory left")
	if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Broken || !strings.Contains(end.Fault.Message, "no memory left") || !strings.Contains(end.Fault.Message, "Scripted") {
		t.Errorf("crashed: %+v", end.Fault)
	}
	if got := a.ask("which"); !strings.Contains(got, "new, prompt 1") {
		t.Errorf("after the crash: %q", got)
	}
	a.begin("say before\nhang")
	next[event.Delta](a.agentAtWork)
	if err := a.TrustFolder(false); err != nil { // its process ends
		t.Fatal(err)
	}
	if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Broken {
		t.Errorf("no longer trusted: %+v", end)
	}
	a.begin("say hello")
	if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Failed || !strings.Contains(end.Fault.Message, "not trusted") {
		t.Errorf("without trust: %+v", end)
	}
}

// A kind that offers no tool which changes something lets its agent write nothing.
func TestAKindLimitsAnAgent(t *testing.T) {
	a := withAgent(t)
	a.makeKind("reader", "tools: [read]")
	if err := a.SetKind(a.path, "reader"); err != nil {
		t.Fatal(err)
	}
	got := a.ask("request fs/write_text_file " + jsonOf(map[string]any{"path": filepath.Join(a.folder, "x"), "content": "x"}))
	if pending, _ := a.Approvals(); len(pending) > 0 || !strings.HasPrefix(a.file("x"), "!") {
		t.Errorf("%q, %d requests, the file holds %q", got, len(pending), a.file("x"))
	}
}

// "Send now" ends the turn of an agent at its next result, and the prompt follows in the same
// session.
func TestSendNowToAnAgent(t *testing.T) {
	a := withAgent(t)
	a.begin("call c1 fetch Look it up\nask c1\ndone c1 found\nsay never\nhang")
	r := a.asked()
	if r.Tool != "acp_fetch" || r.Action != "Look it up" {
		t.Errorf("asked about %+v", r)
	}
	made, err := a.Edit(a.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "which"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(a.path, made.ID, runner.RunCell); err != nil {
		t.Fatal(err)
	}
	if err := a.SendNow(a.path, made.ID); err != nil {
		t.Fatal(err)
	}
	a.decide(r.ID, approval.Decision{Allow: true, Scope: approval.Once})
	next[event.RunFinished](a.agentAtWork)
	if answer := a.body().Answer; len(answer) < 2 || answer[1].Text != "found" {
		t.Errorf("the first answer is %+v", answer)
	}
	a.cell = made.ID
	if got := a.said(); !strings.Contains(got, "new, prompt 2") {
		t.Errorf("it said %q", got)
	}
}

// A stop while an agent waits for the person takes the request out of the inbox.
func TestStopWhileAnAgentAsks(t *testing.T) {
	a := withAgent(t)
	a.begin("say before\ncall c1 other Do it\nask c1\nhang")
	a.asked()
	if err := a.Stop(a.path); err != nil {
		t.Fatal(err)
	}
	if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Stopped {
		t.Errorf("the run ended %s", end.Outcome)
	}
	if pending, _ := a.Approvals(); len(pending) > 0 {
		t.Errorf("%d requests wait", len(pending))
	}
	if answer := a.body().Answer; len(answer) != 2 || answer[1].Facts == nil || answer[1].Facts.End != "stopped" {
		t.Errorf("the answer is %+v", answer)
	}
}

// A child that an agent answers counts as finished when its turn is done, and its parent continues
// with what it said.
func TestAChildAnsweredByAnAgent(t *testing.T) {
	a := withAgent(t)
	a.isParent("say from the child", "answer when \"from the child\"\ntext heard")
	a.begin("PARENT")
	a.decide(a.asked().ID, approval.Decision{Allow: true})
	for {
		if end := next[event.RunFinished](a.agentAtWork); end.Path == a.path {
			break
		}
	}
	answer := a.body().Answer
	if len(answer) != 3 || !strings.Contains(answer[1].Text, "from the child") || answer[2].Text != "heard" {
		t.Errorf("the answer is %+v", answer)
	}
	finished := func() bool {
		return slices.ContainsFunc(a.Nodes(), func(n agenttree.Node) bool { return n.Name == "Child" && n.Status == agenttree.Finished })
	}
	for !finished() {
		next[event.TreeChanged](a.agentAtWork)
	}
}

// What a child costs that an agent answers counts in its parent's budget, which ends the child's turn.
func TestABudgetOfTheParentOfAnAgent(t *testing.T) {
	a := withAgent(t)
	a.isParent("call c1 execute make\n"+spend("3")+"done c1 made\nhang", "")
	if err := a.SetBudget(a.path, 2); err != nil {
		t.Fatal(err)
	}
	a.begin("PARENT")
	a.decide(a.asked().ID, approval.Decision{Allow: true})
	end := next[event.RunFinished](a.agentAtWork)
	if end.Path == a.path || end.Outcome != notebook.Stopped || end.Fault == nil || !strings.Contains(end.Fault.Message, "budget is spent") {
		t.Errorf("the run of %s ended %s: %v", end.Path, end.Outcome, end.Fault)
	}
	if r := a.asked(); r.Tool != "budget" || r.Path != a.path {
		t.Errorf("the request is %+v", r)
	}
}

// A budget that is spent during a turn ends it after the next result. Once it is raised, the agent
// continues in its session.
func TestABudgetSpentInATurn(t *testing.T) {
	a := withAgent(t)
	if err := a.SetBudget(a.path, 2); err != nil {
		t.Fatal(err)
	}
	if got := a.ask("call c0 execute make\n" + spend("1.5") + "done c0 made\nsay within"); got != "\nwithin" {
		t.Errorf("it said %q", got)
	}
	a.begin("call c1 execute make\n" + spend("3") + "done c1 made\nhang")
	end := next[event.RunFinished](a.agentAtWork)
	if end.Outcome != notebook.Stopped || end.Fault == nil || !strings.Contains(end.Fault.Message, "budget is spent") {
		t.Errorf("the run ended %s: %v", end.Outcome, end.Fault)
	}
	v, err := a.Notebook(a.path)
	if err != nil || v.State.Spent.Cost != "$3.00" || v.State.Spent.Percent != 150 {
		t.Errorf("spent %+v, %v", v.State.Spent, err)
	}
	if answer := a.body().Answer; len(answer) != 2 || answer[1].Text != "made" {
		t.Errorf("the answer is %+v", answer)
	}
	a.begin("which")
	r := a.asked()
	if r.Tool != "budget" {
		t.Errorf("the request is %+v", r)
	}
	a.decide(r.ID, approval.Decision{Allow: true})
	if got := a.said(); !strings.Contains(got, "prompt 3") {
		t.Errorf("it said %q", got)
	}
}

// The end of the program interrupts an agent. "Resume" continues what had come: in the old session
// if the agent said in time that it had stopped, otherwise in a new one.
func TestResumeAnAgent(t *testing.T) {
	a := withAgent(t, "load")
	a.begin("say before\nhang")
	next[event.Delta](a.agentAtWork)
	a.Close()
	a.open()
	if _, err := a.Resume(a.path); err != nil {
		t.Fatal(err)
	}
	next[event.RunFinished](a.agentAtWork)
	if answer := a.body().Answer; len(answer) == 0 || answer[0].Text != "before" {
		t.Errorf("the answer is %+v", answer)
	}
	if got := a.ask("which"); !strings.Contains(got, ", prompt 2,") {
		t.Errorf("it said %q", got)
	}
}

// An agent gets the folder's own rules with the prompt, and none of the program's, which are about
// our tools.
func TestRulesForAnAgent(t *testing.T) {
	a := withAgent(t)
	dir := filepath.Join(a.folder, ".mutsumi", "rules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"AGENTS.md": "guide for all", ".mutsumi/rules/tabs.md": "indent with tabs"} {
		if err := os.WriteFile(filepath.Join(a.folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if got := a.ask("echo"); !strings.Contains(got, "indent with tabs") || strings.Contains(got, "guide for all") {
		t.Errorf("it got %q", got)
	}
}
