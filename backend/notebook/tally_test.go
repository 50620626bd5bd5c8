package notebook

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mutsumi/backend/chat"
)

// ran adds a prompt and a run that has ended.
func ran(t *testing.T, d *Document, model string, took int64, u *chat.Usage) string {
	t.Helper()
	c, err := d.Apply([]Edit{{Kind: EditInsert, Text: "go"}})
	must(t, err)
	_, err = d.BeginRun(c.NewID, RunInfo{Model: model})
	must(t, err)
	must(t, d.PutMessage(c.NewID, 0, Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("done")}, Usage: u, TookMs: took}))
	_, err = d.EndRun(c.NewID, RunInfo{Model: model, TookMs: took, Usage: u})
	must(t, err)
	return c.NewID
}

func TestTallyIsKeptAndReadFromTheHead(t *testing.T) {
	big, err := Parse(workload(3 << 20))
	must(t, err)
	ran(t, big, "b", 500, &chat.Usage{Input: 10, Cached: 4, Output: 2, Reasoning: 1})
	ran(t, big, "a", 250, &chat.Usage{Input: 1, Output: 1, Estimated: true})
	last := ran(t, big, "b", 250, &chat.Usage{Input: 30, Output: 8, Micros: 7})
	want := &Tally{TimeMs: 1000, Models: []ModelUsage{
		{"a", 1, chat.Usage{Input: 1, Output: 1, Estimated: true}}, {"b", 2, chat.Usage{Input: 40, Cached: 4, Output: 10, Reasoning: 1, Micros: 7}},
	}}
	got := big.Tally()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v", got)
	}
	undo := len(big.history.undo)
	big.KeepTally(got)
	if len(big.history.undo) != undo || !big.KeepsTally() {
		t.Error("a tally is an undo step, or is not kept")
	}
	path := filepath.Join(t.TempDir(), "a.mtm")
	must(t, os.WriteFile(path, big.Encoded().Bytes(), 0o644))
	h, err := ReadSummary(path)
	if err != nil || h.Prompts != -1 || !reflect.DeepEqual(h.Tally, want) {
		t.Errorf("%+v of %+v, %v", h.Tally, h, err)
	}
	again, err := Parse(big.Encoded().Bytes())
	must(t, err)
	if string(again.Encoded().Bytes()) != string(big.Encoded().Bytes()) {
		t.Error("the file is another after a load")
	}
	_, err = big.BeginRun(last, RunInfo{Model: "b"})
	must(t, err)
	if n := big.Tally().Models[1]; n.Input != 10 || n.Micros != 0 || n.Requests != 1 {
		t.Errorf("an answer that was put aside, or is being written, counts: %+v", n)
	}
	big.KeepTally(&Tally{})
	if big.KeepsTally() {
		t.Error("an empty tally is kept")
	}
}

// The program ended during a run: the finished requests count, and the summary says so.
func TestTallyOfAnInterruptedRun(t *testing.T) {
	d := New("u", "n", "", nil, workloadTime)
	c, err := d.Apply([]Edit{{Kind: EditInsert, Text: "go"}})
	must(t, err)
	_, err = d.BeginRun(c.NewID, RunInfo{Model: "m"})
	must(t, err)
	for i := range 2 {
		must(t, d.PutMessage(c.NewID, i, Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("half")}, Usage: &chat.Usage{Input: 5, Output: 1}, TookMs: 20}))
	}
	if len(d.Tally().Models) != 0 || d.LastOutcome() != "" {
		t.Errorf("while it runs: %+v, %q", d.Tally(), d.LastOutcome())
	}
	path := filepath.Join(t.TempDir(), "a.mtm")
	must(t, os.WriteFile(path, d.Encoded().Bytes(), 0o644))
	h, err := ReadSummary(path)
	if err != nil || !h.Interrupted || h.Failed || !reflect.DeepEqual(h.Tally, &Tally{TimeMs: 40, Models: []ModelUsage{{"m", 2, chat.Usage{Input: 10, Output: 2}}}}) {
		t.Errorf("%+v, %v", h, err)
	}
	again, err := Parse(d.Encoded().Bytes())
	must(t, err)
	if again.LastOutcome() != Interrupted {
		t.Errorf("it says %q", again.LastOutcome())
	}
	ran(t, again, "m", 1, nil)
	if again.LastOutcome() != Done {
		t.Errorf("it says %q", again.LastOutcome())
	}
}

// A file's claims about itself are believed within limits.
func TestHostileTally(t *testing.T) {
	body := workload(2 << 20)
	for claim, want := range map[string]*Tally{
		`"x"`:                          nil,
		`{"models":7}`:                 nil,
		`{"models":null,"time_ms":-9}`: {},
		`{"models":[{"model":"m","runs":-1,"input":-7,"output":9223372036854775807}],"time_ms":9223372036854775807}`: {
			TimeMs: maxTime, Models: []ModelUsage{{"m", 0, chat.Usage{Output: maxTokens}}}},
		`{"models":[` + strings.TrimSuffix(strings.Repeat(`{},`, 2000), ",") + `]}`: nil,
	} {
		d, err := Parse(body)
		must(t, err)
		must(t, d.Keep(usageKey, []byte(claim)))
		path := filepath.Join(t.TempDir(), "a.mtm")
		must(t, os.WriteFile(path, d.Encoded().Bytes(), 0o644))
		h, err := ReadSummary(path)
		if err != nil || !reflect.DeepEqual(h.Tally, want) {
			t.Errorf("%.60s: %+v, %v", claim, h.Tally, err)
		}
	}
	d := parsed(t, notebookOf(
		`{"role":"user","content":"a","metadata":{"run":{"took_ms":9223372036854775807,"usage":{"input":9223372036854775807,"output":-1}}}}`,
		`{"role":"user","content":"b","metadata":{"run":{"took_ms":9223372036854775807,"usage":{"input":9223372036854775807,"output":-1}}}}`))
	if got := d.Tally(); got.TimeMs != maxTime || got.Models[0].Input != maxTokens || got.Models[0].Output != 0 {
		t.Errorf("%+v", got)
	}
}

// Adding up happens at the end of every run and when cells are added or removed.
func BenchmarkTally(b *testing.B) {
	d, err := Parse(workload(10 << 20))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d.Tally()
	}
}
