package timeline_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
)

// lane drives a Live and a notebook in the way a run does.
type lane struct {
	t    *testing.T
	nb   *notebook.Document
	live timeline.Live
	cell string
	now  int64
	told map[string]timeline.Span // the spans that an interface would show
}

const start = int64(1_800_000_000_000)

func newLane(t *testing.T) *lane {
	l := &lane{t: t, nb: notebook.New("u1", "A", "", nil, time.UnixMilli(start)), now: start, told: map[string]timeline.Span{}}
	l.live.Name("u1", "a.mtm")
	return l
}

func (l *lane) take(spans []timeline.Span) {
	for _, s := range spans {
		l.told[s.ID] = s
		if s.EndMs == s.StartMs {
			delete(l.told, s.ID)
		}
	}
}

func (l *lane) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lane) begin(queued int64) {
	l.t.Helper()
	c, err := l.nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: fmt.Sprint("prompt ", l.now)}})
	l.must(err)
	l.cell = c.NewID
	if queued > 0 {
		l.take(l.live.Queue(l.cell, l.now))
		l.now += queued
	}
	waited, told := l.live.Unqueue(l.cell, l.now, false)
	l.take(told)
	_, err = l.nb.BeginRun(l.cell, notebook.RunInfo{StartedAtMs: l.now, QueuedMs: waited})
	l.must(err)
	l.live.Begin(l.cell)
	l.now += 5 // the prompt is built
}

func (l *lane) put(m timeline.Message, message chat.Message) {
	l.t.Helper()
	t, told := l.live.Put(m, l.now)
	l.take(told)
	l.must(l.nb.PutMessage(l.cell, m.Index, notebook.Message{Message: message, IsError: m.IsError, AtMs: t.AtMs, TookMs: t.TookMs, WaitedMs: t.WaitedMs}))
}

func (l *lane) model(index int, took int64, calls ...chat.ToolCall) {
	l.t.Helper()
	at := l.now
	l.take(l.live.Ask(index, at))
	l.now += took
	l.put(timeline.Message{Index: index, Calls: calls, Said: true, AtMs: at, TookMs: l.now - at},
		chat.Message{Role: chat.Assistant, Content: chat.Text("x"), ToolCalls: calls})
}

func (l *lane) tool(index int, c chat.ToolCall, took int64, failed bool) {
	l.t.Helper()
	at := l.now
	l.take(l.live.Call(index, c, at))
	l.now += took
	l.put(timeline.Message{Index: index, Tool: true, IsError: failed, AtMs: at, TookMs: took}, result(c))
}

func (l *lane) end(outcome notebook.Outcome) {
	l.t.Helper()
	run, err := l.nb.RunInfo(l.cell)
	l.must(err)
	info := notebook.RunInfo{StartedAtMs: run.StartedAtMs, TookMs: l.now - run.StartedAtMs, Outcome: outcome}
	var told []timeline.Span
	info.LostMs, info.HeldMs, told = l.live.End(l.now, outcome == notebook.Failed || outcome == notebook.Broken)
	l.take(told)
	_, err = l.nb.EndRun(l.cell, info)
	l.must(err)
}

// past is the lane that a later process computes from the file.
func (l *lane) past() timeline.Lane {
	l.t.Helper()
	nb, err := notebook.Parse(l.nb.Encoded().Bytes())
	l.must(err)
	v := timeline.Of([]timeline.Agent{{ID: "u1", Path: "a.mtm", Trace: nb.Encoded().Trace(timeline.SpansOfLane)}}, 0)
	return v.Lanes[0]
}

// agree fails unless the notebook gives the reported spans.
func (l *lane) agree() {
	l.t.Helper()
	got := map[string]timeline.Span{}
	for _, s := range l.past().Spans {
		got[s.ID] = s
	}
	for id, want := range l.told {
		if !reflect.DeepEqual(got[id], want) {
			l.t.Errorf("%s\ntold     %+v\ncomputed %+v", id, want, got[id])
		}
	}
	for id, s := range got {
		if l.told[id].ID == "" {
			l.t.Errorf("%+v was not reported", s)
		}
	}
}

