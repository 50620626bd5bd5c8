package workspace_test

import (
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// results returns the tool results in a cell's answer, in order.
func (d *desk) results(path, cell string) (all []notebook.MessageView) {
	d.t.Helper()
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || len(cells) != 1 || cells[0].Body == nil {
		d.t.Fatalf("cell %s: %v", cell, err)
	}
	for _, m := range cells[0].Body.Answer {
		if m.Role == chat.Tool {
			all = append(all, m)
		}
	}
	return all
}

func TestACallKeepsHowItEndedAndWhatItChanged(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("a.txt", "x")+"answer\n"+writeCall("a.txt", `one\ntwo\n`)+"answer\ntool grep {\"keyword\":\"two\"}\nanswer\ntext done")
	path := d.create("Facts")
	cell := d.prompt(path, "write")
	d.run(path, cell, runner.RunCell)
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Reason: "say more"}); err != nil {
		t.Fatal(err)
	}
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	check := func(when string) {
		t.Helper()
		got := d.results(path, cell)
		if len(got) != 3 || got[0].Facts == nil || got[1].Facts == nil || got[2].Facts == nil {
			t.Fatalf("%s: %+v", when, got)
		}
		if f := got[0].Facts; f.End != chat.CallRejected || f.Reason != "say more" {
			t.Errorf("%s: the rejected call has %+v", when, f)
		}
		if f := got[1].Facts; f.End != "" || f.Added != 2 || f.Removed != 0 {
			t.Errorf("%s: the write has %+v", when, f)
		}
		if f := got[2].Facts; f.Matches == nil || *f.Matches != 1 {
			t.Errorf("%s: the search has %+v", when, f)
		}
	}
	check("in memory")
	d.untilSaved(path)
	if err := d.CloseNotebook(path); err != nil {
		t.Fatal(err)
	}
	check("read again")
}

// If the person stops a run while the answer with a call still arrives, the call counts as stopped,
// not as failed.
func TestACallThatCameInHalfIsStopped(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool ls {\"uri\":\".\"}\nstall")
	path := d.create("Half")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.until(func(e item) bool { return e.Type == "delta" && e.Data["toolCalls"] != nil })
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	results := d.results(path, cell)
	if len(results) != 1 || results[0].Facts == nil || results[0].Facts.End != chat.CallStopped {
		t.Errorf("got %+v", results)
	}
}
