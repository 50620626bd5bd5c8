package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

const askCall = `tool ask_user {"question":"Which **colour**?","choices":["red","blue"],"several":true}` + "\n"

// A question waits in the one inbox, no rule answers it, and the model gets the person's words.
func TestAQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext I need to know.\n"+askCall+"answer when \"The person answers: blue\"\ntext Blue it is.")
	if err := d.AddApprovalRule("", approval.Rule{Tool: "ask_user", Pattern: "*", Scope: approval.Always}); err != nil {
		t.Fatal(err)
	}
	path := d.of("reviewer", "Asker") // every kind can ask
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Tool != "ask_user" || r.Path != path || r.Agent != "Asker" || r.Cell != cell || r.CallID == "" || r.Question == nil ||
		r.Question.Text != "Which **colour**?" || !slices.Equal(r.Question.Choices, []string{"red", "blue"}) || !r.Question.Several {
		t.Fatalf("%+v, %+v", r, r.Question)
	}
	if n := d.Nodes()[0]; !slices.Contains(n.Marks, agenttree.NeedsYou) {
		t.Errorf("node %+v", n)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a plain yes: %v", err)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: "blue"}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "tool: The person answers: blue\nassistant: Blue it is.") {
		t.Errorf("got %q", got)
	}
	// The page reads the answer from its own field, even after the file was read again.
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || !slices.ContainsFunc(cells[0].Body.Answer, func(m notebook.MessageView) bool { return m.Facts != nil && m.Facts.Answer == "blue" }) {
		t.Errorf("cells %+v, %v", cells, err)
	}
	if n := d.Nodes()[0]; len(n.Marks) != 0 {
		t.Errorf("node %+v", n)
	}
}

func TestAQuestionIsDeclined(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+askCall+"answer when \"says why: no idea\"\ntext Then red.")
	path := d.create("Asker")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Reason: "no idea"}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
}

// Stop ends the question at once.
func TestStopEndsAQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+askCall)
	path := d.create("Asker")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.asks()
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if waiting, _ := d.Approvals(); len(waiting) != 0 || d.outcome(path, cell) != notebook.Stopped {
		t.Errorf("%d wait, %s", len(waiting), d.outcome(path, cell))
	}
	if got := d.answer(path, cell); !strings.HasSuffix(got, "tool: interrupted by the person") {
		t.Errorf("got %q", got)
	}
}

// Several questions of one answer wait side by side.
func TestTwoQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ncall 0 a ask_user {\"question\":\"one?\"}\ncall 1 b ask_user {\"question\":\"two?\"}\nanswer\ntext ok")
	path := d.create("Asker")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.asks()
	d.asks()
	waiting, err := d.Approvals()
	if err != nil || len(waiting) != 2 {
		t.Fatalf("%d wait, %v", len(waiting), err)
	}
	for _, r := range waiting {
		if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: "to " + r.Question.Text}); err != nil {
			t.Fatal(err)
		}
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.Contains(got, "tool: The person answers: to one?\ntool: The person answers: to two?") {
		t.Errorf("got %q", got)
	}
}

// If the program ends while a question waits, the call counts as interrupted: the notebook opens
// again, can be sent, and no stale question is asked.
func TestARestartInterruptsAQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+askCall)
	path := d.create("Asker")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.asks()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "answer when \"and now?\"\ntext Here.")
	if waiting, err := again.Approvals(); err != nil || len(waiting) != 0 {
		t.Errorf("%d wait, %v", len(waiting), err)
	}
	next := again.prompt(path, "and now?")
	again.run(path, next, runner.RunCell)
	again.untilFinished(1)
	sent := again.server.Requests()[0].Messages
	i := slices.IndexFunc(sent, func(m message) bool { return m.Role == "tool" })
	if i < 0 || !strings.Contains(sent[i].Content.String(), "interrupted") {
		t.Errorf("sent %+v", sent)
	}
}

// A question or a call of an agent in a prompt asks nobody, neither in a preview nor when it is
// sent.
func TestNoQuestionFromAPrompt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext done")
	path := d.create("A")
	cell := d.prompt(path, `@[ask_user{"question":"?"}] @[call_agent{"agent":"A","question":"?"}] @[self_fork{"children":[{"prompt":"x"}]}]`)
	if _, err := d.Preview(t.Context(), path, cell, ""); err != nil {
		t.Fatal(err)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	messages := d.server.Requests()[0].Messages
	if last := messages[len(messages)-1].Content.String(); strings.Count(last, "cannot stand in a text") != 3 {
		t.Errorf("sent %s", last)
	}
	found, err := d.Complete(path, "tool", "a")
	if err != nil || len(found) == 0 {
		t.Fatalf("%d completions, %v", len(found), err)
	}
	for _, c := range found {
		if c.Label == "ask_user" || c.Label == "call_agent" || c.Label == "self_fork" {
			t.Errorf("%s is offered while typing", c.Label)
		}
	}
}

// A child learns whether it can ask; if nobody is there, it cannot.
func TestAChildAsks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+askCall+"answer\ntool task_finish {\"summary\":\"done\"}")
	path := d.create("Parent")
	child, err := d.Create(catalog.NewNotebook{Name: "Child", ParentID: d.meta(path).UUID})
	if err != nil {
		t.Fatal(err)
	}
	d.run(child, d.prompt(child, "go"), runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true, Answer: "red"}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	first := d.server.Requests()[0]
	if !strings.Contains(first.Messages[0].Content.String(), "ask_user only if you cannot go on") || !slices.Contains(first.Tools, "ask_user") {
		t.Errorf("%s\n%q", first.Messages[0].Content.String(), first.Tools)
	}
}
