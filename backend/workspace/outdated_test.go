package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// edits returns an answer that edits a file.
func edits(file, old, fresh string) string {
	return `tool edit_file {"uri":"` + file + `","edits":[{"old":"` + old + `","new":"` + fresh + `"}]}` + "\n"
}

// asking is an agent whose edit of notes.md waits for the person, who has seen it. after is the
// model's answer to the result.
func asking(t *testing.T, before, after string) (d *desk, path, cell string, r approval.Request) {
	t.Helper()
	d = open(t, "", "answer when \"change it\"\n"+before+"answer when \"change it\"\n"+edits("notes.md", "two", "TWO")+after)
	d.write("notes.md", "one\ntwo\nthree\n")
	path = d.create("Notes A")
	cell = d.prompt(path, "change it")
	d.run(path, cell, runner.RunCell)
	return d, path, cell, d.asks()
}

const readNotes = `tool read_file {"uri":"notes.md"}` + "\n"

// renewed waits until the waiting request shows something else that matches.
func (d *desk) renewed(wanted ...func(approval.Request) bool) approval.Request {
	d.t.Helper()
	for {
		d.until(func(e item) bool {
			added, _ := e.Data["added"].([]any)
			return e.Type == "approvalsChanged" && len(added) == 1 && added[0].(map[string]any)["renewed"] != nil
		})
		now := d.asking("Notes A")
		if !slices.ContainsFunc(wanted, func(is func(approval.Request) bool) bool { return !is(now) }) {
			return now
		}
	}
}

// asking returns the waiting request of an agent.
func (d *desk) asking(agent string) approval.Request {
	d.t.Helper()
	waiting, err := d.Approvals()
	at := slices.IndexFunc(waiting, func(r approval.Request) bool { return r.Agent == agent })
	if err != nil || at < 0 {
		d.t.Fatalf("%s does not ask: %+v, %v", agent, waiting, err)
	}
	return waiting[at]
}

func (d *desk) resolve(r approval.Request, decision approval.Decision) {
	d.t.Helper()
	if err := d.ResolveApproval(r.ID, decision); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) running(path string) []notebook.RunView {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return v.Running
}

func shows(r approval.Request, op, text string) bool {
	return len(r.Changes) == 1 && slices.Contains(r.Changes[0].Lines, approval.Line{Op: op, Text: text})
}

// A call that is impossible or already done is answered without a question.
func TestNobodyIsAskedAboutACallThatChangesNothing(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+edits("a.txt", "nowhere", "x")+"answer when \"not in the file\"\n"+
		writeCall("a.txt", "over it")+"answer when \"you have not read it\"\n"+
		edits("gone.txt", "a", "b")+"answer when \"gone.txt\"\n"+
		`tool read_file {"uri":"a.txt"}`+"\nanswer\n"+writeCall("a.txt", "text")+"answer when \"has this content already\"\ntext done")
	d.write("a.txt", "text")
	path := d.create("Writer")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	for _, e := range d.until(is("runFinished")) {
		if e.Type == "approvalsChanged" {
			t.Errorf("it asked: %v", e.Data)
		}
	}
	if d.onDisk("a.txt") != "text" {
		t.Error("it was written")
	}
}

// The model learns of a denial even if the call would fail.
func TestADenialComesBeforeAFailure(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+edits("a.txt", "nowhere", "x")+"answer when \"rejected\"\ntext done")
	d.write("a.txt", "text")
	if err := d.AddApprovalRule("", approval.Rule{Tool: "edit_file", Pattern: "**", Deny: true, Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	path := d.create("Writer")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(path, cell); strings.Contains(got, "not in the file") {
		t.Errorf("got %q", got)
	}
}

// When another agent writes the file, the waiting edit is shown again as it is now and names that
// agent; an approval applies to what was last seen.
func TestAnOutdatedEditIsShownAnew(t *testing.T) {
	t.Parallel()
	d, path, cell, r := asking(t, readNotes, "answer when \"+ONE\"\ntext done\n"+
		"answer when \"other\"\n"+edits("notes.md", "one", "ONE")+"answer when \"Edited\"\ntext done")
	if r.Renewed != nil || r.Fingerprint == "" {
		t.Fatalf("got %+v", r)
	}
	other := d.create("Notes B")
	d.run(other, d.prompt(other, "other"), runner.RunCell)
	d.until(func(e item) bool { return e.Type == "approvalsChanged" && len(e.Data["added"].([]any)) == 1 })
	d.resolve(d.asking("Notes B"), approval.Decision{Allow: true})
	now := d.renewed()
	if now.ID != r.ID || now.Renewed.By != "Notes B" || now.Renewed.File != "notes.md" || !shows(now, " ", "ONE") || now.Fingerprint == r.Fingerprint ||
		len(now.Conflicts) != 1 || now.Conflicts[0].Agent != "Notes B" {
		t.Fatalf("got %+v", now)
	}
	// A second window still shows the old difference.
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Seen: r.Fingerprint}); !fault.Is(err, fault.Conflict) {
		t.Errorf("an unseen change was approved: %v", err)
	}
	d.resolve(now, approval.Decision{Allow: true, Seen: now.Fingerprint})
	d.untilOver(path)
	if got := d.onDisk("notes.md"); got != "ONE\nTWO\nthree\n" {
		t.Errorf("got %q", got)
	}
	if got := d.answer(path, cell); !strings.Contains(got, "The file had changed since you read it") {
		t.Errorf("the model does not get the contents of the file: %q", got)
	}
}

