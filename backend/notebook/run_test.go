package notebook

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

func says(text string) Message {
	return Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text(text)}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"q","keep":1}`, `{"role":"assistant","content":"old"}`, `{"role":"user","content":"below"}`))
	first := d.Encoded().Bytes()
	clock := time.UnixMilli(5_000_000)
	d.now = func() time.Time { return clock }
	w := newWindow(t, d)
	id := d.cells.list[0].id

	c, err := d.BeginRun(id, RunInfo{Model: "m"})
	must(t, err)
	w.apply(d, c)
	if !d.Running(id) || d.cells.list[0].id != id || len(d.cells.list[0].answer) != 0 || len(d.State().Branches) != 1 {
		t.Fatalf("begun: %+v %+v", d.cells.list[0], d.State())
	}
	for _, text := range []string{"a", "ab", "abc"} {
		must(t, d.PutMessage(id, 0, says(text)))
	}
	call := chat.ToolCall{ID: "1", Type: "function", Function: chat.Function{Name: "ls", Arguments: `{"uri":"."}`}}
	must(t, d.PutMessage(id, 1, Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Content{Null: true}, ToolCalls: []chat.ToolCall{call}}, Usage: &chat.Usage{Input: 3, Output: 4}}))
	must(t, d.PutMessage(id, 2, Message{Message: chat.Message{Role: chat.Tool, ToolCallID: "1", Name: "ls", Content: chat.Text("gone")}, IsError: true, TookMs: 7}))

	// The disk's content if the program dies now.
	dead := parsed(t, string(checkFile(t, d)))
	if info, _ := dead.RunInfo(id); info == nil || info.Outcome != Interrupted || info.Model != "m" || info.StartedAtMs != clock.UnixMilli() {
		t.Errorf("after a crash: %+v", info)
	}
	if info, _ := d.RunInfo(id); info.Outcome != "" {
		t.Errorf("while it runs: %+v", info)
	}

	clock = clock.Add(1500 * time.Millisecond)
	c, err = d.EndRun(id, RunInfo{Outcome: Broken, Fault: fault.New(fault.Provider, "broke").WithCode(fault.CodeStreamBroken), Usage: &chat.Usage{Input: 1, Output: 2}})
	must(t, err)
	w.learn(d, id)
	w.apply(d, c)
	last := checkFile(t, d)
	body := parsed(t, string(last)).Cells([]string{id})[0].Body
	r := body.Run
	if r.Outcome != Broken || r.TookMs != 1500 || r.Model != "m" || r.Fault.Code != fault.CodeStreamBroken || r.Usage.Output != 2 {
		t.Errorf("run %+v", r)
	}
	if m := body.Answer; len(m) != 3 || m[0].Text != "abc" || m[1].ToolCalls[0] != (ToolCallView{"1", "ls", `{"uri":"."}`}) || m[1].Usage.Output != 4 || !m[2].IsError || m[2].TookMs != 7 {
		t.Errorf("answer %+v", m)
	}

	c, err = d.Undo() // the whole run is one step
	must(t, err)
	w.apply(d, c)
	if got := d.Encoded().Bytes(); !bytes.Equal(got, first) {
		t.Errorf("after undo:\n%s\nwant:\n%s", got, first)
	}
	c, err = d.Redo()
	must(t, err)
	w.apply(d, c)
	if got := d.Encoded().Bytes(); !bytes.Equal(got, last) {
		t.Errorf("after redo:\n%s\nwant:\n%s", got, last)
	}
}

func TestEditsWhileACellRuns(t *testing.T) {
	d := filled(t, 4)
	start := d.Encoded().Bytes()
	w := newWindow(t, d)
	apply := func(c Change, err error) {
		t.Helper()
		must(t, err)
		w.apply(d, c)
	}
	apply(d.Apply([]Edit{{Kind: EditSetText, Cell: "c1", Text: "edited"}}))
	apply(d.BeginRun("c1", RunInfo{}))
	for _, e := range []Edit{
		{Kind: EditSetText, Cell: "c1", Text: "x"}, {Kind: EditDelete, Cell: "c1"}, {Kind: EditMove, Cell: "c1"}, {Kind: EditSplit, Cell: "c1"},
		{Kind: EditClear, Cell: "c1"}, {Kind: EditRewind, Cell: "c0"}, {Kind: EditRestore, Branch: d.State().Branches[0].ID},
	} {
		if _, err := d.Apply([]Edit{e}); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s of a running cell: %v", e.Kind, err)
		}
	}
	if _, err := d.BeginRun("c1", RunInfo{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second run: %v", err)
	}
	if _, err := d.Undo(); !fault.Is(err, fault.Conflict) {
		t.Errorf("undo of a running cell: %v", err)
	}
	must(t, d.PutMessage("c1", 0, says("streams")))
	w.learn(d, "c1")
	apply(d.Apply([]Edit{{Kind: EditDelete, Cell: "c0"}}))
	apply(d.Apply([]Edit{{Kind: EditMove, Cell: "c3", Before: "c1"}}))
	apply(d.Apply([]Edit{{Kind: EditInsert, Text: "new"}}))
	must(t, d.PutMessage("c1", 0, says("streams on")))
	w.learn(d, "c1")
	apply(d.Undo())
	apply(d.Redo())
	c, err := d.EndRun("c1", RunInfo{Outcome: Done})
	apply(c, err)
	if got := d.Cells([]string{"c1"})[0].Body; got.Answer[0].Text != "streams on" || got.Run.Outcome != Done {
		t.Errorf("%+v", got)
	}
	end := checkFile(t, d)
	n := 0
	for ; d.State().CanUndo; n++ {
		apply(d.Undo())
		checkFile(t, d)
	}
	if got := d.Encoded().Bytes(); n != 5 || !bytes.Equal(got, start) {
		t.Errorf("after %d steps back:\n%s\nwant:\n%s", n, got, start)
	}
	for d.State().CanRedo {
		apply(d.Redo())
	}
	if got := d.Encoded().Bytes(); !bytes.Equal(got, end) {
		t.Errorf("after redo:\n%s\nwant:\n%s", got, end)
	}
}

func TestContinueKeepsTheAnswer(t *testing.T) {
	d := filled(t, 1)
	_, err := d.ContinueRun("c0", RunInfo{})
	must(t, err)
	if len(d.cells.list[0].answer) != 1 || len(d.State().Branches) != 0 {
		t.Fatalf("%+v", d.cells.list[0])
	}
	must(t, d.PutMessage("c0", 1, says("more")))
	if err := d.PutMessage("c0", 3, says("gap")); !fault.Is(err, fault.Invalid) {
		t.Errorf("an index beyond the end: %v", err)
	}
	if err := d.PutMessage("c0", 0, Message{Message: chat.Message{Role: chat.User}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a prompt in an answer: %v", err)
	}
	_, err = d.EndRun("c0", RunInfo{Outcome: Stopped})
	must(t, err)
	if _, err := d.EndRun("c0", RunInfo{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("ended twice: %v", err)
	}
	if err := d.PutMessage("c0", 0, says("late")); !fault.Is(err, fault.Conflict) {
		t.Errorf("a message after the end: %v", err)
	}
	if _, err := d.BeginRun("nobody", RunInfo{}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no cell: %v", err)
	}
}

// Branches survive the file, and come back where they were.
func TestBranches(t *testing.T) {
	d := filled(t, 3)
	before := d.CellsJSON()
	apply := func(e Edit) {
		t.Helper()
		_, err := d.Apply([]Edit{e})
		must(t, err)
		checkFile(t, d)
	}
	apply(Edit{Kind: EditRewind, Cell: "c0"})
	b := d.State().Branches[0]
	if d.Len() != 1 || b.Cell != "c0" || b.Cells != 2 || b.Messages != 5 || b.Summary != "prompt 1" {
		t.Fatalf("%d cells, branch %+v", d.Len(), b)
	}
	_, err := d.BeginRun("c0", RunInfo{})
	must(t, err)
	must(t, d.PutMessage("c0", 0, says("another answer")))
	_, err = d.EndRun("c0", RunInfo{Outcome: Done, Model: "new"})
	must(t, err)

	d = parsed(t, string(checkFile(t, d))) // a restart
	if got := d.State().Branches; len(got) != 1 || got[0] != b {
		t.Fatalf("branches %+v, want %+v", got, b)
	}
	other := d.CellsJSON()
	apply(Edit{Kind: EditRestore, Branch: b.ID})
	if got := d.CellsJSON(); !bytes.Equal(got, before) {
		t.Errorf("restored:\n%s\nwant:\n%s", got, before)
	}
	swapped := d.State().Branches
	if len(swapped) != 1 || swapped[0].Summary != "another answer" {
		t.Fatalf("branches %+v", swapped)
	}
	d = parsed(t, string(checkFile(t, d)))
	apply(Edit{Kind: EditRestore, Branch: swapped[0].ID})
	if got := d.CellsJSON(); !bytes.Equal(got, other) {
		t.Errorf("swapped back:\n%s\nwant:\n%s", got, other)
	}
	if info, _ := d.RunInfo("c0"); info == nil || info.Model != "new" {
		t.Errorf("the record of the run is lost: %+v", info)
	}

	// Its prompt is deleted: the branch still comes back.
	apply(Edit{Kind: EditDelete, Cell: "c0"})
	apply(Edit{Kind: EditRestore, Branch: d.State().Branches[0].ID})
	if d.Len() != 3 || d.links.plainText(d.cells.list[1]) != "prompt 1" || len(d.State().Branches) != 0 {
		t.Errorf("%s", d.CellsJSON())
	}
}

func TestRunAgainPutsOnlyTheAnswerAside(t *testing.T) {
	d := filled(t, 3)
	_, err := d.BeginRun("c1", RunInfo{})
	must(t, err)
	must(t, d.PutMessage("c1", 0, says("new")))
	_, err = d.EndRun("c1", RunInfo{Outcome: Done})
	must(t, err)
	_, err = d.Apply([]Edit{{Kind: EditRestore, Branch: d.State().Branches[0].ID}})
	must(t, err)
	if got := d.Cells([]string{"c1"})[0].Body.Answer[0].Text; d.Len() != 3 || got != "answer" || d.State().Branches[0].Summary != "new" {
		t.Errorf("%d cells, %q, %+v", d.Len(), got, d.State().Branches)
	}
}

func TestFinished(t *testing.T) {
	call := func(name, args string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"` + name + `","arguments":` + string(jsontext.AppendString(nil, args)) + `}}]}`
	}
	q, result := `{"role":"user","content":"q"}`, `{"role":"tool","tool_call_id":"1","content":"ok"}`
	for name, c := range map[string]struct {
		text string
		want string // "-": not finished
	}{
		"task_finish":             {notebookOf(q, call("task_finish", `{"summary":"all done"}`)), "all done"},
		"finish_task, and result": {notebookOf(q, call("finish_task", `{"what":"ever"}`), result), "ever"},
		"no argument":             {notebookOf(q, `{"role":"assistant","content":"said","tool_calls":[{"function":{"name":"task_finish","arguments":"{}"}}]}`), "said"},
		"a prompt not run":        {notebookOf(q, call("task_finish", `{"summary":"x"}`), q), "x"},
		"run again":               {notebookOf(q, call("task_finish", `{}`), q, `{"role":"assistant","content":"more"}`), "-"},
		"another tool":            {notebookOf(q, call("ls", `{}`)), "-"},
		"a run that failed":       {notebookOf(q, call("task_finish", `{}`), `{"role":"user","content":"q","metadata":{"run":{"outcome":"failed"}}}`), "-"},
		"nothing":                 {notebookOf(), "-"},
	} {
		m := parsed(t, c.text).Meta()
		if m.Finished != (c.want != "-") || m.Finished && m.FinishText != c.want {
			t.Errorf("%s: %+v, want %s", name, m, c.want)
		}
	}
	d := filled(t, 1)
	_, err := d.BeginRun("c0", RunInfo{})
	must(t, err)
	_, err = d.EndRun("c0", RunInfo{Outcome: TaskDone})
	must(t, err)
	if !d.Meta().Finished {
		t.Error("a finished run leaves no mark")
	}
	_, err = d.BeginRun("c0", RunInfo{})
	must(t, err)
	if d.Meta().Finished {
		t.Error("running again leaves the mark")
	}
}

