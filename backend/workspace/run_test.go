package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

func TestAStopIsQuickAndDropsTheQueue(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext x\nstall")
	path := d.create("Queue")
	cells := []string{d.prompt(path, "one"), d.prompt(path, "two"), d.prompt(path, "three")}
	d.run(path, cells[0], runner.RunAll)
	d.until(is("delta"))
	if _, err := d.Run(path, cells[1], runner.RunCell); !fault.Is(err, fault.Conflict) {
		t.Errorf("a queued cell was queued again: %v", err)
	}
	v, err := d.Notebook(path)
	if err != nil || len(v.Running) != 3 || v.Running[0].Queued || !v.Running[1].Queued {
		t.Errorf("running: %+v, %v", v.Running, err)
	}
	if n := d.Nodes()[0]; n.Status != agenttree.Running || n.StartedMs == 0 {
		t.Errorf("node: %+v", n)
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	ends := d.untilFinished(3)
	for _, e := range ends {
		if e.Data["outcome"] != "stopped" {
			t.Errorf("got %v", e)
		}
	}
	if n := len(d.server.Requests()); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
	if n := d.Nodes()[0]; n.Status != agenttree.Standby || len(n.Marks) != 0 {
		t.Errorf("node: %+v", n)
	}
}

func TestAQueueRunsInOrderAndEachSeesTheAnswersBefore(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext A1\nanswer\ntext A2")
	path := d.create("Order")
	first := d.prompt(path, "P1")
	d.prompt(path, "P2")
	d.run(path, first, runner.RunAll)
	d.untilFinished(2)
	second := d.server.Requests()[1].Messages
	var said []string
	for _, m := range second {
		said = append(said, string(m.Role))
	}
	if strings.Join(said, " ") != "system user assistant user" || second[2].Content.String() != "A1" || !strings.HasPrefix(second[3].Content.String(), "P2") {
		t.Errorf("sent %v: %+v", said, second)
	}
}

func TestAFailureExplainsWhatToDoAndTheTreeShowsIt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nfail 401 Wrong key\nanswer\ntext fine")
	path := d.create("Fails")
	cell := d.prompt(path, "x")
	d.run(path, cell, runner.RunCell)
	end := d.untilFinished(1)[0]
	f, _ := end.Data["fault"].(map[string]any)
	if end.Data["outcome"] != "failed" || f["code"] != fault.CodeKeyRejected || f["message"] == "" {
		t.Errorf("got %v", end)
	}
	if n := d.Nodes()[0]; len(n.Marks) != 1 || n.Marks[0] != agenttree.Failed {
		t.Errorf("node: %+v", n)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if n := d.Nodes()[0]; len(n.Marks) != 0 {
		t.Errorf("node: %+v", n)
	}
}

// wentOn is between the parts of an answer that broke off and was continued.
const wentOn = "\nuser: Your last answer broke off. Go on exactly where it ended, without repeating anything.\n"

func TestABrokenAnswerGoesOn(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext \"first half, \"\ncut\nanswer\ntext second half")
	path := d.create("Breaks")
	cell := d.prompt(path, "x")
	d.run(path, cell, runner.RunCell)
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "broken" {
		t.Errorf("got %v", end)
	}
	if _, err := d.Continue(path, cell); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); got != "assistant: first half, "+wentOn+"assistant: second half" {
		t.Errorf("got %q", got)
	}
}

func TestToolsReadTheRealFolder(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool ls {\"uri\":\".\"}\ntool nothing {}\nanswer\ntext done")
	if err := os.WriteFile(filepath.Join(d.folder, "here.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := d.create("Tools")
	cell := d.prompt(path, "look")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	got := d.answer(path, cell)
	if !strings.Contains(got, "[FILE] here.txt") || !strings.Contains(got, "no tool named") || !strings.HasSuffix(got, "assistant: done") {
		t.Errorf("got %q", got)
	}
}

func TestRunningAgainPutsTheOldAnswerAside(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext old\nanswer\ntext below\nanswer\ntext new")
	path := d.create("Again")
	first, second := d.prompt(path, "P1"), d.prompt(path, "P2")
	d.run(path, first, runner.RunAll)
	d.untilFinished(2)
	d.run(path, first, runner.RunFrom)
	d.untilFinished(1)
	v, err := d.Notebook(path)
	if err != nil || len(v.Cells) != 1 || len(v.State.Branches) == 0 {
		t.Fatalf("%d cells, branches %+v, %v", len(v.Cells), v.State.Branches, err)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditRestore, Branch: v.State.Branches[0].ID}}, ""); err != nil {
		t.Fatal(err)
	}
	if got := d.answer(path, first) + " " + d.answer(path, second); got != "assistant: old assistant: below" {
		t.Errorf("brought back %q", got)
	}
}

