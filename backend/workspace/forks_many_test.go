package workspace_test

import (
	"fmt"
	"strings"
	"testing"
)

// Twenty agents stream at once: no event is lost or out of order, and each notebook holds what the
// server sent to it.
func TestTwentyAgentsAtOnce(t *testing.T) {
	t.Parallel()
	const agents, words = 20, 300
	var children []string
	script, sent := "", map[string]string{}
	for i := range agents {
		name := fmt.Sprintf("Agent %02d", i)
		var b strings.Builder
		for w := range words {
			fmt.Fprintf(&b, "a%02d-w%03d ", i, w)
		}
		sent[name] = b.String()
		children = append(children, fmt.Sprintf("%s: do part-%02d", name, i))
		script += saying(fmt.Sprintf("do part-%02d", i), fmt.Sprintf("words 1ms %q\nwait all\ntool task_finish {\"summary\":\"part-%02d is done\"}", sent[name], i))
	}
	d := open(t, "", saying("PARENT", forkCall(children...))+saying("PARENT", "text all")+script)
	limit(t, d, agents)
	path, cell := d.fork()
	first := d.since
	events := d.untilStarted(agents)
	d.server.Let("all")
	events = append(events, d.until(func(e item) bool { return e.Type == "runFinished" && e.Data["path"] == path })...)
	streamed := map[string]*strings.Builder{}
	under := map[string]bool{} // runs under way
	at := map[string]float64{}
	for i, e := range events {
		if e.Seq != first+uint64(i)+1 {
			t.Fatalf("event %d follows %d", e.Seq, first+uint64(i))
		}
		file, _ := e.Data["path"].(string)
		id, _ := e.Data["runId"].(string)
		switch e.Type {
		case "runStarted":
			under[id] = true
		case "runFinished":
			if !under[id] && file != path {
				t.Errorf("%s ended twice or without having begun", id)
			}
			delete(under, id)
		case "delta", "messagePut":
			if !under[id] && file != path {
				t.Errorf("%s of %s came outside of its run", e.Type, id)
			}
			index, _ := e.Data["index"].(float64)
			if index < at[id] {
				t.Errorf("message %v of %s came after message %v", index, id, at[id])
			}
			at[id] = index
		}
		if text, _ := e.Data["text"].(string); e.Type == "delta" && e.Data["index"] == 0.0 {
			if streamed[file] == nil {
				streamed[file] = &strings.Builder{}
			}
			streamed[file].WriteString(text)
		}
	}
	if n := most(events); n != agents {
		t.Errorf("%d ran at once", n)
	}
	for _, n := range d.Nodes() {
		want, isChild := sent[n.Name]
		if !isChild {
			continue
		}
		if got := streamed[n.File]; got == nil || got.String() != want {
			t.Errorf("%s: the deltas are not what the server sent", n.Name)
		}
		if got := d.answer(n.File, d.promptOf(n.File)); !strings.HasPrefix(got, "assistant: "+want) {
			t.Errorf("%s: the notebook is not what the server sent: %.80s", n.Name, got)
		}
	}
	if got := d.answer(path, cell); !strings.Contains(got, "20 children: 20 finished.") || !strings.Contains(got, "part-19 is done") {
		t.Errorf("the report: %.600s", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "")
	for _, n := range again.Nodes() {
		want, isChild := sent[n.Name]
		if isChild && !strings.HasPrefix(again.answer(n.File, again.promptOf(n.File)), "assistant: "+want) {
			t.Errorf("%s: the file is not what the server sent", n.Name)
		}
	}
}
