package workspace_test

import (
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/runner"
)

// overtaken is a folder where a command of the agent "Late" waits for the person, who has seen it;
// meanwhile the agent "Quick" wrote cart.go, which the command writes, and works on. r is the request
// as the person saw it, before it showed that.
func overtaken(t *testing.T, command, after string) (d *desk, r approval.Request) {
	t.Helper()
	d = open(t, "", "answer when \"late\"\ntool shell {\"command\":\""+command+"\"}\n"+after+
		"answer when \"quick\"\n"+editCart+"answer when \"Edited\"\ntext working\nstall\n")
	d.write("cart.go", "one\ntwo\n")
	late, quick := d.create("Late"), d.create("Quick")
	if err := d.AddApprovalRule(quick, approval.Rule{Tool: "edit_file", Pattern: "**", Scope: approval.Agent}); err != nil {
		t.Fatal(err)
	}
	d.run(late, d.prompt(late, "late"), runner.RunCell)
	if r = d.asks(); len(r.Conflicts) != 0 {
		t.Fatalf("got %+v", r.Conflicts)
	}
	d.run(quick, d.prompt(quick, "quick"), runner.RunCell)
	var worksOn, shown bool
	d.until(func(e item) bool {
		worksOn = worksOn || e.Type == "delta" && e.Data["text"] != nil
		shown = shown || e.Type == "approvalsChanged"
		return worksOn && shown
	})
	if now, err := d.Approvals(); err != nil || len(now) != 1 || now[0].ID != r.ID || len(now[0].Conflicts) != 1 {
		t.Fatalf("got %+v, %v", now, err)
	}
	return d, r
}

// asksAgain waits for the next request, which must show the conflict.
func (d *desk) asksAgain(before approval.Request) approval.Request {
	d.t.Helper()
	r := d.asks()
	if r.ID == before.ID || len(r.Conflicts) != 1 || r.Conflicts[0].Agent != "Quick" || r.Conflicts[0].File != "cart.go" || !r.Conflicts[0].Running {
		d.t.Fatalf("got %+v", r)
	}
	if got := d.onDisk("cart.go"); got != "ONE\ntwo\n" {
		d.t.Fatalf("the command ran: %q", got)
	}
	return r
}

// A command that was allowed on a card that did not show another agent's write asks once more, and
// runs when that was seen, although the other agent still works.
func TestACommandAsksAgainAboutAWriteThatItsCardDidNotShow(t *testing.T) {
	t.Parallel()
	d, r := overtaken(t, "rm -f cart.go; echo late > cart.go", "answer when \"late\"\ntext done\n")
	d.resolve(r, approval.Decision{Allow: true, SeenMs: r.SeenMs()})
	again := d.asksAgain(r)
	d.resolve(again, approval.Decision{Allow: true, SeenMs: again.SeenMs()})
	for _, e := range d.until(is("runFinished")) {
		if added, _ := e.Data["added"].([]any); len(added) > 0 {
			t.Errorf("it asked once more: %v", e.Data)
		}
	}
	if got := d.onDisk("cart.go"); got != "late\n" {
		t.Errorf("got %q", got)
	}
}

// A decision for more than once waives only the conflicts that its card showed.
func TestOnlyConflictsThatWereShownAreWaived(t *testing.T) {
	t.Parallel()
	d, r := overtaken(t, "echo late > cart.go", "answer when \"late\"\ntool shell {\"command\":\"echo later > cart.go\"}\nanswer when \"late\"\ntext done\n")
	decision := approval.Decision{Allow: true, Scope: approval.Agent, Patterns: []string{"echo *", "> cart.go"}, SeenMs: r.SeenMs()}
	d.resolve(r, decision)
	again := d.asksAgain(r)
	decision.Patterns, decision.SeenMs = nil, again.SeenMs()
	d.resolve(again, decision)
	for _, e := range d.until(is("runFinished")) { // the second command does not ask
		if added, _ := e.Data["added"].([]any); len(added) > 0 {
			t.Errorf("it asked once more: %v", e.Data)
		}
	}
	if got := d.onDisk("cart.go"); got != "later\n" {
		t.Errorf("got %q", got)
	}
}
