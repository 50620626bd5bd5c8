package workspace_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/summaries"
)

// compact makes a summary by hand and waits for it.
func (d *desk) compact(path string, w summaries.Wanted) {
	d.t.Helper()
	if err := d.Compact(path, w); err != nil {
		d.t.Fatal(err)
	}
	d.until(func(e item) bool {
		if e.Type != "compaction" || e.Data["running"] == true {
			return false
		}
		if e.Data["fault"] != nil {
			d.t.Fatalf("no summary: %v", e.Data["fault"])
		}
		return true
	})
}

// sayings is the text of each message, so long that a summary is shorter.
var sayings = strings.Repeat("The retry budget was spent after the latency rose and not before. ", 40)

// lasting makes a notebook of n cells with answers on the disk, and more cells after them.
func (d *desk) lasting(name string, n int, more ...string) {
	d.t.Helper()
	var cells []string
	for i := range n {
		cells = append(cells, fmt.Sprintf(`{"role":"user","content":"Question %d","metadata":{"cell_id":"c%d"}},{"role":"assistant","content":%q}`, i, i, sayings))
	}
	text := `{"metadata":{"uuid":"99999999-0000-4000-8000-000000000000","name":"` + name + `","created_at":"2026-01-01T00:00:00Z"},"context":[` +
		strings.Join(append(cells, more...), ",") + `]}`
	d.write(name+".mtm", text)
	d.untilTree(name)
}

// Children go on while their parent is compacted; after their reports the parent continues with the
// summary.
func TestAParentIsCompactedWhileItsChildrenRun(t *testing.T) {
	t.Parallel()
	d := openSummarised(t, saying("PARENT", `tool self_fork {"children":[{"name":"A","prompt":"do a"}]}`)+
		saying("do a", "wait compacted\ntool task_finish {\"summary\":\"fine\"}")+
		"answer when \"### Person [\"\ntext \"## Goal\\nShort.\"\n"+saying("PARENT", "text ok")+
		"answer times 2\ntext "+sayings, 0)
	path := d.create("Parent")
	for _, text := range []string{"one", "two"} {
		d.run(path, d.prompt(path, text), runner.RunCell)
		d.untilFinished(1)
	}
	cell := d.prompt(path, "PARENT")
	d.run(path, cell, runner.RunCell)
	d.allow()
	d.untilAsked(4)
	d.compact(path, summaries.Wanted{})
	d.server.Let("compacted")
	d.until(func(e item) bool { return e.Type == "runFinished" && e.Data["path"] == path })
	last := d.server.Requests()[len(d.server.Requests())-1]
	body := string(last.Body)
	if d.outcome(path, cell) != notebook.Done || !strings.Contains(body, "Short.") || strings.Contains(body, "retry budget") || !strings.Contains(body, "fine") {
		t.Errorf("%s after %s", d.outcome(path, cell), body)
	}
}

// A conversation that exceeds the window of the summarising model is summarised in pieces that fit.
func TestASummaryThatDoesNotFitIsMadeInPieces(t *testing.T) {
	t.Parallel()
	d := openSummarised(t, "answer always\ntext \"## Goal\\nShort.\"", 3_000)
	big := strings.Repeat("a line of a result of five megabytes that nobody reads\n", 5<<20/55)
	d.lasting("Long", 12,
		`{"role":"user","content":"Read all of it"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read_file","arguments":"{}"}}]}`,
		fmt.Sprintf(`{"role":"tool","tool_call_id":"x","name":"read_file","content":%q}`, big), `{"role":"assistant","content":"Read."}`, `{"role":"user","content":"And now?"}`)
	d.compact("Long.mtm", summaries.Wanted{})
	for _, r := range d.server.Requests() {
		if len(r.Body) > 12_000 {
			t.Errorf("a request for a summary has %d bytes", len(r.Body))
		}
	}
	if n := len(d.server.Requests()); n < 2 {
		t.Errorf("%d requests", n)
	}
}

