package notebook

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
)

// window is the state of an interface that learns only from Changes.
type window struct {
	t     *testing.T
	cells []CellView
	known map[string]*CellBody // by id and rev
}

func key(v CellView) string { return fmt.Sprint(v.ID, " ", v.Rev) }

func newWindow(t *testing.T, d *Document) *window {
	w := &window{t: t, known: map[string]*CellBody{}}
	w.cells = d.View(1, d.Len()).Cells
	for _, c := range w.cells {
		w.known[key(c)] = c.Body
	}
	return w
}

// learn updates a cell from the events of a run.
func (w *window) learn(d *Document, id string) {
	v := d.Cells([]string{id})[0]
	w.known[key(v)] = v.Body
	w.cells[d.cells.index(id)] = v
}

// apply carries out a Change and checks the result against the document.
func (w *window) apply(d *Document, c Change) {
	w.t.Helper()
	for i, v := range c.Cells {
		if v.Body == nil {
			v.Body = w.known[key(v)]
		}
		w.known[key(v)] = v.Body
		c.Cells[i] = v
	}
	next := append([]CellView{}, w.cells[:c.At]...)
	next = append(append(next, c.Cells...), w.cells[c.At+c.Remove:]...)
	w.cells = next
	want := d.View(1, d.Len()).Cells
	if len(want) != len(w.cells) {
		w.t.Fatalf("the window has %d cells, the document %d", len(w.cells), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(w.cells[i], want[i]) {
			w.t.Fatalf("cell %d: the window has %+v %+v, the document %+v %+v", i, w.cells[i], w.cells[i].Body, want[i], want[i].Body)
		}
	}
}

// checkFile checks that the file which would be saved has the cells that are
// in memory.
func checkFile(t *testing.T, d *Document) []byte {
	t.Helper()
	text := d.Encoded().Bytes()
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(again.cells.list) != len(d.cells.list) {
		t.Fatalf("the file has %d cells, the document %d\n%s", len(again.cells.list), len(d.cells.list), text)
	}
	for i, c := range d.cells.list {
		if a := again.cells.list[i]; a.role() != c.role() || len(a.answer) != len(c.answer) {
			t.Fatalf("cell %d: %s with %d messages in the file, %s with %d in memory", i, a.role(), len(a.answer), c.role(), len(c.answer))
		}
	}
	if b := again.Encoded().Bytes(); !bytes.Equal(b, text) {
		t.Fatalf("saved again:\n%s\nsaved first:\n%s", b, text)
	}
	if len(d.meta.branches) != len(again.meta.branches) {
		t.Fatalf("%d branches in the file, %d in memory", len(again.meta.branches), len(d.meta.branches))
	}
	return text
}

const mixed = `{"metadata":{"uuid":"u","name":"n","created_at":"2026-01-01T00:00:00Z","parent_agent_id":null,"allowed_uris":["/ws"],"odd":{"n":1.0,"e":1e3}},"x":[1,{"y":null}],"context":[
{"role":"assistant","content":"before all"},
{"role":"user","content":"one","mark":12345678901234567890},
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"},"extra":true}]},
{"role":"tool","tool_call_id":"a","name":"ls","content":"out"},
{"role":"assistant","content":"done","reasoning_content":"why"},
{"role":"system","content":"note"},
{"role":"assistant","content":"after the note"},
{"role":"user","content":[{"type":"text","text":"see ","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":" and "},{"type":"input_audio","input_audio":{"data":"AA"}}]},
{"role":"user","content":"two"},
{"role":"assistant","content":"b"}]}`

func randomEdit(r *rand.Rand, d *Document, n int) Edit {
	kinds := []EditKind{EditInsert, EditSetText, EditDelete, EditMove, EditSplit, EditClear, EditRewind, EditRestore, EditDropBranch, EditRename, EditModel}
	e := Edit{Kind: kinds[r.IntN(len(kinds))], Text: fmt.Sprintf("text %d \"\u2028\x00", n), Rest: fmt.Sprint("rest ", n)}
	if r.IntN(4) == 0 {
		e.Rest = ""
	}
	if d.Len() > 0 {
		c := d.cells.list[r.IntN(d.Len())]
		e.Cell = c.id
		if r.IntN(3) > 0 {
			e.Before = d.cells.list[r.IntN(d.Len())].id
		}
		if c.prompt != nil && r.IntN(2) == 0 {
			e.Text = d.links.text(get(c.prompt.raw(), "content")) + " more"
		}
	}
	if r.IntN(3) == 0 {
		e.Role = "system"
	}
	if n := len(d.meta.branches); n > 0 {
		e.Branch = d.meta.branches[r.IntN(n)].id
	}
	return e
}

// After any edits in any order, the file has the cells in memory, the window follows, undoing all
// gives the first bytes, and redoing all the last.
func TestEveryEditCanBeUndoneAndRedone(t *testing.T) {
	done := map[EditKind]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		d, err := Parse([]byte(mixed))
		if err != nil {
			t.Fatal(err)
		}
		clock := time.UnixMilli(1_000_000)
		d.now = func() time.Time { return clock }
		w := newWindow(t, d)
		states := [][]byte{checkFile(t, d)}
		for n := range 25 {
			clock = clock.Add(time.Minute)
			edits := []Edit{randomEdit(r, d, n)}
			for r.IntN(4) == 0 {
				edits = append(edits, randomEdit(r, d, n))
			}
			rev := d.Rev()
			c, err := d.Apply(edits)
			text := checkFile(t, d)
			if err != nil {
				if !bytes.Equal(text, states[len(states)-1]) {
					t.Fatalf("seed %d: %+v was refused (%v) but changed something", seed, edits, err)
				}
				w.apply(d, Change{})
				continue
			}
			for _, e := range edits {
				done[e.Kind]++
			}
			w.apply(d, c)
			if d.Rev() != rev {
				states = append(states, text)
			}
			if r.IntN(6) == 0 && len(states) > 1 { // back and forth on the way
				for _, step := range []func() (Change, error){d.Undo, d.Redo} {
					c, err := step()
					if err != nil {
						t.Fatal(err)
					}
					w.apply(d, c)
				}
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			c, err := d.Undo()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			w.apply(d, c)
			if got := checkFile(t, d); !bytes.Equal(got, states[i]) {
				t.Fatalf("seed %d, after undo to %d:\n%s\nwant:\n%s", seed, i, got, states[i])
			}
		}
		if s := d.State(); s.CanUndo || !s.CanRedo && len(states) > 1 {
			t.Fatalf("seed %d: %+v", seed, s)
		}
		for i := 1; i < len(states); i++ {
			c, err := d.Redo()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			w.apply(d, c)
			if got := checkFile(t, d); !bytes.Equal(got, states[i]) {
				t.Fatalf("seed %d, after redo to %d:\n%s\nwant:\n%s", seed, i, got, states[i])
			}
		}
	}
	for _, kind := range []EditKind{EditInsert, EditSetText, EditDelete, EditMove, EditSplit, EditClear, EditRewind, EditRestore, EditDropBranch, EditRename, EditModel} {
		if done[kind] < 50 {
			t.Errorf("%s was tried only %d times", kind, done[kind])
		}
	}
}

func TestEditsOfOneCallAreAllOrNone(t *testing.T) {
	d := filled(t, 3)
	before := d.Encoded().Bytes()
	_, err := d.Apply([]Edit{
		{Kind: EditRename, Text: "other"},
		{Kind: EditInsert, Text: "new", ID: "mine"},
		{Kind: EditDelete, Cell: "c0"},
		{Kind: EditRewind, Cell: "c1"},
		{Kind: EditSetText, Cell: "nobody", Text: "x"},
	})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v", err)
	}
	if got := d.Encoded().Bytes(); !bytes.Equal(got, before) || d.State().CanUndo {
		t.Errorf("something stayed:\n%s", got)
	}
}

