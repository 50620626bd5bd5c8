package summaries_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/summaries"
	"mutsumi/backend/waittest"
)

// said is a model's text that makes the conversation long.
const said = "text The cache misses. "

// window makes the model's window small: its trigger is 80 % of it.
func window(tokens int) func(*settings.ModelView) {
	return func(m *settings.ModelView) { m.ContextTokens = tokens }
}

// summaryCells gives the summaries of the notebook, in order.
func (b *bench) summaryCells() (all []notebook.CellView) {
	b.t.Helper()
	v, err := b.Notebook(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range v.Cells {
		if c.Compaction != nil {
			all = append(all, b.head(c.ID))
		}
	}
	return all
}

// requestsFor counts the requests for a summary.
func (b *bench) requestsFor() (n int) {
	for _, r := range b.server.Requests() {
		if strings.Contains(string(r.Body), "You write the summary") {
			n++
		}
	}
	return n
}

// A request that would be too large is made smaller before it is sent, by a summary that was
// prepared in the background; nobody has to do anything.
func TestARequestThatGetsTooLargeIsCompacted(t *testing.T) {
	b := openWith(t, "answer always when \"### Person [\"\ntext \"## Goal\\nShort.\"\nusage 2000 10\nanswer always\n"+said+filler+filler, window(16_000))
	for range 9 {
		b.ask("Why is it slow?")
	}
	all := b.summaryCells()
	if len(all) == 0 || all[0].Compaction.Trigger != "limit" || all[0].Compaction.Model != "scripted" || all[0].Compaction.After >= all[0].Compaction.Before {
		t.Fatalf("%d summaries", len(all))
	}
	if n := b.requestsFor(); n < 1 || n > 3 {
		t.Errorf("%d requests for summaries", n)
	}
	last := b.lastOfRun()
	if !strings.Contains(last, "Short.") || strings.Count(last, "The cache misses.") > 4 {
		t.Errorf("the last request holds %d answers", strings.Count(last, "The cache misses."))
	}
	if k := all[0].Compaction; k.Once <= 0 || k.EachTurn <= 0 || k.TookMs < 0 {
		t.Errorf("the invoice is %+v", k)
	}
}

// A summary takes effect at the next step of a working agent.
func TestASummaryIsTakenInAtTheNextStep(t *testing.T) {
	b := openWith(t, "answer when \"Do it.\"\nwait compacted\ntool ls {\"uri\": \".\"}\nanswer always when \"### Person [\"\ntext \"## Goal\\nShort.\"\nanswer always\n"+said+filler, window(0))
	b.ask("One.")
	b.ask("Two.")
	made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "Do it."}}, "")
	if err != nil {
		t.Fatal(err)
	}
	ends := b.ends()
	if _, err := b.Run(b.path, made.ID, runner.RunCell); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "three requests", func() bool { return len(b.server.Requests()) == 3 })
	if _, err := b.compact(wanted); err != nil {
		t.Fatal(err)
	}
	b.server.Let("compacted")
	if end := ends(); end.Outcome != notebook.Done {
		t.Fatalf("%+v", end)
	}
	last := b.lastOfRun()
	for _, want := range []string{"Short.", "Do it.", `"tool_call_id"`} {
		if !strings.Contains(last, want) {
			t.Errorf("the step after the summary lacks %q", want)
		}
	}
	if strings.Contains(last, "The cache misses.") {
		t.Error("the covered part is still sent")
	}
}

// nothing is the answer of a model that writes an empty summary.
const nothing = "text \"## Goal\\n\\n## Next\""

// nearly makes a conversation whose next request is near the trigger: a summary is prepared, and
// the request is sent as it is.
func nearly(t *testing.T, script string) *bench {
	t.Helper()
	b := openWith(t, script+"\nanswer always\n"+said+filler+filler, window(17_200))
	for range 4 {
		b.ask("Why is it slow?")
	}
	if b.requestsFor() != 0 {
		t.Fatal("a summary was prepared before the request was near the trigger")
	}
	return b
}

// A preparation that failed is not used: if the next request is too large, the summary is asked for
// again.
func TestAFailedPreparationIsNotUsed(t *testing.T) {
	b := nearly(t, "answer when \"Work.\"\ntext Done.\nanswer when \"### Person [\"\n"+nothing+"\nanswer when \"### Person [\"\ntext \"## Goal\\nShort.\"")
	b.ask("Work.")
	waittest.Until(t, "a request for a summary", func() bool { return b.requestsFor() == 1 })
	if n := len(b.summaryCells()); n != 0 {
		t.Fatalf("%d summaries of an empty answer", n)
	}
	b.ask(strings.Repeat(filler, 3))
	if cells, asked := len(b.summaryCells()), b.requestsFor(); cells != 1 || asked != 2 {
		t.Errorf("%d summaries after %d requests for one", cells, asked)
	}
	if last := b.lastOfRun(); !strings.Contains(last, "Short.") || strings.Contains(last, "The cache misses.") {
		t.Error("the request does not have the summary in place of the cells")
	}
}