func TestLongToolTextsAreCut(t *testing.T) {
	long := strings.Repeat("长", 40_000)
	d := parsed(t, notebookOf(`{"role":"user","content":"q"}`, `{"role":"tool","content":"`+long+`"}`, `{"role":"assistant","content":"`+long+`"}`))
	a := d.Cells(d.CellIDs())[0].Body.Answer
	if !a[0].Truncated || len(a[0].Text) > toolTextLimit || len(a[0].Text) < toolTextLimit-3 || !strings.HasSuffix(a[0].Text, "长") {
		t.Errorf("cut at %d, truncated %v", len(a[0].Text), a[0].Truncated)
	}
	if a[1].Truncated || a[1].Text != long {
		t.Error("the model's text was cut")
	}
	m, err := d.Message(d.cells.list[0].id, 0)
	if err != nil || m.Text != long {
		t.Errorf("whole message: %d bytes, %v", len(m.Text), err)
	}
	if _, err := d.Message(d.cells.list[0].id, 2); !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v", err)
	}
}

// Every piece of a streaming message replaces the one before. Only saving it or looking at it may
// cost its whole length.
func TestStreamingWritesNoText(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"q"}`))
	id := d.cells.list[0].id
	_, err := d.BeginRun(id, RunInfo{Model: "m"})
	must(t, err)
	var pieces []*message
	for _, text := range []string{"a", "a\xffé", "a\xffé \"c\""} {
		must(t, d.PutMessage(id, 0, says(text)))
		pieces = append(pieces, d.cells.list[0].answer[0])
	}
	saved := d.Encoded()
	must(t, d.PutMessage(id, 0, says("more")))

	// A save writes without the lock while the document is read under it.
	done := make(chan []byte)
	go func() { done <- saved.Bytes() }()
	body := parsed(t, string(saved.Bytes())).Cells([]string{id})[0].Body
	if got := body.Answer[0].Text; got != "a\ufffdé \"c\"" {
		t.Errorf("saved: %q", got)
	}
	if !bytes.Equal(<-done, saved.Bytes()) {
		t.Error("two writers of one snapshot differ")
	}
	if last := pieces[2]; last.chars() != 7 || !strings.Contains(string(last.raw()), "\\\"c\\\"") {
		t.Errorf("the last piece: %d characters, %s", last.chars(), last.raw())
	}
}

// A model's text is in memory once while its run continues, in the strings of the next request, and
// once when it is over.
func TestAnswerIsInMemoryOnce(t *testing.T) {
	const messages, size = 64, 128 << 10
	d := parsed(t, notebookOf(`{"role":"user","content":"q"}`))
	id := d.cells.list[0].id
	_, err := d.BeginRun(id, RunInfo{Model: "m"})
	must(t, err)
	conversation := make([]string, messages)
	for i := range conversation {
		conversation[i] = strings.Repeat(fmt.Sprintf("%07d\n", i), size/8)
	}
	held := func() int64 {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	for i, text := range conversation {
		must(t, d.PutMessage(id, i, says(text)))
	}
	_, err = d.Encoded().WriteTo(io.Discard)
	must(t, err)
	d.View(1, 1)
	if more := held() - before; more > messages*size/4 {
		t.Errorf("an answer of %d MB takes %d KB more while its run goes on", messages*size>>20, more>>10)
	}
	runtime.KeepAlive(conversation)

	_, err = d.EndRun(id, RunInfo{})
	must(t, err)
	running := d.Encoded().Bytes()
	conversation = nil
	if more := held() - before - int64(len(running)); more > messages*size/4 {
		t.Errorf("an answer of %d MB takes %d KB more than its text when its run is over", messages*size>>20, more>>10)
	}
	if got := d.cells.list[0].answer[messages-1]; got.fresh != nil || cap(got.text) > len(got.text)*9/8 || got.chars() != size {
		t.Errorf("the last message: %d characters, %d bytes in %d", got.chars(), len(got.text), cap(got.text))
	}
	runtime.KeepAlive(d)
}
