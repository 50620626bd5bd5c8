package workspace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/timeline"
	"mutsumi/backend/workspace"
)

// deck is a timeline as the interface keeps it: the loaded view, plus every event after it.
type deck struct {
	spans map[string]timeline.Span
	links map[string]timeline.Link
	past  int // how often it had to be reloaded
	told  int // number of events
}

func newDeck(v timeline.View) *deck {
	k := &deck{spans: map[string]timeline.Span{}, links: map[string]timeline.Link{}}
	for _, l := range v.Lanes {
		k.take(l.Spans, nil)
	}
	k.take(nil, v.Links)
	return k
}

func (k *deck) take(spans []timeline.Span, links []timeline.Link) {
	for _, s := range spans {
		if k.spans[s.ID] = s; s.EndMs == s.StartMs {
			delete(k.spans, s.ID)
		}
	}
	for _, l := range links {
		k.links[l.Kind+" "+l.From+" "+l.To] = l
	}
}

func (k *deck) event(e item) {
	if e.Type != "timelineChanged" {
		return
	}
	var data struct {
		Spans []timeline.Span
		Links []timeline.Link
		Past  string
	}
	raw, _ := json.Marshal(e.Data)
	json.Unmarshal(raw, &data)
	k.take(data.Spans, data.Links)
	k.told++
	if data.Past != "" {
		k.past++
	}
}

// agrees fails unless a view matches the reported events, also in its order. Events and the file
// take their times one after the other, so times differ a little, on a busy machine more.
func (k *deck) agrees(t *testing.T, v timeline.View) {
	t.Helper()
	near := func(a, b int64) bool { return max(a-b, b-a) < 10_000 }
	seen := 0
	for _, l := range v.Lanes {
		var last timeline.Span
		for _, s := range l.Spans {
			told := k.spans[s.ID]
			from, to := told.StartMs, told.EndMs
			if told.StartMs, told.EndMs = s.StartMs, s.EndMs; told != s || !near(from, s.StartMs) || !near(to, s.EndMs) {
				t.Errorf("%s: reported %+v from %d to %d, computed %+v", s.ID, told, from, to, s)
			}
			seen++
			if s.Kind == timeline.Queued { // may overlap what ran before
				continue
			}
			if before := k.spans[last.ID]; last.EndMs <= s.StartMs && before.StartMs > from {
				t.Errorf("%s: reported as before %s", s.ID, last.ID)
			}
			last = s
		}
	}
	for id, s := range k.spans {
		if !strings.Contains(fmt.Sprint(v.Lanes), id) && s.EndMs-s.StartMs > 2 {
			t.Errorf("told and not computed: %+v", s)
		}
	}
	for _, l := range v.Links {
		if told := k.links[l.Kind+" "+l.From+" "+l.To]; !near(told.AtMs, l.AtMs) {
			t.Errorf("link reported %+v, computed %+v", told, l)
		} else if fork := k.links[timeline.LinkFork+" "+l.To+" "+l.From]; l.Kind == timeline.LinkReport && fork.AtMs > told.AtMs {
			t.Errorf("%+v is reported as before %+v", told, fork)
		}
	}
	if seen == 0 {
		t.Error("the view is empty")
	}
}