// A preparation that failed is tried again by the next run, and not at each step of its own.
func TestAFailedPreparationIsTriedAgainByTheNextRun(t *testing.T) {
	steps := strings.Repeat("\nanswer when \"Work.\"\ntool ls {\"uri\": \".\"}", 5)
	b := nearly(t, "answer when \"### Person [\"\n"+nothing+"\nanswer when \"### Person [\"\nstall\nanswer when \"Work.\"\nwait failed\ntool ls {\"uri\": \".\"}"+steps+"\nanswer when \"Work.\"\ntext Done.\nanswer always when \"On.\"\ntext Done.")
	made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "Work."}}, "")
	if err != nil {
		t.Fatal(err)
	}
	ends := b.ends()
	if _, err := b.Run(b.path, made.ID, runner.RunCell); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "a request for a summary", func() bool { return b.requestsFor() == 1 })
	b.server.Let("failed")
	if end := ends(); end.Outcome != notebook.Done {
		t.Fatalf("%+v", end)
	}
	if n := b.requestsFor(); n != 1 {
		t.Errorf("one run asked %d times", n)
	}
	next := time.Now()
	waittest.Until(t, "a second request for a summary", func() bool {
		if b.requestsFor() == 1 && time.Now().After(next) { // the failure may arrive late
			b.ask("On.")
			next = time.Now().Add(time.Second)
		}
		return b.requestsFor() == 2
	})
}

// If the model returns no summary, old results are cut to their beginning and end, each can be read
// in full, and the work continues.
func TestWithoutASummaryOldResultsAreCut(t *testing.T) {
	b := openWith(t, "answer when \"Read it.\"\ntool read_file {\"uri\": \"long.txt\"}\nanswer always when \"### Person [\"\nfail 400 no\nanswer always\n"+said+filler, window(16_000))
	long := strings.Repeat("a line of the file that says nothing new at all\n", 700)
	if err := os.WriteFile(filepath.Join(b.folder, "long.txt"), []byte(long), 0o644); err != nil {
		t.Fatal(err)
	}
	b.ask("Read it.")
	for range 5 {
		b.ask("Go on.")
	}
	if n := len(b.summaryCells()); n != 0 {
		t.Fatalf("%d summaries", n)
	}
	last := b.lastOfRun()
	whole := regexp.MustCompile(`bytes are left out here. The whole is in ([^ ]+result-[0-9a-f]+\.txt)`).FindStringSubmatch(last)
	if whole == nil {
		t.Fatal("no result was cut")
	}
	v, err := b.Notebook(b.path)
	if err != nil {
		t.Fatal(err)
	}
	first := v.Cells[0]
	for _, pin := range []func(on bool) error{
		func(on bool) error { return b.MarkCell(b.path, first.ID, notebook.KeyPinned, on) },
		func(on bool) error { return b.PinResult(b.path, first.ID, first.Body.Answer[1].ToolCallID, on) },
	} {
		if err := pin(true); err != nil {
			t.Fatal(err)
		}
		b.ask("And now?")
		if strings.Contains(b.lastOfRun(), "bytes are left out here") {
			t.Error("the result that is pinned, or its cell, is cut")
		}
		if err := pin(false); err != nil {
			t.Fatal(err)
		}
		b.ask("And now?")
		if !strings.Contains(b.lastOfRun(), "bytes are left out here") {
			t.Error("the result is no longer cut though nothing is pinned")
		}
	}
	text, err := os.ReadFile(whole[1])
	if err != nil || !strings.Contains(string(text), "says nothing new") {
		t.Errorf("the whole: %v", err)
	}
}

// A request whose fixed parts alone are too large is not sent: the error names them, and the model
// is not repeatedly asked for summaries.
func TestAFloorAboveTheLimit(t *testing.T) {
	b := openWith(t, "answer always\n"+said+filler, window(5_000))
	b.ask("One.")
	made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: strings.Repeat("please read all of this carefully ", 1200)}}, "")
	if err != nil {
		t.Fatal(err)
	}
	ends := b.ends()
	if _, err := b.Run(b.path, made.ID, runner.RunCell); err != nil {
		t.Fatal(err)
	}
	end := ends()
	if end.Outcome != notebook.Failed || end.Fault == nil || !strings.Contains(end.Fault.Message, "Could not make the request small enough") || !strings.Contains(end.Fault.Message, "definitions of tools") {
		t.Errorf("%+v", end)
	}
	if n := len(b.server.Requests()); n > 2 {
		t.Errorf("%d requests were sent", n)
	}
}