// The file changes at the moment the edit is approved, so nobody has seen the change.
func TestAnEditIsApprovedWhileItsFileChanges(t *testing.T) {
	t.Parallel()
	for _, scope := range []approval.Scope{approval.Once, approval.Always} {
		t.Run(string(scope), func(t *testing.T) {
			d, path, cell, r := asking(t, readNotes, "answer\ntext done")
			d.write("notes.md", "zero\none\ntwo\nthree\n")
			if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: scope, Patterns: []string{"notes.md"}, Seen: r.Fingerprint}); !fault.Is(err, fault.Conflict) {
				t.Fatalf("got %v", err)
			}
			if rules, _ := d.ApprovalRules(""); len(rules) != 0 {
				t.Errorf("rules were made for a call that was not approved: %+v", rules)
			}
			now := d.renewed()
			if now.Renewed.By != "" || now.Renewed.File != "notes.md" || !shows(now, " ", "zero") {
				t.Errorf("got %+v", now)
			}
			d.resolve(now, approval.Decision{Allow: true, Scope: scope, Patterns: []string{"notes.md"}, Seen: now.Fingerprint})
			d.untilOver(path)
			if got := d.onDisk("notes.md"); got != "zero\none\nTWO\nthree\n" {
				t.Errorf("got %q, %s", got, d.answer(path, cell))
			}
		})
	}
}

// An edit that no longer fits goes back to the model, by itself and at the moment of a yes.
func TestAnEditThatDoesNotFitAnyMoreGoesBack(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{false, true} {
		d, path, cell, r := asking(t, readNotes, "answer when \"-two\"\ntext I see")
		d.write("notes.md", "one\n2\nthree\n")
		if approved {
			if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Seen: r.Fingerprint}); !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
				t.Errorf("got %v", err)
			}
		}
		d.untilOver(path)
		if got := d.answer(path, cell); !strings.Contains(got, "changed on disk since you read it") || d.onDisk("notes.md") != "one\n2\nthree\n" {
			t.Errorf("got %q", got)
		}
		if waiting, _ := d.Approvals(); len(waiting) != 0 {
			t.Errorf("it still asks: %+v", waiting)
		}
	}
}

// A complete new content replaces only the version that the agent knew.
func TestAWriteOfAFileThatCameMeanwhileGoesBack(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("new.txt", "mine")+"answer when \"you have not read it\"\ntext I see")
	path := d.create("Writer")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.asks()
	d.write("new.txt", "theirs")
	d.untilOver(path)
	if d.onDisk("new.txt") != "theirs" {
		t.Error("the file was overwritten")
	}
}

// A rejection does not need to read the file, nor does a stop.
func TestAnOutdatedEditIsRejectedOrStopped(t *testing.T) {
	t.Parallel()
	for _, stop := range []bool{false, true} {
		after := "answer when \"not now\"\ntext I see"
		if stop {
			after = ""
		}
		d, path, cell, r := asking(t, readNotes, after)
		d.write("notes.md", "zero\none\ntwo\nthree\n")
		if stop {
			if err := d.Stop(path); err != nil {
				t.Fatal(err)
			}
		} else {
			d.resolve(r, approval.Decision{Reason: "not now", Seen: r.Fingerprint})
		}
		d.untilOver(path)
		if got := d.outcome(path, cell); (got == "stopped") != stop || d.onDisk("notes.md") != "zero\none\ntwo\nthree\n" {
			t.Errorf("stopped %v: %s", stop, got)
		}
		if waiting, _ := d.Approvals(); len(waiting) != 0 {
			t.Errorf("it still asks: %+v", waiting)
		}
	}
}