func (l *lane) kinds() (out []string) {
	for _, s := range l.past().Spans {
		says := s.Text
		if s.Word != "" {
			says = strings.TrimSpace(fmt.Sprintf("(%s) %s", s.Word, s.Text))
		}
		text := fmt.Sprintf("%s %s %d", s.Kind, says, s.EndMs-s.StartMs)
		if s.Failed {
			text += " failed"
		}
		out = append(out, text)
	}
	return out
}

func (l *lane) want(kinds ...string) {
	l.t.Helper()
	l.agree()
	if got := l.kinds(); !slices.Equal(got, kinds) {
		l.t.Errorf("got  %q\nwant %q", got, kinds)
	}
}

func call(id, name, arguments string) chat.ToolCall {
	return chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: name, Arguments: arguments}}
}

func result(c chat.ToolCall) chat.Message {
	return chat.Message{Role: chat.Tool, ToolCallID: c.ID, Name: c.Function.Name, Content: chat.Text("ok")}
}

func TestARunIsTheSameLiveAndFromItsFile(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	grep, edit := call("1", "grep", `{"pattern":"x"}`), call("2", "edit_file", `{"uri":"pricing/cart.go","edits":[]}`)
	l.model(0, 1000, grep, edit)
	l.tool(1, grep, 200, false)
	l.take(l.live.Wait(2, &edit, l.now))
	l.now += 3000
	l.tool(2, edit, 10, true)
	shell := call("3", "shell", `{"command":"go test\n  ./...  -run `+"'"+`A very long name of a test that nobody would write'"}`)
	l.model(3, 500, shell)
	l.tool(4, shell, 40, false)
	done := call("4", "task_finish", `{"summary":"all good"}`)
	l.model(5, 700, done)
	l.tool(6, done, 0, false)
	l.end(notebook.TaskDone)
	l.want("model (answer) 1000", "tool grep 200", "waiting (edit) cart.go 3000", "tool (edit) cart.go 10 failed", "model (answer) 500",
		"tool go test ./... -run 'A very long name of a test that nobody… 40", "report (report) 700")
}

func TestToolsBesideEachOther(t *testing.T) {
	l := newLane(t)
	l.begin(250)
	a, b := call("1", "read_file", `{"uri":"a.go"}`), call("2", "ls", `{"uri":"."}`)
	l.model(0, 100, a, b)
	at := l.now
	l.take(l.live.Call(1, a, at))
	l.take(l.live.Call(2, b, at))
	l.now += 80
	l.put(timeline.Message{Index: 1, Tool: true, AtMs: at, TookMs: 80}, result(a))
	l.put(timeline.Message{Index: 2, Tool: true, AtMs: at + 1, TookMs: 30}, result(b)) // it began a little later
	l.end(notebook.Stopped)
	l.want("queued  250", "model (answer) 100", "tool (read) a.go 80", "tool ls 30")
}

func TestARejectedCallWaitedAndNeverRan(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	c := call("1", "mkdir", `{"uri":"x"}`)
	l.model(0, 100, c)
	l.take(l.live.Wait(1, &c, l.now))
	l.now += 900
	l.put(timeline.Message{Index: 1, Tool: true, IsError: true}, result(c))
	unknown := call("2", "nothing", `{}`)
	l.model(2, 100, unknown)
	l.put(timeline.Message{Index: 3, Tool: true, IsError: true}, result(unknown))
	l.model(4, 50)
	l.end(notebook.Done)
	l.want("model (answer) 100", "waiting mkdir x 900", "model (answer) 100", "model (answer) 50")
}

