package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// The tests of this file and of others show what seed 004 says of a history that lasts
// (SPEC 11.1-11.3):
//
//	loads from the file, also by force          documents: TestANotebookIsLoadedAgainOnRequest
//	reloads at the start of each iteration      TestEachStepLooksAtTheDisk, documents: TestALookAtTheDiskTakesInWhatWasAppended
//	a contradiction asks                        documents: TestALookAtTheDiskAsksAboutAContradiction
//	saves after each operation that matters     documents: TestASaveTakesInWhatWasAppended; TestKilledWhileAConflictWaits
//	is_internal on what the program asks        TestWhatTheProgramAsksIsInternalAndStaysInTheConversation, notebook: TestAMessageOfTheProgramBelongsToItsAnswer
//	"agent" on what an assistant says           TestEveryMessageOfAnAssistantNamesItsAgent
//	the one that is called sees the caller's    TestTheOneThatIsCalledSeesTheCallersConversation
//	several agents, several processes           TestAnAgentRunsInAnotherProcess, TestTwoProgramsTypeIntoOneNotebook

// Seed 004: "force a reload of the history at the start of each iteration, so that the
// latest messages are there". What another process appends while the agent works is in
// the notebook at its next step, and nothing asks.
func TestEachStepLooksAtTheDisk(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool write_file {\"uri\":\"a.txt\",\"content\":\"x\"}\nanswer\ntext done")
	path := d.create("A")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	nb, err := notebook.Parse([]byte(d.onDisk(path)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: "from elsewhere"}}); err != nil {
		t.Fatal(err)
	}
	d.saveElsewhere(path, string(nb.Encoded().Bytes()))
	d.resolve(r, approval.Decision{Allow: true})
	d.untilFinished(1)
	v, err := d.Notebook(path)
	if err != nil || v.Conflict || len(v.Cells) != 2 || v.Cells[1].Body.Text != "from elsewhere" {
		t.Fatalf("got %+v, %v", v, err)
	}
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk(path); !strings.Contains(got, "from elsewhere") || !strings.Contains(got, `"done"`) {
		t.Errorf("the file has %s", got)
	}
}

// Seed 004: {"role": "assistant", "content": "...", "agent": "agent_name"}.
func TestEveryMessageOfAnAssistantNamesItsAgent(t *testing.T) {
	t.Parallel()
	d := open(t, "", strings.Repeat("answer\ntext One.\ntool ls {\"uri\":\".\"}\nanswer\ntext Two.\n", 2))
	d.put(".mutsumi/agents/lead.md", "---\ntools: [ls]\n---\n")
	for kind, path := range map[string]string{"chat": d.create("A"), "lead": d.of("lead", "B")} {
		d.run(path, d.prompt(path, "go"), runner.RunCell)
		d.untilFinished(1)
		if err := d.Saved(path); err != nil {
			t.Fatal(err)
		}
		text := d.onDisk(path)
		if got, want := strings.Count(text, `"agent": "`+kind+`"`), strings.Count(text, `"role": "assistant"`); got != want || got == 0 {
			t.Errorf("%d of %d messages name %s: %s", got, want, kind, text)
		}
	}
}

// Seed 004: "the agent that is called can read the history of the one that calls it".
func TestTheOneThatIsCalledSeesTheCallersConversation(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer when \"find the word\"\ntext I look.\n"+callOf("Knower", "What is the word?", `,"history":"caller"`)+
		"answer when \"What is the word?\"\ntext It is PLUM.\n"+
		"answer when \"It is PLUM\"\ntext Found PLUM.")
	paths := d.family("Parent", "Knower")
	d.prompt(paths[1], "OWN-PROMPT")
	cell := d.prompt(paths[0], "find the word")
	d.run(paths[0], cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(paths[0], cell); !strings.HasSuffix(got, "tool: It is PLUM.\nassistant: Found PLUM.") {
		t.Fatalf("got %q", got)
	}
	body := string(requestWith(t, d.server.Requests(), "What is the word?").Body)
	if !strings.Contains(body, "find the word") || !strings.Contains(body, "I look.") || strings.Contains(body, "OWN-PROMPT") {
		t.Errorf("sent %s", body)
	}
}

// Seed 004: "mark an internal message with is_internal: true; such messages are usually
// not shown to the person". What the program asks a model by itself is in the file, in
// the answer that it belongs to, and the next request begins with the bytes of the one
// that held it.
func TestWhatTheProgramAsksIsInternalAndStaysInTheConversation(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext \"first half, \"\ncut\nanswer\ntext second half\nanswer\ntext next")
	path := d.create("A")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if _, err := d.Continue(path, cell); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	text := d.onDisk(path)
	if strings.Count(text, `"is_internal": true`) != 1 || strings.Count(text, "Your last answer broke off") != 1 {
		t.Fatalf("the file has %s", text)
	}
	nb, err := notebook.Parse([]byte(text))
	if err != nil || nb.Len() != 1 {
		t.Fatalf("%d cells, %v", nb.Len(), err)
	}
	if v := nb.View(0, 1); v.Cells[0].Messages != 3 || !v.Cells[0].Body.Answer[1].Internal || v.Cells[0].Body.Answer[0].Internal {
		t.Errorf("the cell is %+v", v.Cells[0])
	}
	d.run(path, d.prompt(path, "and then"), runner.RunCell)
	d.untilFinished(1)
	all := d.server.Requests()
	continued, next := string(all[1].Body), string(all[2].Body)
	asked := "without repeating anything."
	end := strings.Index(continued, asked) + len(asked)
	if end < len(asked) || common(continued, next) < end || !strings.Contains(next, `"second half"`) {
		t.Errorf("the request that went on was\n%s\nand the next one is\n%s", continued, next)
	}
}

// What the program asked at the end of an answer, and no model heard, is not sent with
// later prompts, and asked once when the person goes on.
func TestWhatTheProgramAskedInVainIsNotSentLater(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext half\ncut\nanswer\nfail 400 no\nanswer\ntext next\nanswer\ntext \" and half\"")
	path := d.create("A")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	again := func() {
		t.Helper()
		if _, err := d.Continue(path, cell); err != nil {
			t.Fatal(err)
		}
		d.untilFinished(1)
	}
	again()
	d.run(path, d.prompt(path, "and then"), runner.RunCell)
	d.untilFinished(1)
	if all := d.server.Requests(); strings.Contains(string(all[len(all)-1].Body), "Your last answer broke off") {
		t.Errorf("sent %s", all[len(all)-1].Body)
	}
	again()
	if got := d.answer(path, cell); got != "assistant: half"+wentOn+"assistant:  and half" {
		t.Errorf("got %q", got)
	}
}
