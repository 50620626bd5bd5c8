package workspace_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// twoSteps is a script whose first answer calls a tool once the test says "go", so that a prompt
// can be sent after it.
const twoSteps = "answer\ntext working\nwait go\ntool ls {}\nusage 1 1\n"

// sendNow runs a first prompt and sends a second one at its next step.
func (d *desk) sendNow(path, text string) (first, now string) {
	d.t.Helper()
	first, now = d.prompt(path, "start"), d.prompt(path, text)
	d.run(path, first, runner.RunCell)
	d.run(path, now, runner.RunCell)
	if err := d.SendNow(path, now); err != nil {
		d.t.Fatal(err)
	}
	d.server.Let("go")
	return first, now
}

func (d *desk) spent(path string) notebook.Spent {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return v.State.Spent
}

// cost returns the cost of a cell's answer.
func (d *desk) cost(path, cell string) string {
	d.t.Helper()
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || len(cells) != 1 || cells[0].Body.Run == nil {
		d.t.Fatalf("%+v, %v", cells, err)
	}
	return cells[0].Body.Run.Cost
}

func TestAPromptSentNowSeesTheCallsBeforeIt(t *testing.T) {
	t.Parallel()
	d := open(t, "", twoSteps+"answer when \"hurry\"\ntext hurried")
	path := d.create("Now")
	first, now := d.sendNow(path, "hurry")
	d.untilFinished(2)
	requests := d.server.Requests()
	var roles []string
	for _, m := range requests[len(requests)-1].Messages {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "system user assistant tool user" {
		t.Errorf("the second request holds %s", got)
	}
	if a, b := d.outcome(path, first), d.outcome(path, now); a != notebook.Done || b != notebook.Done {
		t.Errorf("ended %s and %s", a, b)
	}
	if v := d.preview(path, "", "and now"); v.Request != 3 {
		t.Errorf("the next request is %d: the prompt that was sent now is not recorded", v.Request)
	}
}

func TestWhatWasSpentBeforeAPromptIsSentNowCounts(t *testing.T) {
	t.Parallel()
	d := priced(t, twoSteps+"answer when \"hurry\"\ntext hurried\nwait later\nusage 1 1")
	path := d.create("Now")
	first, now := d.sendNow(path, "hurry")
	d.untilFinished(1)
	d.until(is("delta")) // the second request is running
	if got := d.spent(path); got.Cost != "$2.00" || got.Requests != 1 {
		t.Errorf("spent %+v", got)
	}
	d.server.Let("later")
	d.untilFinished(1)
	if a, b, all := d.cost(path, first), d.cost(path, now), d.spent(path).Cost; a != "$2.00" || b != "$2.00" || all != "$4.00" {
		t.Errorf("%s and %s, in all %s", a, b, all)
	}
}

func TestAPromptSentNowKeepsToTheBudget(t *testing.T) {
	t.Parallel()
	d := priced(t, twoSteps+"answer when \"hurry\"\ntext hurried\nusage 1 1")
	path := d.create("Now")
	if err := d.SetBudget(path, 2); err != nil { // the first request spends it
		t.Fatal(err)
	}
	_, now := d.sendNow(path, "hurry")
	r := d.asks()
	if r.Tool != "budget" || r.Cell != now || len(d.server.Requests()) != 1 {
		t.Errorf("%+v after %d requests", r, len(d.server.Requests()))
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
		t.Errorf("got %v", end)
	}
}

// A raise that the person granted for the work also applies to a prompt that is sent into it.
func TestAGrantedBudgetCountsForAPromptSentNow(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntext spends\nusage 2 2\n"+twoSteps+"answer when \"hurry\"\ntext hurried\nusage 1 1")
	path := d.create("Now")
	if err := d.SetBudget(path, 4); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "spend it"), runner.RunCell)
	d.untilFinished(1)
	d.sendNow(path, "hurry")
	d.allow() // doubles the budget
	d.untilFinished(2)
	if got := d.spent(path).Cost; got != "$8.00" {
		t.Errorf("spent %s", got)
	}
}

