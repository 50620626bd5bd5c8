package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// two is a folder with cart.go and two agents: the first one reads and edits the file and keeps
// working, the second one is about to do the same.
type two struct {
	*desk
	first, second string
}

const editCart = `tool edit_file {"uri":"cart.go","edits":[{"old":"one","new":"ONE"}]}` + "\n"

// twoWriters lets the first agent write and go on streaming. script says what the second one does;
// its prompt is "second".
func twoWriters(t *testing.T, script string) two {
	d := open(t, "", "answer when \"first\"\n"+editCart+"answer when \"Edited\"\ntext working\nstall\n"+script)
	d.write("cart.go", "one\ntwo\n")
	w := two{d, d.create("Rewrite cart"), d.create("Migrate fixtures")}
	for _, path := range []string{w.first, w.second} {
		for _, tool := range []string{"edit_file", "write_file"} {
			if err := d.AddApprovalRule(path, approval.Rule{Tool: tool, Pattern: "**", Scope: approval.Agent}); err != nil {
				t.Fatal(err)
			}
		}
	}
	d.run(w.first, d.prompt(w.first, "first"), runner.RunCell)
	d.until(func(e item) bool { return e.Type == "delta" && e.Data["text"] != nil })
	return w
}

// goOn starts the second agent.
func (w two) goOn() string {
	w.t.Helper()
	cell := w.prompt(w.second, "second")
	w.run(w.second, cell, runner.RunCell)
	return cell
}

// secondEnds waits for the end of the second agent's run; the first may end before it.
func (w two) secondEnds() {
	w.t.Helper()
	w.until(func(e item) bool { return e.Type == "runFinished" && e.Data["path"] == w.second })
}

func (w two) back(held string) approval.Request {
	w.t.Helper()
	w.until(func(e item) bool {
		added, _ := e.Data["added"].([]any)
		return e.Type == "approvalsChanged" && len(added) == 1 && added[0].(map[string]any)["held"] == held
	})
	waiting, _ := w.Approvals()
	if len(waiting) != 1 {
		w.t.Fatalf("%d wait", len(waiting))
	}
	return waiting[0]
}

func TestTheSecondWriteOfAFileAsksAlthoughItWasGranted(t *testing.T) {
	t.Parallel()
	w := twoWriters(t, `answer when "second"
tool edit_file {"uri":"cart.go","edits":[{"old":"two","new":"TWO"}]}
answer when "Edited"
tool edit_file {"uri":"cart.go","edits":[{"old":"TWO","new":"THREE"}]}
tool write_file {"uri":"other.go","content":"x"}
answer when "THREE"
text done`)
	w.goOn()
	r := w.asks()
	if len(r.Conflicts) != 1 || r.Conflicts[0].File != "cart.go" || r.Conflicts[0].Path != w.first || r.Conflicts[0].Agent != "Rewrite cart" || !r.Conflicts[0].Running ||
		r.Warnings[0].Kind != approval.RiskConcurrentWrite || !strings.HasPrefix(r.Warnings[0].Text, "“Rewrite cart” wrote cart.go ") || r.Verdict.Outcome != approval.Ask {
		t.Fatalf("got %+v", r)
	}
	if w.onDisk("cart.go") != "ONE\ntwo\n" {
		t.Fatal("it was written before anybody allowed it")
	}
	if err := w.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Agent}); err != nil {
		t.Fatal(err)
	}
	w.untilFinished(1) // neither the second edit of it nor another file asked
	if w.onDisk("cart.go") != "ONE\nTHREE\n" || w.onDisk("other.go") != "x" {
		t.Errorf("got %q", w.onDisk("cart.go"))
	}
	use, err := w.FileUse(w.second)
	if err != nil || len(use) != 2 || use[0].File != "other.go" || len(use[0].Others) != 0 || use[1].File != "cart.go" || !use[1].Wrote || use[1].Read ||
		len(use[1].Others) != 1 || use[1].Others[0].Agent != "Rewrite cart" || !use[1].Others[0].Running {
		t.Errorf("use %+v, %v", use, err)
	}
}