func TestARequestThatWaitsForMoney(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	at := l.now
	l.take(l.live.Ask(0, at))
	l.now++
	l.take(l.live.Hold(l.now))
	l.now += 2000
	l.take(l.live.Resume(l.now))
	l.take(l.live.Hold(l.now)) // another budget, at once
	l.now += 500
	l.take(l.live.Resume(l.now))
	l.now += 300
	if got := l.live.Since(0, l.now); got.TookMs != 300 || got.WaitedMs != 2500 {
		t.Errorf("so far %+v", got)
	}
	l.put(timeline.Message{Index: 0, Said: true, Reasoned: true, AtMs: at, TookMs: l.now - at}, chat.Message{Role: chat.Assistant, Content: chat.Text("x"), ReasoningContent: "hm"})
	l.end(notebook.Done)
	l.want("waiting  2500", "model (thinkingAnswer) 300")

	l.begin(0) // and one without any
	l.take(l.live.Ask(0, l.now))
	l.take(l.live.Hold(l.now))
	l.now += 400
	l.end(notebook.Stopped)
	l.want("waiting  2500", "model (thinkingAnswer) 300", "waiting  400")
}

func TestFailures(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	l.take(l.live.Ask(0, l.now))
	l.now += 4000
	l.end(notebook.Failed) // nothing came
	l.want("model  4000 failed")

	l.begin(0)
	l.model(0, 70)
	l.end(notebook.Broken) // the stream broke
	l.want("model  4000 failed", "model (answer) 70 failed")

	l.begin(0)
	c := call("1", "ls", `{"uri":"src"}`)
	l.model(0, 20, c)
	l.tool(1, c, 5, false)
	l.take(l.live.Ask(2, l.now))
	l.now += 60
	l.end(notebook.Broken) // the second request brought nothing
	l.want("model  4000 failed", "model (answer) 70 failed", "model (answer) 20", "tool ls src 5", "model  60 failed")
}

// Times stored while an answer streamed are visible after a crash.
func TestACrashShowsHowFarItCame(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	l.take(l.live.Ask(0, l.now))
	l.now += 120
	so := l.live.Since(0, l.now)
	l.must(l.nb.PutMessage(l.cell, 0, notebook.Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("half")}, AtMs: so.AtMs, TookMs: so.TookMs}))
	if got := l.kinds(); !slices.Equal(got, []string{"model (answer) 120 failed"}) {
		t.Errorf("got %q", got)
	}
}