func TestAPromptSentNowKeepsItsMacrosAndResults(t *testing.T) {
	t.Parallel()
	d := open(t, "", twoSteps+"answer always\ntext fine")
	d.TrustFolder(true)
	path := d.create("Now")
	d.sendNow(path, "#define FOO bar\nhurry @[ls{\"uri\":\".\"}]")
	d.untilFinished(2)
	if c := d.context(path, "", "and {{FOO}}"); len(c.Macros) != 1 || len(c.Results) != 1 || c.Results[0].Note != "" {
		t.Errorf("macros %+v, results %+v", c.Macros, c.Results)
	}
}

func TestAnApprovalAfterAPromptWasSentNowNamesItsCell(t *testing.T) {
	t.Parallel()
	d := open(t, "", twoSteps+"answer when \"hurry\"\ntool mkdir {\"uri\":\"made\"}\nanswer always\ntext fine")
	path := d.create("Now")
	_, now := d.sendNow(path, "hurry")
	if r := d.asks(); r.Cell != now {
		t.Errorf("the request names another cell: %+v", r)
	}
}

// A prompt that is sent now waits for the step's approval.
func TestAPromptSentNowWaitsForAnApproval(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool mkdir {\"uri\":\"made\"}\nanswer when \"hurry\"\ntext hurried")
	path := d.create("Now")
	first, now := d.prompt(path, "start"), d.prompt(path, "hurry")
	d.run(path, first, runner.RunCell)
	r := d.asks()
	d.run(path, now, runner.RunCell)
	if err := d.SendNow(path, now); err != nil {
		t.Fatal(err)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Reason: "not there"}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(2)
	if a, b := d.answer(path, first), d.answer(path, now); !strings.HasSuffix(a, "not there") || b != "assistant: hurried" {
		t.Errorf("got %q and %q", a, b)
	}
}

func TestAPromptSentNowAmongAgents(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer when \"PARENT\"\n"+forkCall("A: AAA")+
		saying("AAA", "text busy\nwait go\ntool ls {}")+finishing("also this", "both done")+saying("hurry", "text hurried"))
	path, first := d.fork()
	child := d.agentNamed("A", runs)
	d.until(is("delta"))
	also, now := d.prompt(child.File, "also this"), d.prompt(path, "hurry")
	d.run(child.File, also, runner.RunCell)
	d.run(path, now, runner.RunCell)
	for file, cell := range map[string]string{path: now, child.File: also} {
		if err := d.SendNow(file, cell); err != nil {
			t.Fatal(err)
		}
	}
	d.server.Let("go")
	if outcome := d.untilOver(path); outcome != "done" {
		t.Errorf("ended %s", outcome)
	}
	if got := d.answer(path, first); !strings.Contains(got, "1 child: 1 finished.") && !strings.Contains(got, "both done") {
		t.Errorf("the fork got %q", got)
	}
	if got := d.answer(path, now); got != "assistant: hurried" {
		t.Errorf("got %q", got)
	}
	if got := d.started(path, first); len(got) != 1 {
		t.Errorf("the first prompt started %v", got)
	}
}

func TestAStopBeforeAPromptIsSentNow(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext working\nwait go\ntool ls {}")
	path := d.create("Now")
	first, now := d.prompt(path, "start"), d.prompt(path, "hurry")
	d.run(path, first, runner.RunCell)
	d.until(is("delta"))
	d.run(path, now, runner.RunCell)
	if err := d.SendNow(path, now); err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	for _, end := range d.untilFinished(2) {
		if end.Data["outcome"] != "stopped" {
			t.Errorf("got %v", end)
		}
	}
	if v, err := d.Notebook(path); err != nil || len(v.Running) != 0 || len(d.server.Requests()) != 1 {
		t.Errorf("%+v, %d requests, %v", v.Running, len(d.server.Requests()), err)
	}
}

func TestAPromptSentNowIsResumedAfterTheEndOfTheProgram(t *testing.T) {
	t.Parallel()
	d := open(t, "", twoSteps+"answer when \"hurry\"\ntext half\nstall")
	path := d.create("Now")
	first, now := d.sendNow(path, "hurry")
	d.untilFinished(1)
	d.until(is("delta"))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "answer\ntext \" and half\"")
	if _, err := again.Resume(path); err != nil {
		t.Fatal(err)
	}
	again.untilFinished(1)
	if a, b := again.outcome(path, first), again.outcome(path, now); a != notebook.Done || b != notebook.Done {
		t.Errorf("ended %s and %s", a, b)
	}
	if got := again.answer(path, now); got != "assistant: half"+wentOn+"assistant:  and half" {
		t.Errorf("got %q", got)
	}
}

