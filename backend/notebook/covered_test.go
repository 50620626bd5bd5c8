package notebook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// talk is a notebook of so many cells with ids 1, 2, ... and answers.
func talk(t *testing.T, cells int) *Document {
	var messages []string
	for i := 1; i <= cells; i++ {
		messages = append(messages,
			fmt.Sprintf(`{"role":"user","content":"p%d","metadata":{"cell_id":"%d"}}`, i, i),
			fmt.Sprintf(`{"role":"assistant","content":"a%d"}`, i))
	}
	return parsed(t, notebookOf(messages...))
}

// sentTo returns, in short form, what a model gets with the prompt of a cell.
func sentTo(t *testing.T, d *Document, id string) string {
	t.Helper()
	var all []string
	for _, m := range decoded(t, d, id) {
		all = append(all, m.Content.String())
	}
	return strings.Join(all, " ")
}

func compact(t *testing.T, d *Document, text string, covers ...string) string {
	t.Helper()
	c, err := d.Summaries().Put(text, Compaction{Covers: covers, Before: 100, After: 10, Trigger: "hand"}, "")
	must(t, err)
	return c.NewID
}

func TestASummaryReplacesItsCells(t *testing.T) {
	d := talk(t, 5)
	before := encoded(d)
	id := compact(t, d, "S", "1", "2", "3")
	if got := sentTo(t, d, "5"); got != "S p4 a4 p5" {
		t.Errorf("sent %q", got)
	}
	if got := sentTo(t, d, "2"); got != "p1 a1 p2" {
		t.Errorf("a prompt above the summary: sent %q", got)
	}
	if got := strings.Join(d.CellIDs(), " "); got != "1 2 3 "+id+" 4 5" {
		t.Errorf("cells %s", got)
	}
	parted := parsed(t, encoded(d))
	half, err := parted.Apply([]Edit{{Kind: EditSplit, Cell: id, Text: "S", Rest: "more"}})
	if err != nil || half.Cells[1].Compaction != nil || half.Cells[0].Compaction == nil {
		t.Errorf("split: %+v, %v", half, err)
	}
	for _, d := range []*Document{parted, parsed(t, encoded(parted))} {
		if got := sentTo(t, d, "5"); got != "S more p4 a4 p5" || len(d.CellIDs()) != 7 {
			t.Errorf("split: %d cells, sent %q", len(d.CellIDs()), got)
		}
	}
	for _, c := range []string{`"is_internal": true`, `"p1"`, `"a3"`} {
		if !strings.Contains(encoded(d), c) {
			t.Errorf("the file lacks %s", c)
		}
	}
	again := parsed(t, encoded(d))
	if got := sentTo(t, again, "5"); got != "S p4 a4 p5" {
		t.Errorf("after loading: sent %q", got)
	}
	if head, err := again.Head(id); err != nil || head.Compaction == nil || head.Compaction.Before != 100 || head.Compaction.AtMs == 0 || head.Compaction.Trigger != "hand" {
		t.Errorf("%+v, %v", head, err)
	}
	_, err = d.Undo()
	must(t, err)
	if encoded(d) != before {
		t.Error("undo leaves something")
	}
	_, err = d.Redo()
	must(t, err)
	if got := sentTo(t, d, "5"); got != "S p4 a4 p5" {
		t.Errorf("after redo: sent %q", got)
	}
}

// A summary can be taken back at any later time, and brought again.
func TestSwitchCompaction(t *testing.T) {
	d := talk(t, 6)
	first := compact(t, d, "S1", "1", "2")
	second := compact(t, d, "S2", first, "3", "4")
	if got := sentTo(t, d, "6"); got != "S2 p5 a5 p6" {
		t.Errorf("sent %q", got)
	}
	if _, err := d.Summaries().Switch(first, false); !fault.Is(err, fault.Conflict) {
		t.Errorf("one that a later summary covers: %v", err)
	}
	_, err := d.Summaries().Switch(second, false)
	must(t, err)
	if got := sentTo(t, d, "6"); got != "S1 p3 a3 p4 a4 p5 a5 p6" {
		t.Errorf("after the second was taken back: sent %q", got)
	}
	_, err = d.Summaries().Switch(first, false)
	must(t, err)
	if got := sentTo(t, d, "6"); got != "p1 a1 p2 a2 p3 a3 p4 a4 p5 a5 p6" {
		t.Errorf("after both: sent %q", got)
	}
	_, err = d.Summaries().Switch(second, true)
	must(t, err)
	if got := sentTo(t, parsed(t, encoded(d)), "6"); got != "p1 a1 p2 a2 S2 p5 a5 p6" {
		t.Errorf("the second alone: sent %q", got)
	}
	if _, err := d.Summaries().Switch("5", true); !fault.Is(err, fault.Invalid) {
		t.Errorf("a cell that is no summary: %v", err)
	}
}

