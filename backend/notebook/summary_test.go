package notebook

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
)

// Reading only the two ends of a large file gives the same summary as reading all of it.
func TestHeadOfLargeFiles(t *testing.T) {
	big := workload(3 << 20)
	build := func(edit func(d *Document)) []byte {
		d, err := Parse(big)
		must(t, err)
		d.SetParent("p")
		edit(d)
		return d.Encoded().Bytes()
	}
	run := func(d *Document, o Outcome, m ...Message) {
		id := d.cells.list[len(d.cells.list)-1].id
		_, err := d.BeginRun(id, RunInfo{})
		must(t, err)
		for i, m := range m {
			must(t, d.PutMessage(id, i, m))
		}
		_, err = d.EndRun(id, RunInfo{Outcome: o})
		must(t, err)
	}
	finish := Message{Message: chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Function: chat.Function{Name: "task_finish", Arguments: "{}"}}}}}
	insert := func(d *Document, n int) {
		for range n {
			_, err := d.Apply([]Edit{{Kind: EditInsert, Text: "later " + strings.Repeat("x", 300)}})
			must(t, err)
		}
	}
	long := Message{Message: chat.Message{Role: chat.Tool, Content: chat.Text(strings.Repeat("{\n    {\n", 40_000))}}
	for name, c := range map[string]struct {
		text             []byte
		ends             bool // the ends are enough
		finished, failed bool
	}{
		"as it is":             {build(func(d *Document) {}), true, false, false},
		"failed":               {build(func(d *Document) { run(d, Failed) }), true, false, true},
		"broken, prompts wait": {build(func(d *Document) { run(d, Broken, says("half")); insert(d, 2000) }), true, false, true},
		"finished":             {build(func(d *Document) { run(d, Done, finish) }), true, true, false},
		"marked":               {build(func(d *Document) { d.SetFinished(true) }), true, true, false},
		"a long answer":        {build(func(d *Document) { run(d, Failed, long, long) }), true, false, true},
		"large branches": {build(func(d *Document) {
			insert(d, 1)
			_, err := d.Apply([]Edit{{Kind: EditRewind, Cell: d.cells.list[30].id}})
			must(t, err)
		}), true, false, false},
		"another layout":          {bytes.ReplaceAll(build(func(d *Document) { run(d, Failed) }), []byte("\n"), []byte("\r\n")), false, false, true},
		"another list at the end": {slices.Concat(bytes.TrimSuffix(big, []byte("\n}")), []byte(",\n  \"x\": [\n    {\n      \"y\": 1\n    }\n  ]\n}")), false, false, false},
		"with more at the end":    {slices.Concat(bytes.TrimSuffix(big, []byte("\n}")), []byte(",\n  \"x\": []\n}")), false, false, false},
	} {
		path := filepath.Join(t.TempDir(), "a.mtm")
		must(t, os.WriteFile(path, c.text, 0o644))
		h, err := ReadSummary(path)
		must(t, err)
		if h.UUID == "" || h.Name != "bench" || h.Problem != "" || h.Finished != c.finished || h.Failed != c.failed || (h.Prompts == -1) != c.ends || h.CreatedAt != "2026-02-08T00:00:00.000Z" {
			t.Errorf("%s: %+v", name, h)
		}
		d, err := Parse(c.text)
		must(t, err)
		var whole Summary
		whole.fill(&d.meta)
		whole.end(d.cells.list)
		h.ModifiedMs, h.Prompts = 0, 0
		if !c.ends {
			whole.Tally = d.Tally()
		}
		if !reflect.DeepEqual(h, whole) {
			t.Errorf("%s: %+v from the ends, %+v from all", name, h, whole)
		}
	}
}

func TestHeadOfSmallAndBadFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	write(t, path, mixed)
	h, err := ReadSummary(path)
	if err != nil || h.UUID != "u" || h.Prompts != 3 || h.ModifiedMs == 0 {
		t.Errorf("%+v, %v", h, err)
	}
	write(t, path, `{"metadata":{"uuid":"u","name":"n"},"context":[`+strings.Repeat(" ", 2<<20))
	if h, err := ReadSummary(path); err != nil || !strings.Contains(h.Problem, "line 1") || h.UUID != "u" || h.Name != "n" {
		t.Errorf("%+v, %v", h, err)
	}
	if h, err := ReadSummary(dir); err != nil || h.Problem == "" {
		t.Errorf("a folder: %+v, %v", h, err)
	}
	if _, err := ReadSummary(filepath.Join(dir, "no.mtm")); !fault.Is(err, fault.NotFound) {
		t.Errorf("no file: %v", err)
	}
}