// Forty summaries, each made of the previous one and the cells since: the next request stays short,
// and every word stays in the file.
func TestFortySummaries(t *testing.T) {
	t.Parallel()
	d := openSummarised(t, "answer always when \"### \"\ntext \"## Goal\\nShort.\"\nanswer always\ntext "+strings.Repeat(sayings, 8), 0)
	path := d.create("Lasting")
	d.run(path, d.prompt(path, "The first words of all."), runner.RunCell)
	d.untilFinished(1)
	for i := range 40 {
		d.run(path, d.prompt(path, fmt.Sprintf("Turn %d.", i)), runner.RunCell)
		d.untilFinished(1)
		d.compact(path, summaries.Wanted{})
	}
	body, err := d.RequestBody(t.Context(), path, "", "Go on.")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(body); len(text) > 100<<10 || !strings.Contains(text, "The first words of all.") || strings.Count(text, "Turn 39.") != 1 {
		t.Errorf("the next request has %d bytes", len(body))
	}
	if err := d.Wait(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(d.onDisk(path), `"compaction"`); n != 40 {
		t.Errorf("%d summaries are on the disk", n)
	}
}

// A notebook of 27 MB with images and an unanswered call opens, runs, compacts and branches.
func TestALargeDamagedNotebookGoesOn(t *testing.T) {
	t.Parallel()
	d := openSummarised(t, "answer always when \"### \"\ntext \"## Goal\\nShort.\"\nanswer always\ntext fine", 0)
	png := "data:image/png;base64," + base64.StdEncoding.EncodeToString(slices.Concat([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1<<20/tenth)))
	var more []string
	for i := range 20 {
		more = append(more, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"Look at %d"},{"type":"image_url","image_url":{"url":%q}}]}`, i, png), `{"role":"assistant","content":"Seen."}`)
	}
	more = append(more, `{"role":"user","content":"Then?"}`, `{"role":"assistant","content":null,"tool_calls":[{"id":"lost","type":"function","function":{"name":"ls","arguments":"{}"}}]}`)
	d.lasting("Large", 40, more...)
	if info, err := os.Stat(filepath.Join(d.folder, "Large.mtm")); err != nil || info.Size() < 25<<20/tenth {
		t.Fatalf("%v, %v", info.Size(), err)
	}
	start := time.Now()
	cell := d.prompt("Large.mtm", "go on")
	d.run("Large.mtm", cell, runner.RunCell)
	d.untilFinished(1)
	if d.outcome("Large.mtm", cell) != notebook.Done {
		t.Fatalf("the run ended %s", d.outcome("Large.mtm", cell))
	}
	d.compact("Large.mtm", summaries.Wanted{})
	next := d.prompt("Large.mtm", "and on")
	d.run("Large.mtm", next, runner.RunCell)
	d.untilFinished(1)
	if body := d.server.Requests()[len(d.server.Requests())-1].Body; !strings.Contains(string(body), "Short.") || len(body) > 200<<10 {
		t.Errorf("after the summary a request has %d bytes", len(body))
	}
	d.run("Large.mtm", cell, runner.RunFrom)
	d.untilFinished(1)
	if v, err := d.Notebook("Large.mtm"); err != nil || len(v.State.Branches) == 0 {
		t.Errorf("no branch: %v", err)
	}
	t.Logf("all of it took %v", time.Since(start))
}

// openSummarised is open with a model of the settings, which makes the summaries.
func openSummarised(t *testing.T, script string, window int) *desk {
	t.Helper()
	model := settings.ModelView{ID: "scripted", Tools: true, Images: true, ContextTokens: window}
	return openModel(t, "", script, model, func(store *settings.Store, url string) {
		if _, err := store.SaveProvider(settings.ProviderInput{Name: "Test", BaseURL: url, Models: []settings.ModelView{model}}); err != nil {
			t.Fatal(err)
		}
	})
}