func TestWhatIsMutedIsNotSentAndWhatIsPinnedStays(t *testing.T) {
	d := talk(t, 4)
	_, err := d.ChangePrompts("mute", KeyMuted, map[string]json.RawMessage{"2": json.RawMessage("true")})
	must(t, err)
	_, err = d.ChangePrompts("pin", KeyPinned, map[string]json.RawMessage{"1": json.RawMessage("true")})
	must(t, err)
	if got := sentTo(t, d, "4"); got != "p1 a1 p3 a3 p4" {
		t.Errorf("sent %q", got)
	}
	if got := sentTo(t, d, "2"); got != "p1 a1 p2" {
		t.Errorf("a muted prompt that is run: sent %q", got)
	}
	if _, err := d.Summaries().Put("S", Compaction{Covers: []string{"1"}}, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("a pinned cell: %v", err)
	}
	compact(t, d, "S", "3")
	if got := sentTo(t, d, "4"); got != "p1 a1 S p4" {
		t.Errorf("sent %q", got)
	}
	var all []string
	for _, c := range d.Summaries().Cells("") {
		all = append(all, fmt.Sprint(len(c.Messages), c.Pinned, c.Summary))
	}
	if got := strings.Join(all, ", "); got != "2 true false, 1 false true, 2 false false" {
		t.Errorf("cells %s", got)
	}
}