// The other agent's change is reverted: the difference is what it was, but the person saw another
// one in between.
func TestTheOtherWriteIsTakenBack(t *testing.T) {
	t.Parallel()
	d, path, _, r := asking(t, readNotes, "answer when \"+TWO\"\ntext done\n"+
		"answer when \"other\"\n"+edits("notes.md", "one", "ONE")+"answer when \"Edited\"\ntext done")
	other := d.create("Notes B")
	cell := d.prompt(other, "other")
	d.run(other, cell, runner.RunCell)
	d.until(func(e item) bool { return e.Type == "approvalsChanged" && len(e.Data["added"].([]any)) == 1 })
	d.resolve(d.asking("Notes B"), approval.Decision{Allow: true})
	seen := d.renewed()
	if len(d.running(other)) > 0 {
		d.untilOver(other)
	}
	if _, err := d.Restore(other, cell, d.plan(other, cell).Token, nil, false); err != nil {
		t.Fatal(err)
	}
	// It is also shown again when the other agent's run ends.
	now := d.renewed(func(now approval.Request) bool { return now.Fingerprint == r.Fingerprint })
	if now.Fingerprint != r.Fingerprint || now.Fingerprint == seen.Fingerprint || now.Renewed.By != "" || !shows(now, " ", "one") {
		t.Errorf("got %+v", now)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Seen: seen.Fingerprint}); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	d.resolve(now, approval.Decision{Allow: true, Seen: now.Fingerprint})
	d.untilOver(path)
	if got := d.onDisk("notes.md"); got != "one\nTWO\nthree\n" {
		t.Errorf("got %q", got)
	}
}

// A grant made elsewhere lets a waiting edit through unseen; the edit is not made if the agent no
// longer knows the file's contents.
func TestAGrantDoesNotMakeAnOutdatedEdit(t *testing.T) {
	t.Parallel()
	d, path, cell, _ := asking(t, readNotes, "answer when \"changed on disk\"\ntext I see")
	d.write("notes.md", "zero\none\ntwo\nthree\n")
	if err := d.AddApprovalRule("", approval.Rule{Tool: "edit_file", Pattern: "**", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	if got := d.onDisk("notes.md"); got != "zero\none\ntwo\nthree\n" {
		t.Errorf("%q, %s", got, d.answer(path, cell))
	}
}

// For a child in its own work tree, the question depends on the files there.
func TestAnOutdatedEditInAWorkTree(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", treeFork)+
		`answer when "do it"`+"\n"+edits("notes.md", "two", "TWO")+
		finishing("do it", "done")+saying("PARENT", "text All done."))
	d.write("notes.md", "one\ntwo\n")
	d.commit()
	path, _ := d.fork()
	r := d.asks()
	v, err := d.Worktree(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	d.write("notes.md", "of the folder\n") // which is not the child's file
	if err := os.WriteFile(filepath.Join(v.Folder, "notes.md"), []byte("zero\none\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Seen: r.Fingerprint}); !fault.Is(err, fault.Conflict) {
		t.Fatalf("got %v", err)
	}
	now := d.asking(r.Agent)
	if now.Renewed == nil || !shows(now, " ", "zero") {
		t.Fatalf("got %+v", now)
	}
	d.resolve(now, approval.Decision{Allow: true, Seen: now.Fingerprint})
	d.untilOver(path)
	if b, _ := os.ReadFile(filepath.Join(v.Folder, "notes.md")); string(b) != "zero\none\nTWO\n" {
		t.Errorf("got %q", b)
	}
}

// Edited arguments, too, are approved as they were seen.
func TestAnEditOfAnOutdatedRequest(t *testing.T) {
	t.Parallel()
	d, path, _, r := asking(t, readNotes, "answer\ntext done")
	mine := `{"uri":"notes.md","edits":[{"old":"two","new":"2"}]}`
	seen, err := d.PreviewApproval(r.ID, mine)
	if err != nil || seen.Fingerprint == "" || seen.Fingerprint == r.Fingerprint {
		t.Fatalf("%+v, %v", seen, err)
	}
	d.write("notes.md", "zero\none\ntwo\nthree\n")
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Arguments: mine, Seen: seen.Fingerprint}); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if seen, err = d.PreviewApproval(r.ID, mine); err != nil {
		t.Fatal(err)
	}
	d.resolve(r, approval.Decision{Allow: true, Arguments: mine, Seen: seen.Fingerprint})
	d.untilOver(path)
	if got := d.onDisk("notes.md"); got != "zero\none\n2\nthree\n" {
		t.Errorf("got %q", got)
	}
}