func TestRepair(t *testing.T) {
	messages := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(`{"role":"user","content":"message %d \" with \\ {[,"}`, i))
		}
		return list
	}
	sound := own(t, notebookOf(messages(5)...))
	texts := func(d *Document) string {
		var b strings.Builder
		for _, c := range d.cells.list {
			fmt.Fprintf(&b, "%s|", d.links.plainText(c))
		}
		return b.String()
	}
	all := texts(parsed(t, sound))
	for name, c := range map[string]struct {
		text, want   string
		whole, mend  int
		metadataGone bool
	}{
		"sound":               {sound, all, 5, 0, false},
		"compact, sound":      {notebookOf(messages(5)...), all, 5, 0, false},
		"not UTF-8":           {strings.Replace(sound, "message 2", "mess\xffage 2", 1), strings.Replace(all, "message 2", "mess\uFFFDage 2", 1), 5, 0, false},
		"no end":              {strings.TrimSuffix(sound, "\n  ]\n}"), all, 5, 0, false},
		"cut in a text":       {sound[:strings.Index(sound, " 4 ")], strings.Replace(all, "message 4 \" with \\ {[,|", "message|", 1), 4, 1, false},
		"cut after an escape": {sound[:strings.Index(sound, " 4 ")+4], strings.Replace(all, " 4 \" with \\ {[,|", " 4 |", 1), 4, 1, false},
		"a raw line break":    {strings.Replace(sound, "message 2", "mess\nage 2", 1), strings.Replace(all, "message 2", "mess\nage 2", 1), 4, 1, false},
		"no closing quote":    {strings.Replace(sound, "message 2 \\\" with \\\\ {[,\"", "message 2", 1), strings.Replace(all, "message 2 \" with \\ {[,|", "message 2|", 1), 4, 1, false},
		"no commas":           {strings.ReplaceAll(sound, "},\n", "}\n"), all, 5, 0, false},
		"a comma too many":    {strings.Replace(sound, "{[,\"\n    }\n", "{[,\",\n    },\n", 1), all, 4, 1, false},
		"conflict markers":    {strings.Replace(sound, "    {\n      \"role\": \"user\",\n      \"content\": \"message 3", "<<<<<<< HEAD\n    {\n      \"role\": \"user\",\n      \"content\": \"message 3", 1), all, 5, 0, false},
		"zeros in the middle": {strings.Replace(sound, "sage 2 ", strings.Repeat("\x00", 7), 1), strings.Replace(all, "sage 2 ", strings.Repeat("\x00", 7), 1), 4, 1, false},
		"no metadata":         {sound[strings.Index(sound, `"context"`):], all, 5, 0, true},
		"metadata damaged":    {strings.Replace(sound, `"u"`, `u`, 1), all, 5, 0, true},
		"no beginning":        {sound[strings.Index(sound, "age 1"):], all[strings.Index(all, "message 2"):], 3, 0, true},
		"other keys first":    {`{"metadata":{"uuid":"u"},"context":[{"id":1,"content":"a","role":"user"},{"content":"b","role":"user"`, "a|b|", 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			d, done, err := Repair([]byte(c.text))
			must(t, err)
			if got := texts(d); got != c.want {
				t.Errorf("kept %q\nwant %q", got, c.want)
			}
			if done.Messages != c.whole || done.Mended != c.mend {
				t.Errorf("%v, want %d whole, %d mended", done, c.whole, c.mend)
			}
			if m := d.Meta(); (m.UUID == "u") == c.metadataGone {
				t.Errorf("metadata %+v", m)
			}
			checkFile(t, d)
		})
	}
	for _, text := range []string{"", "hello", "[]", "{}"} {
		if _, _, err := Repair([]byte(text)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q was repaired: %v", text, err)
		}
	}
}

// Wherever a file breaks off, every message before that place is kept whole.
func TestRepairOfEveryTruncation(t *testing.T) {
	text := own(t, mixed)
	d := parsed(t, mixed)
	var ends []int // where each message ends in the file
	at := 0
	for _, c := range d.cells.list {
		for m := range (&branch{below: []*cell{c}}).messages {
			at += strings.Index(text[at:], string(m.raw())) + len(m.raw())
			ends = append(ends, at)
		}
	}
	for n := range len(text) {
		want := 0
		for want < len(ends) && ends[want] <= n {
			want++
		}
		r, done, err := Repair([]byte(text[:n]))
		if err != nil {
			if want > 0 {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if done.Messages < want || done.Messages+done.Mended > want+1 {
			t.Fatalf("cut at %d: %v, want %d", n, done, want)
		}
		checkFile(t, r)
	}
}

// Damage cannot make a repair quadratic.
func BenchmarkRepairHostile(b *testing.B) {
	text := []byte(`{"metadata":{},"context":[` + strings.Repeat(`{"role":"x","a":[`, 60_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _, _ = Repair(text)
	}
}