func TestCompactRefuses(t *testing.T) {
	d := talk(t, 3)
	for name, c := range map[string]struct {
		covers []string
		kind   fault.Kind
	}{
		"nothing":              {nil, fault.Invalid},
		"a cell that is gone":  {[]string{"9"}, fault.NotFound},
		"what is covered once": {[]string{"1"}, fault.Conflict},
	} {
		if name == "what is covered once" {
			compact(t, d, "S", "1")
		}
		before := encoded(d)
		if _, err := d.Summaries().Put("S", Compaction{Covers: c.covers}, ""); !fault.Is(err, c.kind) || encoded(d) != before {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := d.BeginRun("3", RunInfo{StartedAtMs: 1})
	must(t, err)
	if _, err := d.Summaries().Put("S", Compaction{Covers: []string{"2", "3"}}, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("a cell that runs: %v", err)
	}
}

// Claims in a file that no program wrote hide nothing but what they may.
func TestOddCompactions(t *testing.T) {
	for meta, want := range map[string]string{
		`{"compaction":{"covers":["1","3","9"]}}`:           "odd p2 a2 p3 a3 p4",
		`{"compaction":{"covers":["1"],"off":true}}`:        "p1 a1 p2 a2 p3 a3 p4",
		`{"compaction":{"covers":"1"}}`:                     "p1 a1 odd p2 a2 p3 a3 p4",
		`{"compaction":[],"pinned":1}`:                      "p1 a1 odd p2 a2 p3 a3 p4",
		`{"compaction":null,"muted":true}`:                  "p1 a1 p2 a2 p3 a3 p4",
		`{"cell_id":"odd","compaction":{"covers":["odd"]}}`: "p1 a1 odd p2 a2 p3 a3 p4",
	} {
		cell := func(n int) string {
			return fmt.Sprintf(`{"role":"user","content":"p%d","metadata":{"cell_id":"%d"}},{"role":"assistant","content":"a%d"}`, n, n, n)
		}
		d := parsed(t, notebookOf(cell(1), `{"role":"user","content":"odd","metadata":`+meta+`}`, cell(2), cell(3), cell(4)))
		if got := sentTo(t, d, "4"); got != want {
			t.Errorf("%s: sent %q, want %q", meta, got, want)
		}
	}
}

// Three hundred summaries, each covering the one before and the cells since: a prompt gets the last
// one, the file holds every word, and each can be undone.
func TestThreeHundredSummaries(t *testing.T) {
	d := New("u", "n", "", nil, time.Time{})
	var waiting []string
	for i := range 301 {
		c, err := d.Apply([]Edit{{Kind: EditInsert, Text: fmt.Sprint("p", i)}})
		must(t, err)
		if waiting = append(waiting, c.NewID); i < 300 {
			waiting = []string{compact(t, d, fmt.Sprint("S", i), waiting...)}
		}
	}
	last := d.CellIDs()[d.Len()-1]
	if got := sentTo(t, d, last); got != "S299 p300" {
		t.Errorf("sent %q", got)
	}
	d = parsed(t, encoded(d))
	if got := sentTo(t, d, d.CellIDs()[d.Len()-1]); got != "S299 p300" || d.Len() != 601 {
		t.Errorf("after a reload %d cells, sent %q", d.Len(), got)
	}
	_, err := d.Summaries().Switch(d.CellIDs()[d.Len()-2], false)
	must(t, err)
	if got := sentTo(t, d, d.CellIDs()[d.Len()-1]); got != "S298 p299 p300" {
		t.Errorf("without the last summary %q is sent", got)
	}
}

// BenchmarkHistoryAfterCompactions is the history of a notebook of 3,000 cells,
// compacted 300 times and not at all.
func BenchmarkHistoryAfterCompactions(b *testing.B) {
	for _, times := range []int{0, 300} {
		b.Run(fmt.Sprint(times), func(b *testing.B) {
			d := New("u", "n", "", nil, time.Time{})
			var waiting []string
			for i := range 3000 {
				c, err := d.Apply([]Edit{{Kind: EditInsert, Text: strings.Repeat("word ", 200)}})
				if err != nil {
					b.Fatal(err)
				}
				waiting = append(waiting, c.NewID)
				if times > 0 && i%(3000/times) == 9 {
					c, err := d.Summaries().Put("summary", Compaction{Covers: waiting}, "")
					if err != nil {
						b.Fatal(err)
					}
					waiting = []string{c.NewID}
				}
			}
			last := d.CellIDs()[d.Len()-1]
			for b.Loop() {
				if _, err := d.HistoryMessages(last, "sent"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A summary that replaces another covers its cells in its place, in one step that
// one undo takes back.
func TestASummaryReplacesAnother(t *testing.T) {
	d := talk(t, 4)
	old := compact(t, d, "old", "1", "2")
	c, err := d.Summaries().Put("new", Compaction{Covers: []string{"1", "2", "3"}}, old)
	must(t, err)
	if got := sentTo(t, d, "4"); got != "new p4" {
		t.Errorf("sent %q", got)
	}
	if _, err := d.Head(old); !fault.Is(err, fault.NotFound) || c.NewID == "" {
		t.Errorf("the old one: %v", err)
	}
	_, err = d.Undo()
	must(t, err)
	if got := sentTo(t, d, "4"); got != "old p3 a3 p4" {
		t.Errorf("after undo %q is sent", got)
	}
}

// A summary that is only for reading is not sent until it is switched on, and cannot be switched on
// while another one covers the same cells.
func TestASummaryIsReadFirst(t *testing.T) {
	d := talk(t, 4)
	c, err := d.Summaries().Put("first", Compaction{Covers: []string{"1", "2"}, Off: true}, "")
	must(t, err)
	if got := sentTo(t, d, "4"); got != "p1 a1 p2 a2 p3 a3 p4" {
		t.Errorf("sent %q", got)
	}
	other := compact(t, d, "other", "1")
	if _, err := d.Summaries().Switch(c.NewID, true); !fault.Is(err, fault.Conflict) {
		t.Errorf("beside another: %v", err)
	}
	_, err = d.Summaries().Switch(other, false)
	must(t, err)
	_, err = d.Summaries().Switch(c.NewID, true)
	must(t, err)
	if got := sentTo(t, d, "4"); got != "first p3 a3 p4" {
		t.Errorf("sent %q", got)
	}
}

// Of a muted result models get how long it is, until it is sent again; the file and
// the page have the whole.
func TestAMutedResult(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"p1","metadata":{"cell_id":"1"}}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"c1","name":"ls","content":"many names"}`, `{"role":"assistant","content":"a1"}`,
		`{"role":"user","content":"p2","metadata":{"cell_id":"2"}}`))
	before, err := d.Summaries().SentBefore("2")
	must(t, err)
	_, err = d.Summaries().MuteResult("1", "c1", true)
	must(t, err)
	if got := sentTo(t, d, "2"); !strings.Contains(got, "[The person left this result out: 10 bytes.") || strings.Contains(got, "many names") {
		t.Errorf("sent %q", got)
	}
	if after, err := d.Summaries().SentBefore("2"); err != nil || strings.Join(after, ",") == strings.Join(before, ",") {
		t.Errorf("SentBefore reports no change: %q, %v", after, err)
	}
	if head, err := d.Head("1"); err != nil || len(head.MutedCalls) != 1 || len(d.Summaries().Muted()) != 1 {
		t.Errorf("%+v, %v", head, err)
	}
	d = parsed(t, encoded(d))
	if _, err := d.Summaries().MuteResult("1", "c9", true); !fault.Is(err, fault.NotFound) {
		t.Errorf("a call that is not there: %v", err)
	}
	_, err = d.Summaries().MuteResult("1", "c1", false)
	must(t, err)
	if got := sentTo(t, d, "2"); !strings.Contains(got, "many names") || strings.Contains(encoded(d), "muted_results") {
		t.Errorf("sent %q", got)
	}
}

// A pinned result is listed among those that are never cut, and keeps its cell out of summaries,
// across a reload, until it is unpinned or the step is undone.
func TestAPinnedResult(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"p1","metadata":{"cell_id":"1"}}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"c1","name":"ls","content":"many names"}`, `{"role":"tool","tool_call_id":"c2","name":"ls","content":"others"}`,
		`{"role":"assistant","content":"a1"}`, `{"role":"user","content":"p2","metadata":{"cell_id":"2"}}`))
	is := func(d *Document, want bool) {
		t.Helper()
		s := d.Summaries()
		if calls := s.PinnedCalls(); calls["c1"] != want || calls["c2"] || s.Cells("")[0].Pinned != want {
			t.Errorf("pinned calls %v, the cell %v, want %v", calls, s.Cells("")[0].Pinned, want)
		}
		if head, err := d.Head("1"); err != nil || len(head.PinnedCalls) == 1 != want || head.Pinned {
			t.Errorf("%+v, %v", head, err)
		}
	}
	is(d, false)
	_, err := d.Summaries().PinResult("1", "c1", true)
	must(t, err)
	is(d, true)
	is(parsed(t, encoded(d)), true)
	if _, err := d.Summaries().PinResult("1", "c9", true); !fault.Is(err, fault.NotFound) {
		t.Errorf("a call that is not there: %v", err)
	}
	_, err = d.Undo()
	must(t, err)
	is(d, false)
	_, err = d.Redo()
	must(t, err)
	is(d, true)
	_, err = d.Summaries().PinResult("1", "c1", false)
	must(t, err)
	if is(d, false); strings.Contains(encoded(d), KeyPinnedCalls) {
		t.Error("the file still names the result")
	}
}

// What summaries and muting save is counted once each.
func TestWhatIsSaved(t *testing.T) {
	d := talk(t, 4)
	compact(t, d, "S", "1", "2")
	_, err := d.ChangePrompts("mute", KeyMuted, map[string]json.RawMessage{"1": []byte("true"), "3": []byte("true")})
	must(t, err)
	if n := d.Summaries().Saved(); n != 90 || len(d.Summaries().Muted()) != 2 {
		t.Errorf("saved %d, muted %d messages", n, len(d.Summaries().Muted()))
	}
}