func (d *desk) timeline(path string) timeline.View {
	d.t.Helper()
	v, err := d.Timeline(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

func kindsOf(l timeline.Lane) string {
	var out []string
	for _, s := range l.Spans {
		out = append(out, string(s.Kind))
	}
	return strings.Join(out, " ")
}

func TestATimelineIsTheSameAfterARestart(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nreasoning Hm\ndelay 20ms\n"+writeCall("new.txt", "x")+
		"tool shell {\"command\":\"sleep 0.05\"}\n"+
		"answer\ndelay 20ms\ntool grep {\"pattern\":\"x\"}\n"+
		"answer\ndelay 20ms\ntool task_finish {\"summary\":\"done\"}\n")
	root := d.create("Root")
	child, err := d.Create(catalog.NewNotebook{Name: "Child", ParentID: d.Nodes()[0].UUID})
	if err != nil {
		t.Fatal(err)
	}
	before := d.timeline(root)
	if len(before.Lanes) != 2 || before.Lanes[0].Path != root || before.Lanes[1].Path != child || before.Lanes[1].Depth != 1 || len(before.Lanes[1].Spans) != 0 {
		t.Fatalf("before anything ran: %+v", before)
	}
	k := newDeck(before)
	d.since = before.Seq
	cell := d.prompt(child, "work")
	d.run(child, cell, runner.RunCell)
	d.untilDeck(k, func(e item) bool { return e.Type == "approvalsChanged" && e.Data["removed"] == nil })
	now := d.timeline(child) // of the same tree, while it runs
	if open := now.Lanes[1].Spans[len(now.Lanes[1].Spans)-1]; open.Kind != timeline.Waiting || open.EndMs != 0 || open.Word != timeline.WordWrite || open.Text != "new.txt" || open.Cell != cell || open.Index != 1 {
		t.Errorf("while it waits: %+v", open)
	}
	time.Sleep(30 * time.Millisecond) // the person thinks
	for range 2 {
		waiting, _ := d.Approvals()
		if err := d.ResolveApproval(waiting[0].ID, approval.Decision{Allow: true}); err != nil {
			t.Fatal(err)
		}
		if waiting[0].Tool == "write_file" {
			d.untilDeck(k, func(e item) bool { return e.Type == "approvalsChanged" && e.Data["removed"] == nil })
		}
	}
	d.untilDeck(k, is("runFinished"))
	after := d.timeline(root)
	k.agrees(t, after)
	if got := kindsOf(after.Lanes[1]); !strings.HasPrefix(got, "model waiting") || !strings.Contains(got, "tool model") || !strings.HasSuffix(got, " report") {
		t.Errorf("kinds %s", got)
	}
	for _, s := range after.Lanes[1].Spans {
		if s.Kind == timeline.Waiting && s.Text == "new.txt" && s.EndMs-s.StartMs < 25 || s.Kind == timeline.Tool && s.Text == "sleep 0.05" && s.EndMs-s.StartMs < 45 {
			t.Errorf("too short: %+v", s)
		}
	}
	if len(after.Links) != 1 || after.Links[0].To != after.Lanes[1].Agent || after.Links[0].Kind != timeline.LinkFork {
		t.Errorf("links %+v", after.Links)
	}
	if k.told > 24 {
		t.Errorf("%d events for three requests and four calls", k.told)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	later := open(t, d.folder, "")
	k.agrees(t, later.timeline(child))
	if _, err := later.Timeline(".mutsumi/none.mtm"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a notebook that is not there: %v", err)
	}
}

// untilDeck is until, and keeps the deck up to date.
func (d *desk) untilDeck(k *deck, fits func(item) bool) {
	d.t.Helper()
	d.until(func(e item) bool {
		k.event(e)
		return fits(e)
	})
}

func TestATimelineOfAQueueAndOfAFailure(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nwait one\ndelay 5ms\ntext one\nanswer\ndelay 5ms\nfail 401 Wrong key\nanswer\ndelay 5ms\ntext again")
	path := d.create("Queue")
	first := d.prompt(path, "one")
	second := d.prompt(path, "two")
	third := d.prompt(path, "never")
	k := newDeck(d.timeline(path))
	d.run(path, first, runner.RunAll)
	if err := d.Unqueue(path, third); err != nil {
		t.Fatal(err)
	}
	d.server.Let("one")
	ends := 0
	d.untilDeck(k, func(e item) bool {
		if e.Type == "runFinished" {
			ends++
		}
		return ends == 3
	})
	v := d.timeline(path)
	k.agrees(t, v)
	if got := kindsOf(v.Lanes[0]); got != "queued model model" && got != "model queued model" {
		t.Errorf("kinds %s", got)
	}
	last := v.Lanes[0].Spans[len(v.Lanes[0].Spans)-1]
	if last.Cell != second || !last.Failed {
		t.Errorf("the failure: %+v", last)
	}
	past := k.past
	d.run(path, first, runner.RunCell) // removes the old answer and its spans
	d.untilDeck(k, is("runFinished"))
	if k.past != past+1 {
		t.Errorf("reported another past %d times", k.past-past)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditDelete, Cell: second}}, ""); err != nil {
		t.Fatal(err)
	}
	if v = d.timeline(path); strings.Contains(fmt.Sprint(v.Lanes), second) {
		t.Errorf("a deleted cell is in %+v", v)
	}
}