// Answers of other programs, and of earlier versions, contain only their duration.
func TestAnOldNotebook(t *testing.T) {
	nb, err := notebook.Parse([]byte(`{"metadata":{"uuid":"o"},"context":[
		{"role":"user","content":"p","metadata":{"cell_id":"c1","run":{"started_at":"2026-01-01T00:00:00.000Z","took_ms":900,"outcome":"done"}}},
		{"role":"assistant","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"grep","arguments":"{}"}}],"metadata":{"took_ms":500}},
		{"role":"tool","tool_call_id":"1","content":"y","metadata":{"took_ms":300}},
		{"role":"assistant","content":"z","metadata":{"took_ms":100,"started_at":"nonsense"}},
		{"role":"user","content":"p2"},{"role":"assistant","content":"nobody knows when","metadata":{"took_ms":-5}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	l := timeline.Of([]timeline.Agent{{ID: "o", Trace: nb.Encoded().Trace(100)}}, 0).Lanes[0]
	var got []string
	from := l.Spans[0].StartMs
	for _, s := range l.Spans {
		got = append(got, fmt.Sprint(s.Kind, s.StartMs-from, s.EndMs-from))
	}
	if want := []string{"model0 500", "tool500 800", "model800 900"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLinks(t *testing.T) {
	agent := func(id, parent string, runs ...[2]int64) timeline.Agent {
		a := timeline.Agent{ID: id, Parent: parent}
		for i, r := range runs {
			a.Trace.Cells = append(a.Trace.Cells, notebook.CellTrace{Cell: fmt.Sprint("c", i), Run: notebook.RunInfo{StartedAtMs: r[0], TookMs: r[1]}})
		}
		return a
	}
	root := agent("root", "", [2]int64{1000, 9000})
	root.Trace.Cells[0].Messages = []notebook.MessageTrace{
		{Role: chat.Assistant, AtMs: 1000, TookMs: 1000, Calls: []chat.ToolCall{call("1", "self_fork", "{}")}},
		{Role: chat.Tool, ToolCallID: "1", AtMs: 2000, TookMs: 5000},
	}
	busy := agent("busy", "root", [2]int64{2200, 0})
	busy.Running = "c0"
	v := timeline.Of([]timeline.Agent{root,
		agent("a", "root", [2]int64{2100, 900}, [2]int64{3500, 1500}, [2]int64{8000, 100}), // steered once, and used again later
		agent("saved", "root", [2]int64{6000, 2200}),                                       // its end was recorded after its parent went on
		busy, agent("idle", "root"), agent("late", "root", [2]int64{9500, 100}),
	}, 0)
	want := []timeline.Link{
		{From: "root", To: "a", AtMs: 2100, Kind: "fork"}, {From: "a", To: "root", AtMs: 5000, Kind: "report"},
		{From: "root", To: "saved", AtMs: 6000, Kind: "fork"}, {From: "saved", To: "root", AtMs: 8200, Kind: "report"},
		{From: "root", To: "busy", AtMs: 2200, Kind: "fork"}, {From: "root", To: "late", AtMs: 9500, Kind: "fork"},
	}
	if !reflect.DeepEqual(v.Links, want) {
		t.Errorf("got  %+v\nwant %+v", v.Links, want)
	}
	if v.Root != "root" || v.StartMs != 1000 {
		t.Errorf("root %s, start %d", v.Root, v.StartMs)
	}
}

func TestALongLaneKeepsItsEnd(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	for i := 0; i < 40; i += 2 {
		c := call(fmt.Sprint(i), "ls", `{"uri":"."}`)
		l.model(i, 10, c)
		l.tool(i+1, c, 10, false)
	}
	l.end(notebook.Done)
	whole := l.past().Spans
	v := timeline.Of([]timeline.Agent{{ID: "u1", Path: "a.mtm", Trace: l.nb.Encoded().Trace(7)}}, 7)
	if got := v.Lanes[0]; !got.Cut || !reflect.DeepEqual(got.Spans, whole[len(whole)-7:]) {
		t.Errorf("got cut %v, %+v", got.Cut, got.Spans)
	}
	if l.past().Cut {
		t.Error("the whole lane is marked as cut")
	}
}

func BenchmarkTimeline20x500(b *testing.B) {
	agents := make([]timeline.Agent, 20)
	nbs := make([]*notebook.Snapshot, len(agents))
	for i := range agents {
		nb := notebook.New(fmt.Sprint("u", i), "A", "u0", nil, time.UnixMilli(start))
		c, _ := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: "p"}})
		nb.BeginRun(c.NewID, notebook.RunInfo{StartedAtMs: start})
		text := chat.Text(fmt.Sprintf("%2000d", 1))
		for k := range 500 {
			m := notebook.Message{Message: chat.Message{Role: chat.Assistant, Content: text}, AtMs: start + int64(k)*10, TookMs: 9}
			if k%2 == 0 {
				m.ToolCalls = []chat.ToolCall{call(fmt.Sprint(k), "shell", `{"command":"go test ./..."}`)}
			} else {
				m.Role, m.ToolCallID = chat.Tool, fmt.Sprint(k-1)
			}
			nb.PutMessage(c.NewID, k, m)
		}
		agents[i] = timeline.Agent{ID: fmt.Sprint("u", i), Path: "a.mtm", Parent: "u0", Depth: 1}
		nbs[i] = nb.Encoded()
	}
	for b.Loop() {
		for i := range agents {
			agents[i].Trace = nbs[i].Trace(timeline.SpansOfLane)
		}
		if v := timeline.Of(agents, 0); len(v.Lanes[19].Spans) != 500 {
			b.Fatal(len(v.Lanes[19].Spans))
		}
	}
}