// A person who turned it off is not charged for summaries.
func TestNothingIsCompactedWhenThePersonWantsToBeAsked(t *testing.T) {
	b := openWith(t, "answer always\n"+said+filler+filler, window(16_000))
	if err := b.ChangePreferences(settings.Preferences{}, settings.Preferences{Compact: settings.CompactAsk}); err != nil {
		t.Fatal(err)
	}
	for range 7 {
		b.ask("Why is it slow?")
	}
	if b.requestsFor() != 0 || len(b.summaryCells()) != 0 {
		t.Error("a summary was made")
	}
}

// A stop while the summary is made ends the run at once and leaves the notebook as
// it was; the next run makes the summary.
func TestAStopInTheMiddle(t *testing.T) {
	b := openWith(t, "answer when \"### Person [\"\nwait never\ntext late\nanswer always when \"### Person [\"\ntext \"## Goal\\nShort.\"\nanswer always\n"+said+filler+filler+filler, window(12_000))
	for len(b.server.Requests()) < 2 {
		b.ask("Why is it slow?")
	}
	var end event.RunFinished
	for range 10 {
		made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "Go on."}}, "")
		if err != nil {
			t.Fatal(err)
		}
		ends := b.ends()
		if _, err := b.Run(b.path, made.ID, runner.RunCell); err != nil {
			t.Fatal(err)
		}
		finished, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for b.requestsFor() == 0 {
				select {
				case <-finished:
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
			time.Sleep(20 * time.Millisecond)
			b.Stop(b.path)
		}()
		end = ends()
		close(finished)
		<-stopped
		if end.Outcome == notebook.Stopped {
			break
		}
	}
	if end.Outcome != notebook.Stopped || len(b.summaryCells()) != 0 {
		t.Fatalf("%+v with %d summaries", end, len(b.summaryCells()))
	}
	b.ask("Again.")
	b.ask("And again.")
	if len(b.summaryCells()) == 0 {
		t.Error("the next runs made no summary")
	}
}

// An agent has its own conversation compacted, and works on in the same cell.
func TestAnAgentCompacts(t *testing.T) {
	b := openWith(t, "answer when \"Do it.\"\ntool compact_chat_history {\"keep\": \"the name evictLoop\"}\nanswer always when \"### Person [\"\ntext \"## Goal\\nShort.\"\nanswer always\n"+said+filler, window(0))
	b.ask("One.")
	b.ask("Two.")
	b.ask("Do it.")
	all := b.summaryCells()
	if len(all) != 1 || all[0].Compaction.Trigger != "model" || len(all[0].Compaction.Covers) != 2 {
		t.Fatalf("%d summaries", len(all))
	}
	last := b.lastOfRun()
	for _, want := range []string{"Short.", "from your next request on", "> One."} {
		if !strings.Contains(last, want) {
			t.Errorf("the next step lacks %q", want)
		}
	}
	if strings.Contains(last, "The cache misses.") {
		t.Error("the covered part is still sent")
	}
	asked := false
	for _, r := range b.server.Requests() {
		asked = asked || strings.Contains(string(r.Body), "The person wants in particular: the name evictLoop")
	}
	if !asked {
		t.Error("the request does not say what to keep")
	}
}

// A summary is made again with other wishes, and takes the place of the first.
func TestAgainWithOtherLimits(t *testing.T) {
	b := openWith(t, "answer always when \"### Person [\"\ntext \"## Goal\\nShort.\"\nanswer always\n"+said+filler, window(0))
	for range 4 {
		b.ask("One.")
	}
	first, err := b.compact(wanted)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.compact(summaries.Wanted{Keep: 1, Note: "figures", Replaces: first, Unused: true})
	if err != nil {
		t.Fatal(err)
	}
	all := b.summaryCells()
	if len(all) != 1 || all[0].ID != second || len(all[0].Compaction.Covers) != 2 || !all[0].Compaction.Off {
		t.Errorf("%+v", all)
	}
	if _, err := b.compact(summaries.Wanted{Keep: -1}); err == nil {
		t.Error("cells below zero were kept")
	}
}

// The person stops a summary that is being made; one at a time is made.
func TestThePersonStopsASummary(t *testing.T) {
	b := openWith(t, "answer when \"### Person [\"\nwait never\ntext late\nanswer always\n"+said+filler, window(0))
	b.ask("One.")
	b.ask("Two.")
	result := make(chan error)
	go func() {
		_, err := b.compact(wanted)
		result <- err
	}()
	waittest.Until(t, "a request for a summary", func() bool { return b.requestsFor() == 1 })
	if err := b.Compact(b.path, wanted); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second one: %v", err)
	}
	if o, err := b.Compaction(b.path); err != nil || !o.Running || len(o.Covers) != 1 || o.Goes.Answers == 0 || o.Now <= 0 {
		t.Errorf("the offer is %+v, %v", o, err)
	}
	if err := b.StopCompaction(b.path); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil || len(b.summaryCells()) != 0 {
		t.Errorf("%v with %d summaries", err, len(b.summaryCells()))
	}
	if o, err := b.Compaction(b.path); err != nil || o.Running {
		t.Errorf("the offer is %+v, %v", o, err)
	}
}
