package workspace_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// seed004 lists what seed 004 says about a persistent history (SPEC 11.1-11.3), sentence by
// sentence in its order, with the tests that show it.
var seed004 = []struct{ sentence, tests string }{
	{"a message is system, user, assistant with agent, assistant with tool_calls, or tool with tool_call_id, name and content",
		"TestEveryMessageOfAnAssistantNamesItsAgent TestDecodedHistory TestNotebookVectors"},
	{"_load_chat_history: load from the file, or again by force", "TestAPromptIsAnsweredSavedAndThereAgain TestANotebookIsLoadedAgainOnRequest"},
	{"record how many messages were loaded, and what was saved", "TestTheLogRecordsLoadsAndFailedSaves TestTheLogHoldsNoSecret"},
	{"_save_chat_history: a save that fails is recorded with its cause and ends nothing", "TestTheLogRecordsLoadsAndFailedSaves TestSaveOnAFullDisk"},
	{"the manager belongs to an agent and a workspace, as a singleton", "TestANotebookIsRunByOne TestTheLockOfAKilledProcessIsTakenOver TestANotebookAndALinkToItAreOne"},
	{"_initialize_agent_environment: agent, model, folder and tools, system prompt, history, query, save", "TestSystemMessage TestAPromptIsAnsweredSavedAndThereAgain"},
	{"a new history holds the system prompt and the query", "TestSystemMessage TestRunStreamsTheAnswerAndSavesIt"},
	{"compress before the history gets too long; a failure is no failure of the work",
		"TestARequestThatGetsTooLargeIsCompacted TestWithoutASummaryOldResultsAreCut"},
	{"in the loop, replace the history when a compressed one is there", "TestASummaryIsTakenInAtTheNextStep"},
	{"CompressChatHistory lets the model ask for it", "TestAnAgentCompacts"},
	{"is_internal: true marks messages that are usually not shown",
		"TestWhatTheProgramAsksIsInternalAndStaysInTheConversation TestWhatTheProgramAskedInVainIsNotSentLater TestAMessageOfTheProgramBelongsToItsAnswer TestASummaryReplacesItsCells"},
	{"finish_task in the last message: the task is finished, nothing runs again", "TestFinished"},
	{"reload at the start of each iteration, so that the latest messages are there",
		"TestEachStepLooksAtTheDisk TestWhatIsNoPromptToAnswerIsOnlyTakenIn TestNoCommandGivesAnAgentAPrompt TestALookAtTheDiskTakesInWhatWasAppended TestALookAtTheDiskAsksAboutAContradiction"},
	{"tool calls, their results and the instructions of finish_task and ask_user are recorded", "TestToolsReadTheRealFolder TestAQuestion TestRun"},
	{"the manager persists, loads, compresses and shares between agents", "TestTwoWindowsAndTheCommandLineOnOneNotebook TestTwoProgramsTypeIntoOneNotebook TestAnAgentRunsInAnotherProcess"},
	{"an agent called with call_agent can read the history of its caller", "TestTheOneThatIsCalledSeesTheCallersConversation"},
	{"scenario: a new query", "TestAPromptIsAnsweredSavedAndThereAgain"},
	{"scenario: a further query continues the history", "TestRequestsBeginAsTheOnesBefore TestAQueueRunsInOrderAndEachSeesTheAnswersBefore"},
	{"scenario: a summary takes the place of a part of the history, is saved, and the work goes on", "TestARequestThatGetsTooLargeIsCompacted TestServeIsKilledWhileItCompacts"},
	{"save after each operation that matters, so that nothing is lost", "TestKillDuringSave TestKilledWhileAConflictWaits TestASaveTakesInWhatWasAppended TestASaveAfterARunTakesInWhatWasAppended"},
	{"check the state when loading, so that nothing is done twice", "TestKilledRightAfterAnEffect TestServeIsKilledWithTenAgentsAtWork"},
	{"share between agents correctly", "TestALockNamesItsHolder TestALockSurvivesACrashAndIsTakenOver TestOneHasTheLock TestTheLockHoldsWhereTheFileCannotTell"},
	{"errors of the history do not interrupt the work", "TestTheLogRecordsLoadsAndFailedSaves TestALogThatCannotBeWrittenStopsNothing TestWithoutAPlaceThereIsNoLock"},
}

// Each sentence of the seed has a test.
func TestEachSentenceOfSeed004HasATest(t *testing.T) {
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seed004 {
		if s.tests == "" {
			t.Errorf("no test shows: %s", s.sentence)
		}
		for _, name := range strings.Fields(s.tests) {
			if !strings.Contains(all.String(), "\nfunc "+name+"(") {
				t.Errorf("%s: there is no %s", s.sentence, name)
			}
		}
	}
}

