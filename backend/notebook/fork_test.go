package notebook

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
)

func promptsOf(d *Document) (all []string) {
	for _, c := range d.cells.list {
		if c.prompt != nil {
			all = append(all, c.prompt.decode().Content.String())
		}
	}
	return all
}

func TestForkIntoANotebook(t *testing.T) {
	d := parsed(t, notebookOf(
		`{"role":"user","content":"one","odd":1}`, `{"role":"assistant","content":"first"}`,
		`{"role":"user","content":"two","metadata":{"pinned":true}}`, `{"role":"assistant","content":"second"}`,
		`{"role":"user","content":"three"}`, `{"role":"assistant","content":"third"}`))
	ids := idsOf(d)
	_, err := d.Apply([]Edit{{Kind: EditRewind, Cell: ids[2]}}) // a branch, which is not copied
	must(t, err)
	must(t, d.Keep(usageKey, []byte(`{"models":[]}`)))
	before := string(d.Encoded().Bytes())
	made, err := d.Lineage().Fork(ids[1], "other", time.UnixMilli(0))
	must(t, err)
	checkFile(t, made)
	if got := promptsOf(made); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("it has %q", got)
	}
	text := string(made.Encoded().Bytes())
	for _, want := range []string{`"odd": 1`, `"pinned": true`, `"second"`, `"cell_id": "` + ids[1] + `"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, branchesKey) || strings.Contains(text, usageKey) || strings.Contains(text, "third") {
		t.Errorf("it has what should not be copied: %s", text)
	}
	want := Origin{UUID: d.UUID(), Cell: ids[1], Messages: 4, At: "1970-01-01T00:00:00.000Z"}
	if o := made.Lineage().Origin(); o != want || made.UUID() != "other" {
		t.Errorf("%s comes from %+v", made.UUID(), o)
	}
	if string(d.Encoded().Bytes()) != before {
		t.Error("the original changed")
	}
	if _, err := d.Lineage().Fork("none", "other", time.UnixMilli(0)); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	// A notebook that was copied and then forked comes from the one it was forked from.
	made.Lineage().CopyOf("other", "third", 4, time.UnixMilli(0))
	again, err := made.Lineage().Fork(ids[0], "fourth", time.UnixMilli(0))
	must(t, err)
	if o := again.Lineage().Origin(); o.UUID != "third" || o.Copied || again.Raw(keyCopiedFrom) != nil {
		t.Errorf("it comes from %+v", o)
	}
}

// A summary is kept if all that it covers is kept.
func TestForkAtASummary(t *testing.T) {
	d := parsed(t, notebookOf(
		`{"role":"user","content":"one"}`, `{"role":"assistant","content":"1"}`, `{"role":"user","content":"two"}`, `{"role":"assistant","content":"2"}`,
		`{"role":"user","content":"three"}`))
	ids := idsOf(d)
	_, err := d.Summaries().Put("SUMMARY", Compaction{Covers: ids[:2]}, "")
	must(t, err)
	sent := func(cell string) (texts []string) {
		made, err := d.Lineage().Fork(cell, "other", time.Now())
		must(t, err)
		c, err := made.Apply([]Edit{{Kind: EditInsert, Text: "next"}})
		must(t, err)
		turns, err := made.HistoryMessages(c.NewID, "x")
		must(t, err)
		for _, turn := range turns {
			texts = append(texts, turn.Message.Content.String())
		}
		return texts
	}
	if got := sent(ids[1]); !slices.Equal(got, []string{"SUMMARY", "next"}) {
		t.Errorf("behind it: %q", got)
	}
	if got := sent(ids[0]); !slices.Equal(got, []string{"one", "1", "next"}) {
		t.Errorf("before it: %q", got)
	}
}

// Of an answer that is being written the complete calls come along.
func TestForkOfARunningNotebook(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"q"}`))
	id := d.cells.list[0].id
	call := func(id string) Message {
		return Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("calls " + id), ToolCalls: []chat.ToolCall{{ID: id, Type: "function", Function: chat.Function{Name: "ls", Arguments: "{}"}}}}}
	}
	result := func(id string) Message {
		return Message{Message: chat.Message{Role: chat.Tool, ToolCallID: id, Name: "ls", Content: chat.Text("result " + id)}}
	}
	_, err := d.BeginRun(id, RunInfo{Model: "m"})
	must(t, err)
	kept := func() int {
		made, err := d.Lineage().Fork(id, "other", time.Now())
		must(t, err)
		checkFile(t, made)
		info, err := made.RunInfo(id)
		must(t, err)
		n := len(made.cells.list[0].answer)
		if n == 0 && info != nil || n > 0 && (info == nil || info.Outcome != Stopped || info.Process() != nil) {
			t.Errorf("%d messages, run %+v", n, info)
		}
		return n
	}
	for i, step := range []struct {
		put  Message
		want int
	}{{says("half"), 0}, {call("a"), 0}, {result("a"), 3}, {call("b"), 3}, {result("b"), 5}, {says("str"), 5}} {
		must(t, d.PutMessage(id, i, step.put))
		if got := kept(); got != step.want {
			t.Errorf("after message %d it has %d, want %d", i, got, step.want)
		}
	}
	if !d.Running(id) {
		t.Error("the run was disturbed")
	}
}

func TestForkIntoABranch(t *testing.T) {
	d := parsed(t, notebookOf(
		`{"role":"user","content":"one"}`, `{"role":"assistant","content":"1"}`, `{"role":"user","content":"two"}`, `{"role":"assistant","content":"2"}`,
		`{"role":"user","content":"three"}`))
	ids := idsOf(d)
	first := string(d.Encoded().Bytes())
	w := newWindow(t, d)
	c, err := d.Apply([]Edit{{Kind: EditFork, Cell: ids[0]}})
	must(t, err)
	w.apply(d, c)
	state := d.State()
	if got := promptsOf(d); !slices.Equal(got, []string{"one"}) || len(d.cells.list[0].answer) != 1 || len(state.Branches) != 1 {
		t.Fatalf("it has %q, %+v", got, state)
	}
	checkFile(t, d)
	c, err = d.Apply([]Edit{{Kind: EditInsert, Text: "another way"}})
	must(t, err)
	w.apply(d, c)
	c, err = d.Apply([]Edit{{Kind: EditRestore, Branch: state.Branches[0].ID}})
	must(t, err)
	w.apply(d, c)
	if got := promptsOf(d); !slices.Equal(got, []string{"one", "two", "three"}) || len(d.State().Branches) != 1 {
		t.Errorf("back again: %q", got)
	}
	for range 3 {
		c, err = d.Undo()
		must(t, err)
		w.apply(d, c)
	}
	if got := string(d.Encoded().Bytes()); got != first {
		t.Errorf("undone it is %s", got)
	}
	for _, e := range []Edit{{Kind: EditFork, Cell: ids[2]}, {Kind: EditFork, Cell: "none"}} {
		if _, err := d.Apply([]Edit{e}); err == nil {
			t.Errorf("%+v was taken", e)
		}
	}
	_, err = d.BeginRun(ids[1], RunInfo{})
	must(t, err)
	if _, err := d.Apply([]Edit{{Kind: EditFork, Cell: ids[0]}}); !fault.Is(err, fault.Conflict) || len(d.cells.list) != 3 {
		t.Errorf("a running cell was put aside: %v", err)
	}
}

func idsOf(d *Document) (ids []string) {
	for _, c := range d.cells.list {
		ids = append(ids, c.id)
	}
	return ids
}