// Closing a tab between two runs loses nothing.
func TestATabClosesWhileAPromptIsSentNow(t *testing.T) {
	t.Parallel()
	d := open(t, "", twoSteps+"answer when \"hurry\"\ntext hurried")
	path := d.create("Now")
	over, closed := make(chan bool), make(chan bool)
	go func() {
		defer close(closed)
		for {
			select {
			case <-over:
				return
			default:
				d.CloseNotebook(path)
			}
		}
	}()
	first, now := d.sendNow(path, "hurry")
	d.untilFinished(2)
	close(over)
	<-closed
	if a, b := d.answer(path, first), d.answer(path, now); !strings.HasPrefix(a, "assistant: working") || b != "assistant: hurried" {
		t.Errorf("got %q and %q", a, b)
	}
	if files, _ := os.ReadDir(d.folder + "/.mutsumi"); slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.Contains(f.Name(), "(") }) {
		t.Errorf("a second document was saved: %v", files)
	}
}

func TestUndoAroundAPromptSentNow(t *testing.T) {
	t.Parallel()
	d := open(t, "", twoSteps+"answer when \"hurry\"\ntext hurried\nwait later")
	path := d.create("Now")
	first, later, now := d.prompt(path, "start"), d.prompt(path, "later"), d.prompt(path, "hurry")
	d.run(path, first, runner.RunCell)
	d.run(path, now, runner.RunCell)
	if err := d.SendNow(path, now); err != nil {
		t.Fatal(err)
	}
	d.server.Let("go")
	d.untilFinished(1)
	d.until(is("delta"))
	if _, err := d.Undo(path); !fault.Is(err, fault.Conflict) {
		t.Errorf("the running answer was undone: %v", err)
	}
	d.server.Let("later")
	d.untilFinished(1)
	for range 2 { // the answer, and the move of its prompt
		if _, err := d.Undo(path); err != nil {
			t.Fatal(err)
		}
	}
	v, err := d.Notebook(path)
	if err != nil || v.Cells[1].ID != later || v.Cells[2].ID != now || v.Cells[2].Messages != 0 {
		t.Errorf("%+v, %v", v.Cells, err)
	}
}

// Unqueuing a prompt between the end of a step and the next run does not end the work: the agent
// goes on until its limit of steps.
func TestSendNowIsTakenBackAtAnyMoment(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always when \"start\"\ntool ls {}\nanswer always when \"hurry\"\ntext hurried")
	settings, err := d.Settings()
	if err != nil {
		t.Fatal(err)
	}
	more := settings.Preferences
	more.StepLimit = 30
	if err := d.ChangePreferences(settings.Preferences, more); err != nil {
		t.Fatal(err)
	}
	path := d.create("Now")
	first, now := d.prompt(path, "start"), d.prompt(path, "hurry")
	d.run(path, first, runner.RunCell)
	for try := 0; ; try++ {
		v, err := d.Notebook(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Running) == 0 {
			break
		}
		if try >= 200 {
			d.until(is("runFinished"))
			continue
		}
		if _, err := d.Run(path, now, runner.RunCell); err != nil {
			continue // it has already begun
		}
		if d.SendNow(path, now) == nil {
			d.Unqueue(path, now)
		}
	}
	_, cells, err := d.Cells(path, []string{now})
	if err != nil {
		t.Fatal(err)
	}
	sent := len(cells[0].Body.Answer) > 0
	if got := d.outcome(path, first); !sent && got != notebook.StepLimit {
		t.Errorf("no prompt was sent, and yet the work ended as %s", got)
	}
}

func TestSendNowStartsAPromptBehindNothing(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: AAA", "B: BBB"))+saying("AAA", "text a\nwait both")+saying("BBB", "text b\nwait both")+saying("PARENT", "text done"))
	limit(t, d, 1)
	path, _ := d.fork()
	waiting := d.agentNamed("B", queued)
	if err := d.SendNow(waiting.File, d.promptOf(waiting.File)); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "delta" && e.Data["path"] == waiting.File })
	d.server.Let("both")
	d.untilOver(path)
}