func TestBadEdits(t *testing.T) {
	d := filled(t, 2)
	for _, c := range []struct {
		edit Edit
		want fault.Kind
	}{
		{Edit{Kind: "paint"}, fault.Invalid},
		{Edit{Kind: EditInsert, Role: "assistant"}, fault.Invalid},
		{Edit{Kind: EditInsert, ID: "c0"}, fault.Invalid},
		{Edit{Kind: EditInsert, ID: `"><img>`}, fault.Invalid},
		{Edit{Kind: EditInsert, Before: "gone"}, fault.NotFound},
		{Edit{Kind: EditMove, Cell: "c0", Before: "gone"}, fault.NotFound},
		{Edit{Kind: EditRestore, Branch: "gone"}, fault.NotFound},
	} {
		if _, err := d.Apply([]Edit{c.edit}); !fault.Is(err, c.want) {
			t.Errorf("%+v: %v, want %s", c.edit, err, c.want)
		}
	}
}

// The links of parts stay good through everything a person does to a text.
func TestMultiPartText(t *testing.T) {
	d, err := Parse([]byte(mixed))
	if err != nil {
		t.Fatal(err)
	}
	at := 4
	id := d.cells.list[at].id
	text := d.Cells([]string{id})[0].Body.Text
	image, audio := partLink.FindAllString(text, -1)[0], partLink.FindAllString(text, -1)[1]
	if text != "see "+image+" and "+audio {
		t.Fatalf("text %q", text)
	}
	set := func(id, text string) []chat.Part {
		t.Helper()
		if _, err := d.Apply([]Edit{{Kind: EditSetText, Cell: id, Text: text}}); err != nil {
			t.Fatal(err)
		}
		if got := d.Cells([]string{id})[0].Body.Text; got != text {
			t.Fatalf("text %q, want %q", got, text)
		}
		h := decoded(t, d, id)
		return h[len(h)-1].Content.Parts
	}
	before := d.Encoded().Bytes()
	set(id, text)
	if !bytes.Equal(d.Encoded().Bytes(), before) {
		t.Error("setting the same text changed something")
	}
	if p := set(id, "look "+image+" and "+audio); len(p) != 3 || p[0].Text != "look " || p[1].ImageURL.URL != "data:image/png;base64,AAAA" {
		t.Errorf("parts %+v", p)
	}
	if raw := get(d.cells.list[at].prompt.raw(), "content"); !bytes.Contains(raw, []byte("ephemeral")) || !bytes.Contains(raw, []byte("input_audio")) {
		t.Errorf("unknown keys or parts are lost: %s", raw)
	}
	if p := set(id, "no image"); len(p) != 1 || p[0].Text != "no image" {
		t.Errorf("parts %+v", p)
	}
	if p := set(id, "back: "+image+image); len(p) != 3 || p[2].ImageURL == nil {
		t.Errorf("parts %+v", p)
	}
	if p := set(d.cells.list[5].id, "copied "+image); len(p) != 2 || p[1].ImageURL == nil {
		t.Errorf("parts %+v", p)
	}
	if p := set(d.cells.list[5].id, "![image](part:0000000000000000)"); len(p) != 1 || p[0].ImageURL != nil {
		t.Errorf("a link to nothing: %+v", p)
	}
	ref := partLink.FindStringSubmatch(image)[1]
	fresh, _ := Parse(before)
	if url, err := fresh.PartURL("part:" + ref); err != nil || url != "data:image/png;base64,AAAA" {
		t.Errorf("part %q, %v", url, err)
	}
	if _, err := fresh.PartURL("0000000000000000"); !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v", err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	d := filled(t, 1)
	clock := time.UnixMilli(0)
	d.now = func() time.Time { return clock }
	text := bytes.Repeat([]byte("x"), 1<<20)
	for i := range 3 * undoSteps {
		clock = clock.Add(time.Minute)
		n := 10
		if i > 2*undoSteps {
			n = len(text) - i
		}
		if _, err := d.Apply([]Edit{{Kind: EditSetText, Cell: "c0", Text: fmt.Sprint(i, string(text[:n]))}}); err != nil {
			t.Fatal(err)
		}
		if len(d.history.undo) > undoSteps || d.history.size > undoBytes {
			t.Fatalf("%d steps, %d bytes", len(d.history.undo), d.history.size)
		}
		if i > 2*undoSteps+100 {
			break
		}
	}
	sum := 0
	for _, s := range d.history.undo {
		sum += s.size
	}
	if sum != d.history.size || len(d.history.undo) < 10 {
		t.Errorf("%d steps, %d bytes, counted %d", len(d.history.undo), sum, d.history.size)
	}
}