func TestManyNotebooksStreamSideBySide(t *testing.T) {
	t.Parallel()
	const agents, words = 8, 200
	d := open(t, "", fmt.Sprintf("answer always\nrepeat %d \"word \"", words))
	cells := map[string]string{}
	for i := range agents {
		path := d.create(fmt.Sprint("Agent ", i))
		cells[path] = d.prompt(path, "go")
	}
	for path, cell := range cells {
		d.run(path, cell, runner.RunCell)
	}
	texts := map[string]string{}
	ended := 0
	d.until(func(e item) bool {
		switch e.Type {
		case "delta":
			text, _ := e.Data["text"].(string)
			texts[e.Data["path"].(string)] += text
		case "runFinished":
			ended++
		}
		return ended == agents
	})
	for path, cell := range cells {
		want := strings.Repeat("word ", words)
		if texts[path] != want || d.answer(path, cell) != "assistant: "+want {
			t.Errorf("%s: %d bytes in events, %d in the notebook", path, len(texts[path]), len(d.answer(path, cell)))
		}
	}
}

func TestAPromptIsSentNowAtTheNextStep(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext working\ntool ls {}\nanswer when \"hurry\"\ntext hurried\nanswer when \"later\"\ntext done later")
	path := d.create("Now")
	first, later, now := d.prompt(path, "start"), d.prompt(path, "later"), d.prompt(path, "hurry")
	d.run(path, first, runner.RunCell)
	d.run(path, later, runner.RunCell)
	d.run(path, now, runner.RunCell)
	if err := d.SendNow(path, now); err != nil {
		t.Fatal(err)
	}
	told := d.until(func(e item) bool { return e.Type == "runQueued" && e.Data["now"] == true })
	if last := told[len(told)-1]; last.Data["cell"] != now {
		t.Errorf("another window gets %v", last)
	}
	if v, err := d.Notebook(path); err != nil || slices.ContainsFunc(v.Running, func(r notebook.RunView) bool { return r.Now != (r.Cell == now && r.Queued) }) {
		t.Errorf("a window that comes now sees %+v, %v", v.Running, err)
	}
	if err := d.SendNow(path, "nowhere"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	ends := d.untilFinished(3)
	for i, want := range []string{first, now, later} {
		if ends[i].Data["cell"] != want || ends[i].Data["outcome"] != "done" {
			t.Errorf("end %d: %v", i, ends[i].Data)
		}
	}
	if got := d.answer(path, first); !strings.HasPrefix(got, "assistant: working") {
		t.Errorf("the first answer: %q", got)
	}
	if a, b := d.answer(path, now), d.answer(path, later); a != "assistant: hurried" || b != "assistant: done later" {
		t.Errorf("got %q and %q", a, b)
	}
	v, err := d.Notebook(path)
	if err != nil || v.Cells[1].ID != now {
		t.Errorf("the cell did not move behind the running one: %v", err)
	}
	if n := len(d.server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestQueuedPromptsCanBeEditedMovedAndRemoved(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext a\nwait edits\nanswer\ntext b\nanswer\ntext c")
	path := d.create("Queue")
	cells := []string{d.prompt(path, "one"), d.prompt(path, "two"), d.prompt(path, "three"), d.prompt(path, "four")}
	d.run(path, cells[0], runner.RunAll)
	if err := d.Unqueue(path, cells[1]); err != nil {
		t.Fatal(err)
	}
	edits := []notebook.Edit{
		{Kind: notebook.EditSetText, Cell: cells[2], Text: "three, edited"},
		{Kind: notebook.EditMove, Cell: cells[3], Before: cells[2]},
	}
	if _, err := d.Edit(path, edits, ""); err != nil {
		t.Fatal(err)
	}
	d.server.Let("edits")
	d.untilFinished(4)
	r := d.server.Requests()
	if len(r) != 3 || !strings.Contains(r[1].Text(), "four") || !strings.Contains(r[2].Text(), "three, edited") {
		t.Errorf("%d requests", len(r))
	}
}

func TestTheTimeOfAnAnswerThatWasContinuedIsAllOfIt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext \"first half, \"\ndelay 300ms\ncut\nanswer\ntext second half")
	path := d.create("Time")
	cell := d.prompt(path, "x")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	again := time.Now()
	if _, err := d.Continue(path, cell); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	longest := time.Since(again).Milliseconds()
	check := func(when string) {
		t.Helper()
		_, cells, err := d.Cells(path, []string{cell})
		if err != nil || len(cells) != 1 || cells[0].Body.Run == nil {
			t.Fatalf("%+v, %v", cells, err)
		}
		run := cells[0].Body.Run
		if run.EarlierMs < 300 || run.TookMs > longest || run.WorkedMs() != run.EarlierMs+run.TookMs {
			t.Errorf("%s: %d ms before and %d ms now", when, run.EarlierMs, run.TookMs)
		}
		if n := d.node(path); n.TimeMs != run.WorkedMs() {
			t.Errorf("%s: the tree says %s", when, time.Duration(n.TimeMs)*time.Millisecond)
		}
	}
	check("in memory")
	d.untilSaved(path)
	if err := d.CloseNotebook(path); err != nil {
		t.Fatal(err)
	}
	check("read again")
}
