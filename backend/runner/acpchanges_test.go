package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
)

// write writes a file of the folder, as the person does in an editor.
func (a *answeredByAgent) write(name, text string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.folder, name), []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// commit makes the folder a repository with its present files.
func (a *answeredByAgent) commit() {
	a.t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = a.folder
		if out, err := cmd.CombinedOutput(); err != nil {
			a.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// known are lines of a script: when they are done, the program has read all that came before.
func (a *answeredByAgent) known() string {
	return "request fs/read_text_file " + jsonOf(map[string]any{"path": filepath.Join(a.folder, "a.txt")}) + "\n"
}

// edits are lines of a script: the agent announces that a call edits a.txt.
func (a *answeredByAgent) edits(call string) string {
	path := filepath.Join(a.folder, "a.txt")
	return "update " + jsonOf(map[string]any{
		"sessionUpdate": "tool_call", "toolCallId": call, "kind": "edit", "title": "Edit a.txt", "status": "in_progress", "locations": []any{map[string]any{"path": path}},
	}) + "\n" + a.known()
}

// waits are lines of a script: the agent waits for the person.
const waits = "call wait other Wait\nask wait\ndone wait waited\n"

// restores returns what the plan says about a.txt, and restores the files without a choice for any.
func (a *answeredByAgent) restores() checkpoint.Restore {
	a.t.Helper()
	plan, err := a.RestorePlan(a.path, a.cell)
	if err != nil || len(plan.Files) != 1 || filepath.Base(plan.Files[0].Path) != "a.txt" {
		a.t.Fatalf("the plan is %+v, %v", plan, err)
	}
	if _, err := a.Restore(a.path, a.cell, plan.Token, nil, false); err != nil {
		a.t.Fatal(err)
	}
	return plan.Files[0]
}

// What the person saves after a call of the agent has ended is not taken for the agent's, although
// the turn still runs.
func TestThePersonSavesWhatAnAgentChanged(t *testing.T) {
	for _, c := range []struct {
		name, end  string
		repository bool
	}{{"completed", "done", false}, {"failed", "failed", false}, {"in a repository", "done", true}} {
		t.Run(c.name, func(t *testing.T) {
			a := withAgent(t)
			a.write("a.txt", "one\n")
			if c.repository {
				a.commit()
			}
			a.begin(a.edits("c1") + "write a.txt two\\n\n" + c.end + " c1 changed\n" + waits + "say end")
			r := a.asked()
			a.write("a.txt", "two\nmine\n")
			a.decide(r.ID, approval.Decision{Allow: true, Scope: approval.Once})
			a.said()
			// In a repository it was found after the turn: who wrote it is in doubt.
			if f := a.restores(); f.Conflict == c.repository || f.Uncertain != c.repository {
				t.Errorf("the plan is %+v", f)
			}
			if got := a.file("a.txt"); got != "two\nmine\n" {
				t.Errorf("the file holds %q", got)
			}
		})
	}
}

// A later edit in the same turn is kept as well: what the person wrote before it shows.
func TestAnAgentEditsAgainAfterThePerson(t *testing.T) {
	a := withAgent(t)
	a.write("a.txt", "one\n")
	a.begin(a.edits("c1") + "write a.txt two\\n\ndone c1 changed\n" + waits + a.edits("c2") + "write a.txt three\\n\ndone c2 changed\nsay end")
	r := a.asked()
	a.write("a.txt", "mine\n")
	a.decide(r.ID, approval.Decision{Allow: true, Scope: approval.Once})
	a.said()
	if changes, err := a.Changes(a.path); err != nil || len(changes) != 1 || !changes[0].Mixed {
		t.Errorf("the changes are %+v, %v", changes, err)
	}
	if f := a.restores(); !f.Conflict || !strings.Contains(f.Why, "between two changes") || a.file("a.txt") != "three\n" {
		t.Errorf("the plan is %+v, the file holds %q", f, a.file("a.txt"))
	}
}

// What an agent wrote during its calls is its own: where they overlap, where one never ends, and
// where the turn is stopped.
func TestWhatAnAgentChangedIsItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		script func(a *answeredByAgent) string
		stop   bool
	}{
		"two calls at once": {func(a *answeredByAgent) string {
			return a.edits("c1") + a.edits("c2") + "write a.txt two\\n\ndone c1 changed\n" + a.known() + "write a.txt three\\n\ndone c2 changed\nsay end"
		}, false},
		"one after the other": {func(a *answeredByAgent) string {
			return a.edits("c1") + "write a.txt two\\n\ndone c1 changed\n" + a.edits("c2") + "write a.txt three\\n\ndone c2 changed\nsay end"
		}, false},
		"a call without an end": {func(a *answeredByAgent) string { return a.edits("c1") + "write a.txt three\\n\nsay end" }, false},
		"a stopped turn": {func(a *answeredByAgent) string {
			return a.edits("c1") + "write a.txt three\\n\n" + waits + "hang"
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := withAgent(t)
			a.write("a.txt", "one\n")
			a.commit()
			a.begin(c.script(a))
			if c.stop {
				a.asked()
				if err := a.Stop(a.path); err != nil {
					t.Fatal(err)
				}
				if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Stopped {
					t.Errorf("the run ended %s", end.Outcome)
				}
			} else {
				a.said()
			}
			if got := a.file("a.txt"); got != "three\n" {
				t.Errorf("the agent left %q", got)
			}
			if f := a.restores(); f.Conflict || f.Uncertain || a.file("a.txt") != "one\n" {
				t.Errorf("the plan is %+v, the file holds %q", f, a.file("a.txt"))
			}
		})
	}
}

// An agent that writes a file only after it said that its call completed leaves a change that the
// person can take back.
func TestAnAgentWritesAfterItsCall(t *testing.T) {
	for name, repository := range map[string]bool{"in a folder": false, "in a repository": true} {
		t.Run(name, func(t *testing.T) {
			a := withAgent(t)
			a.write("a.txt", "one\n")
			if repository {
				a.commit()
			}
			a.ask(a.edits("c1") + "done c1 changed\n" + a.known() + "write a.txt two\\n\nsay end")
			plan, err := a.RestorePlan(a.path, a.cell)
			if err != nil || len(plan.Files) != 1 {
				t.Fatalf("the plan is %+v, %v", plan, err)
			}
			f := plan.Files[0]
			if _, err := a.Restore(a.path, a.cell, plan.Token, map[string]checkpoint.Choice{f.Path: checkpoint.Take}, false); err != nil || a.file("a.txt") != "one\n" {
				t.Errorf("restored %+v: %v, %q", f, err, a.file("a.txt"))
			}
		})
	}
}