func TestARequestWaitsUntilTheOtherAgentIsDone(t *testing.T) {
	t.Parallel()
	w := twoWriters(t, `answer when "second"
tool read_file {"uri":"cart.go"}
answer
tool edit_file {"uri":"cart.go","edits":[{"old":"two","new":"TWO"}]}
answer when "+zero"
text I look again`)
	w.goOn()
	r := w.asks()
	if err := w.HoldApproval(r.ID); err != nil {
		t.Fatal(err)
	}
	if held := w.back("Rewrite cart"); held.ID != r.ID {
		t.Fatalf("another request: %+v", held)
	}
	for _, n := range w.Nodes() {
		if n.File == w.second && len(n.Marks) != 0 {
			t.Errorf("a request on hold still needs attention: %v", n.Marks)
		}
	}
	w.write("cart.go", "zero\nONE\ntwo\n") // the file changes once more
	if err := w.Stop(w.first); err != nil {
		t.Fatal(err)
	}
	back := w.back("")
	if back.ID != r.ID || back.Renewed == nil || !slices.Contains(back.Changes[0].Lines, approval.Line{Op: " ", Text: "zero"}) || len(back.Conflicts) != 0 && back.Conflicts[0].Running {
		t.Fatalf("back: %+v", back)
	}
	if err := w.HoldApproval(back.ID); !fault.Is(err, fault.Invalid) {
		t.Errorf("held for nobody: %v", err)
	}
	if err := w.ResolveApproval(back.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	w.secondEnds()
	if got := w.onDisk("cart.go"); got != "zero\nONE\nTWO\n" {
		t.Errorf("what was shown and approved was not written: %q", got)
	}
	if err := w.HoldApproval(back.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("holding a request that is gone: %v", err)
	}
}

func TestARequestThatWasPutAsideShowsTheFileAsItIs(t *testing.T) {
	t.Parallel()
	w := twoWriters(t, `answer when "second"
tool edit_file {"uri":"cart.go","edits":[{"old":"two","new":"TWO"}]}
answer
text done`)
	w.goOn()
	r := w.asks()
	if err := w.HoldApproval(r.ID); err != nil {
		t.Fatal(err)
	}
	w.back("Rewrite cart")
	w.write("cart.go", "ONE\nnew\ntwo\n") // this agent has not read it: its edit fits all the same
	if err := w.Stop(w.first); err != nil {
		t.Fatal(err)
	}
	back := w.back("")
	if len(back.Changes) != 1 || !slices.Contains(back.Changes[0].Lines, approval.Line{Op: " ", Text: "new"}) {
		t.Errorf("the preview is the old one: %+v", back.Changes)
	}
	if err := w.ResolveApproval(back.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	w.secondEnds()
	if got := w.onDisk("cart.go"); got != "ONE\nnew\nTWO\n" {
		t.Errorf("got %q", got)
	}
}

func TestAHeldRequestIsDecidedOrStopped(t *testing.T) {
	t.Parallel()
	w := twoWriters(t, `answer when "second"
tool edit_file {"uri":"cart.go","edits":[{"old":"two","new":"TWO"}]}
answer when "TWO"
tool shell {"command":"echo three >> cart.go"}`)
	w.goOn()
	r := w.asks()
	if err := w.HoldApproval(r.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	w.until(func(e item) bool { return e.Type == "approvalsChanged" && e.Data["removed"] == r.ID })
	shell := w.asks() // a redirect is a write
	if shell.Tool != "shell" || len(shell.Conflicts) != 1 || shell.Conflicts[0].File != "cart.go" {
		t.Fatalf("got %+v", shell)
	}
	if err := w.HoldApproval(shell.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.Stop(w.second); err != nil {
		t.Fatal(err)
	}
	w.untilFinished(1)
	if waiting, _ := w.Approvals(); len(waiting) != 0 || w.onDisk("cart.go") != "ONE\nTWO\n" {
		t.Errorf("%d wait, %q", len(waiting), w.onDisk("cart.go"))
	}
}

// The card of a request that is not on hold follows the other agent too.
func TestACardShowsWhenTheOtherAgentIsDone(t *testing.T) {
	t.Parallel()
	w := twoWriters(t, `answer when "second"
tool edit_file {"uri":"cart.go","edits":[{"old":"two","new":"TWO"}]}`)
	w.goOn()
	if r := w.asks(); !r.Conflicts[0].Running {
		t.Fatalf("got %+v", r.Conflicts)
	}
	if err := w.Stop(w.first); err != nil {
		t.Fatal(err)
	}
	if r := w.back(""); len(r.Conflicts) != 1 || r.Conflicts[0].Running || strings.Contains(r.Warnings[0].Text, "at work") {
		t.Errorf("got %+v, %+v", r.Conflicts, r.Warnings)
	}
	if err := w.Stop(w.second); err != nil {
		t.Fatal(err)
	}
}

// Reads and writes before a restart still count after it.
func TestHandsOutliveTheProgram(t *testing.T) {
	t.Parallel()
	w := twoWriters(t, `answer when "second"
tool read_file {"uri":"cart.go"}
answer
text read`)
	w.goOn()
	w.untilFinished(1)
	if err := w.Stop(w.first); err != nil {
		t.Fatal(err)
	}
	w.untilFinished(1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := w.again("answer when \"first again\"\ntool edit_file {\"uri\":\"cart.go\",\"edits\":[{\"old\":\"ONE\",\"new\":\"1\"}]}\nanswer\ntext done\n" +
		"answer when \"second again\"\ntool edit_file {\"uri\":\"cart.go\",\"edits\":[{\"old\":\"two\",\"new\":\"2\"}]}")
	use, err := d.FileUse(w.second)
	if err != nil || len(use) != 1 || use[0].File != "cart.go" || !use[0].Read || use[0].Wrote || len(use[0].Others) != 1 || use[0].Others[0].Running {
		t.Errorf("use %+v, %v", use, err)
	}
	if err := d.AddApprovalRule("", approval.Rule{Tool: "edit_file", Pattern: "**", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	d.run(w.first, d.prompt(w.first, "first again"), runner.RunCell)
	d.untilFinished(1) // it wrote the file itself, so nobody is asked
	d.run(w.second, d.prompt(w.second, "second again"), runner.RunCell)
	r := d.asks() // it read the file before the restart, and another agent wrote it since
	if len(r.Conflicts) != 1 || r.Conflicts[0].Agent != "Rewrite cart" || r.Conflicts[0].Running {
		t.Errorf("got %+v", r)
	}
}

// again opens the folder of a closed desk as the same person's program would.
func (d *desk) again(script string) *desk {
	d.t.Helper()
	store, err := settings.Open(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	next := &desk{t: d.t, folder: d.folder, config: d.config, state: d.state, server: providertest.New(d.t, script)}
	store.SetBuiltIn(next.server.URL, "test-key", []settings.ModelView{{ID: "scripted", Tools: true}})
	next.Workspace, err = workspace.Open(workspace.Options{Folder: d.folder, CacheDir: cacheOf(d.folder), Settings: store, Connect: func(e settings.Endpoint) request.Connection {
		return request.Connection{Model: openai.New(openai.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key})}
	}})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { next.Close() })
	next.since = next.Events().Seq()
	next.Nodes()
	return next
}
