package notebook

import (
	"testing"
	"time"

	"mutsumi/backend/chat"
)

// The usage of asked agents counts for the answer that asked them, by their own models, and is
// stored in the file.
func TestAskedCounts(t *testing.T) {
	d := New("u", "n", "", nil, time.Unix(0, 0))
	c, err := d.Apply([]Edit{{Kind: EditInsert, Text: "hi"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.BeginRun(c.NewID, RunInfo{StartedAtMs: 1}); err != nil {
		t.Fatal(err)
	}
	asked := []ModelUsage{{Model: "big", Requests: 2, Usage: chat.Usage{Input: 100, Output: 10}}, {Model: "small", Requests: 1, Usage: chat.Usage{Input: 5}}}
	if _, err := d.EndRun(c.NewID, RunInfo{StartedAtMs: 1, Model: "small", Outcome: Done, Usage: &chat.Usage{Input: 1, Output: 1}, Asked: asked}); err != nil {
		t.Fatal(err)
	}
	d, err = Parse(d.Encoded().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	info, err := d.RunInfo(d.CellIDs()[0])
	if err != nil || len(info.Asked) != 2 || info.Asked[0] != asked[0] || *info.Usage != (chat.Usage{Input: 1, Output: 1}) {
		t.Fatalf("%+v, %v", info, err)
	}
	tally := d.Tally()
	want := []ModelUsage{{Model: "big", Requests: 2, Usage: chat.Usage{Input: 100, Output: 10}}, {Model: "small", Requests: 2, Usage: chat.Usage{Input: 6, Output: 1}}}
	if len(tally.Models) != 2 || tally.Models[0] != want[0] || tally.Models[1] != want[1] {
		t.Errorf("%+v", tally.Models)
	}
}