// appendElsewhere appends a prompt to a notebook's file as another process does.
func (d *desk) appendElsewhere(path, text string) {
	d.t.Helper()
	if err := d.Saved(path); err != nil {
		d.t.Fatal(err)
	}
	nb, err := notebook.Parse([]byte(d.onDisk(path)))
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: text}}); err != nil {
		d.t.Fatal(err)
	}
	d.saveElsewhere(path, string(nb.Encoded().Bytes()))
}

// Seed 004: "force a reload of the history at the start of each iteration, so that the latest
// messages are there". A prompt that another process appends while the agent works goes to the
// agent at its next step, without a question.
func TestEachStepLooksAtTheDisk(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool write_file {\"uri\":\"a.txt\",\"content\":\"x\"}\n"+
		"answer when \"from elsewhere\"\ntext one\nanswer when \"and another\"\ntext two")
	path := d.create("A")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	d.appendElsewhere(path, "from elsewhere")
	d.appendElsewhere(path, "and another")
	d.resolve(r, approval.Decision{Allow: true})
	d.untilFinished(3)
	v, err := d.Notebook(path)
	if err != nil || v.Conflict || len(v.Cells) != 3 || v.Cells[1].Body.Text != "from elsewhere" || v.Cells[2].Body.Text != "and another" {
		t.Fatalf("got %+v, %v", v, err)
	}
	for i, want := range []string{"one", "two"} {
		if got := d.answer(path, v.Cells[i+1].ID); got != "assistant: "+want {
			t.Errorf("cell %d was answered with %q", i+1, got)
		}
	}
	if got := d.outcome(path, cell); got != notebook.Done {
		t.Errorf("the first prompt ended %s", got)
	}
	all := d.server.Requests()
	if body := string(all[1].Body); len(all) != 3 || !strings.Contains(body, "from elsewhere") || !strings.Contains(body, "a.txt") {
		t.Errorf("%d requests, the second: %s", len(all), body)
	}
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk(path); strings.Count(got, "from elsewhere") != 1 || !strings.Contains(got, `"two"`) {
		t.Errorf("the file has %s", got)
	}
}

// Of the messages that another process appends, only prompts without an answer go to the agent: no
// draft, note, summary, or prompt that was already answered.
func TestWhatIsNoPromptToAnswerIsOnlyTakenIn(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool write_file {\"uri\":\"a.txt\",\"content\":\"x\"}\nanswer\ntext done")
	path := d.create("A")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	text := d.onDisk(path)
	end := strings.LastIndex(text, "\n  ]\n}")
	d.saveElsewhere(path, text[:end]+`,
    {"role": "user", "content": "answered"}, {"role": "assistant", "content": "yes"},
    {"role": "user", "content": "typed", "metadata": {"draft": true}},
    {"role": "user", "content": ""},
    {"role": "system", "content": "a note"}`+text[end:])
	d.resolve(r, approval.Decision{Allow: true})
	d.untilFinished(1)
	v, err := d.Notebook(path)
	if err != nil || v.Conflict || len(v.Cells) != 5 || len(v.Running) != 0 {
		t.Fatalf("got %+v, %v", v, err)
	}
	if n := len(d.server.Requests()); n != 2 || !strings.HasSuffix(d.answer(path, cell), "assistant: done") {
		t.Errorf("%d requests, %s", n, d.answer(path, cell))
	}
}

// An agent's command can write a notebook. What it appends is in the notebook and waits for the
// person: no agent gives a prompt to itself or to another one.
func TestNoCommandGivesAnAgentAPrompt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool shell {\"command\":\"sh append.sh\"}\nanswer\ntext done")
	path := d.create("A")
	// It writes once the program has saved its own changes: both at once would be a conflict.
	d.write("append.sh", fmt.Sprintf("set -e\nfile=%s\nold=\nwhile [ \"$old\" != \"$(cksum $file)\" ]; do old=$(cksum $file); sleep 1; done\ntext=$(sed '$d' $file | sed '$d')\n"+
		`printf '%%s,\n    {"role": "user", "content": "from a command"}\n  ]\n}' "$text" > $file`+"\n", path))
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.resolve(d.asks(), approval.Decision{Allow: true})
	d.untilFinished(1)
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	v, err := d.Notebook(path)
	if err != nil || v.Conflict || len(v.Cells) != 2 || v.Cells[1].Body.Text != "from a command" || v.Cells[1].Messages != 0 || len(v.Running) != 0 {
		t.Fatalf("got %+v, %v", v, err)
	}
	if n := len(d.server.Requests()); n != 2 || !strings.HasSuffix(d.answer(path, cell), "assistant: done") {
		t.Errorf("%d requests, %s", n, d.answer(path, cell))
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

// Seed 004: "mark an internal message with is_internal: true; such messages are usually not shown
// to the person". The program's own request to a model is in the file, in the answer that it
// belongs to, and the next request begins with the bytes of the request that held it.
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

// If the program asked at the end of an answer and no model received it, the message is not sent
// with later prompts, and is asked once when the person continues.
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