// Other notebooks of the folder are not read, and a file that is not a notebook has an empty lane.
func TestATimelineReadsItsTreeOnly(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ndelay 5ms\ntext one")
	path := d.create("Root")
	d.run(path, d.prompt(path, "x"), runner.RunCell)
	d.untilFinished(1)
	other := filepath.Join(d.folder, "broken.mtm")
	if err := os.WriteFile(other, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.until(func(item) bool {
		return slices.ContainsFunc(d.Nodes(), func(n agenttree.Node) bool { return n.File == "broken.mtm" })
	})
	if v := d.timeline(path); len(v.Lanes) != 1 || len(v.Lanes[0].Spans) == 0 {
		t.Errorf("got %+v", v)
	}
	if v := d.timeline("broken.mtm"); len(v.Lanes) != 1 || v.Lanes[0].Agent != "broken.mtm" || len(v.Lanes[0].Spans) != 0 {
		t.Errorf("got %+v", v)
	}
	if _, err := d.Timeline("../x.mtm"); !fault.Is(err, fault.Denied) {
		t.Errorf("a path outside: %v", err)
	}
}

func TestATimelineOfAFork(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("Reader: FIRST", "Writer: SECOND"))+saying("PARENT", "delay 5ms\ntext all done")+
		"answer when \"FIRST\"\ndelay 40ms\ntool task_finish {\"summary\":\"read\"}\nanswer when \"SECOND\"\ndelay 40ms\ntool task_finish {\"summary\":\"wrote\"}\n")
	d.alike()
	limit(t, d, 1)
	path := d.create("Parent")
	k := newDeck(d.timeline(path))
	d.run(path, d.prompt(path, "PARENT"), runner.RunCell)
	d.untilDeck(k, func(e item) bool { return e.Type == "approvalsChanged" && e.Data["removed"] == nil })
	waiting, _ := d.Approvals()
	if err := d.ResolveApproval(waiting[0].ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilDeck(k, func(e item) bool { return e.Type == "runFinished" && e.Data["path"] != path })
	if v := d.timeline(path); !strings.Contains(kindsOf(v.Lanes[0]), "waiting forked") {
		t.Errorf("while the children work: %s", kindsOf(v.Lanes[0]))
	}
	d.untilDeck(k, func(e item) bool { return e.Type == "runFinished" && e.Data["path"] == path })
	v := d.timeline(path)
	k.agrees(t, v)
	if len(v.Lanes) != 3 || !strings.Contains(kindsOf(v.Lanes[0]), "forked model") {
		t.Fatalf("got %+v", v)
	}
	both := kindsOf(v.Lanes[1]) + ", " + kindsOf(v.Lanes[2])
	if !strings.Contains(both, "queued report") || strings.Count(both, "report") != 2 {
		t.Errorf("the children: %s", both)
	}
	var links []string
	for _, l := range v.Links {
		links = append(links, l.Kind)
	}
	if strings.Join(links, " ") != "fork report fork report" || len(k.links) != 4 {
		t.Errorf("links %v, reported %v", v.Links, k.links)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	k.agrees(t, open(t, d.folder, "").timeline(path))
}

func TestATimelineOfAPauseAndAQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool ask_user {\"question\":\"Which?\"}\nanswer\ndelay 10ms\ntext fine")
	path := d.create("Held")
	k := newDeck(d.timeline(path))
	if err := d.SetPaused(true); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "x"), runner.RunCell)
	held := func() bool {
		for _, s := range k.spans {
			if s.Kind == timeline.Waiting && s.EndMs == 0 {
				return true
			}
		}
		return false
	}
	d.untilDeck(k, func(item) bool { return held() })
	time.Sleep(15 * time.Millisecond)
	if err := d.SetPaused(false); err != nil {
		t.Fatal(err)
	}
	d.untilDeck(k, func(e item) bool { return e.Type == "approvalsChanged" && e.Data["removed"] == nil })
	time.Sleep(15 * time.Millisecond)
	waiting, _ := d.Approvals()
	if err := d.ResolveApproval(waiting[0].ID, approval.Decision{Allow: true, Answer: "this"}); err != nil {
		t.Fatal(err)
	}
	d.untilDeck(k, is("runFinished"))
	v := d.timeline(path)
	k.agrees(t, v)
	var waits []string
	for _, s := range v.Lanes[0].Spans {
		if s.Kind == timeline.Waiting && s.EndMs-s.StartMs >= 14 {
			waits = append(waits, string(s.Word))
		}
	}
	if strings.Join(waits, ",") != ",question" {
		t.Errorf("waits %q in %+v", waits, v.Lanes[0].Spans)
	}
}

// A tree of 20 agents with 500 messages each, read from their files.
func BenchmarkTimeline20x500(b *testing.B) {
	folder := b.TempDir()
	text := strings.Repeat("word ", 400)
	for i := range 20 {
		parent := "root"
		id := fmt.Sprint("child", i)
		if i == 0 {
			parent, id = "", "root"
		}
		nb := notebook.New(id, id, parent, []string{folder}, time.Unix(1_800_000_000+int64(i), 0))
		c, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: "prompt"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := nb.BeginRun(c.NewID, notebook.RunInfo{StartedAtMs: 1_800_000_000_000}); err != nil {
			b.Fatal(err)
		}
		for k := range 500 {
			m := notebook.Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text(text)}, AtMs: 1_800_000_000_000 + int64(k)*100, TookMs: 90}
			if k%2 == 0 {
				m.ToolCalls = []chat.ToolCall{{ID: fmt.Sprint(k), Type: "function", Function: chat.Function{Name: "shell", Arguments: `{"command":"go test ./..."}`}}}
			} else {
				m.Role, m.ToolCallID = chat.Tool, fmt.Sprint(k-1)
			}
			if err := nb.PutMessage(c.NewID, k, m); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, id+".mtm"), nb.Encoded().Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	store, err := settings.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Folder: folder, Settings: store, CacheDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	w.Nodes()
	for b.Loop() {
		v, err := w.Timeline("root.mtm")
		if err != nil || len(v.Lanes) != 20 || len(v.Lanes[19].Spans) != 500 {
			b.Fatalf("%d lanes, %v", len(v.Lanes), err)
		}
	}
}
