package notebook_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/notebook"
)

// shared is a notebook of three prompts, the second with an answer.
const shared = `{"metadata":{"uuid":"a","name":"A","allowed_uris":["/x"]},"context":[
	{"role":"user","content":"one"},{"role":"user","content":"two"},{"role":"assistant","content":"half"},{"role":"user","content":"three"}]}`

// version is the shared notebook with a change: `old>new` replaces, `+text` adds a prompt
// at the end.
func version(t *testing.T, change string) *notebook.Document {
	t.Helper()
	d, err := notebook.Parse([]byte(shared))
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.Encoded().Bytes())
	if old, now, ok := strings.Cut(change, ">"); ok {
		if !strings.Contains(text, old) {
			t.Fatalf("no %q", old)
		}
		if d, err = notebook.Parse([]byte(strings.Replace(text, old, now, 1))); err != nil {
			t.Fatal(err)
		}
	}
	if added, ok := strings.CutPrefix(change, "+"); ok {
		if _, err := d.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: added}}); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// SPEC 1.4: changes on both sides of a file are merged if they do not contradict.
func TestTakeIn(t *testing.T) {
	for _, c := range []struct{ ours, theirs, want string }{
		{`"one">"mine"`, `half>half, whole`, "mine|two: half, whole|three"},
		{`"three">"mine"`, `half>half, whole`, "one|two: half, whole|mine"},
		{"+mine", `half>half, whole`, "one|two: half, whole|three|mine"},
		{`half>half, whole`, "+theirs", "one|two: half, whole|three|theirs"},
		{"+mine", "+theirs", "one|two: half|three|mine|theirs"},
		{`"one">"mine"`, `"name": "A">"name": "B"`, "mine|two: half|three (B)"},
		{`"one">"same"`, `"one">"same"`, ""},
		{`"two">"mine"`, `half>half, whole`, ""},
		{`"one">"mine"`, `"one">"theirs"`, ""},
		{"+mine", `"uuid": "a">"uuid": "b"`, ""},
		{"+mine", `"/x">"/"`, ""},
		{`"name": "A">"name": "B"`, `"name": "A">"name": "C"`, ""},
		{"+mine", `"metadata">"extra": 1, "metadata"`, ""},
	} {
		t.Run(c.ours+" and "+c.theirs, func(t *testing.T) {
			ours, before := version(t, c.ours), version(t, "").Encoded()
			text := string(ours.Encoded().Bytes())
			_, ok := ours.TakeIn(before, version(t, c.theirs))
			if !ok {
				if now := string(ours.Encoded().Bytes()); c.want != "" || now != text {
					t.Errorf("not joined: %s", now)
				}
				return
			}
			got := said(t, ours)
			if name := ours.Meta().Name; name != "A" {
				got += " (" + name + ")"
			}
			if got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// said returns the prompts of a notebook with their answers.
func said(t *testing.T, d *notebook.Document) string {
	t.Helper()
	var all []string
	for _, c := range d.Cells(d.CellIDs()) {
		text := c.Body.Text
		for _, m := range c.Body.Answer {
			text += ": " + m.Text
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

// A change before a cell that a run writes into is a contradiction, a change after it is not.
func TestTakeInDuringARun(t *testing.T) {
	begun := func() (*notebook.Document, *notebook.Snapshot) {
		d := version(t, "")
		if _, err := d.BeginRun(d.CellIDs()[1], notebook.RunInfo{}); err != nil {
			t.Fatal(err)
		}
		return d, d.Encoded()
	}
	for change, want := range map[string]bool{`"three">"theirs"`: true, `"one">"theirs"`: false, `"two">"theirs"`: false} {
		d, base := begun()
		old, now, _ := strings.Cut(change, ">")
		disk, err := notebook.Parse([]byte(strings.Replace(string(base.Bytes()), old, now, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := d.TakeIn(base, disk); ok != want {
			t.Errorf("%s: %v", change, ok)
		}
	}
}

// Undo reverts what this program did, and nothing that was merged; a step that would do so is
// forgotten.
func TestUndoAfterTakeIn(t *testing.T) {
	d := version(t, "")
	base := d.Encoded()
	if _, err := d.Apply([]notebook.Edit{{Kind: notebook.EditSetText, Cell: d.CellIDs()[0], Text: "mine"}}); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.TakeIn(base, version(t, "half>half, whole")); !ok {
		t.Fatal("not joined")
	}
	if _, err := d.Undo(); err != nil || said(t, d) != "one|two: half, whole|three" {
		t.Errorf("got %s, %v", said(t, d), err)
	}
	if _, err := d.Redo(); err != nil || said(t, d) != "mine|two: half, whole|three" {
		t.Errorf("got %s, %v", said(t, d), err)
	}
	base = d.Encoded()
	disk, err := notebook.Parse([]byte(strings.Replace(string(base.Bytes()), "mine", "theirs", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := d.TakeIn(base, disk); !ok {
		t.Fatal("not joined")
	}
	if _, err := d.Undo(); err == nil {
		t.Errorf("an undo took back what came in: %s", said(t, d))
	}
}

// A notebook that is loaded again has the cells that it had: the same, or in the same place.
func TestKeepIDs(t *testing.T) {
	for change, want := range map[string]string{
		"":                 "0 1 2",
		`half>half, whole`: "0 1* 2",
		`"two">"theirs"`:   "0 1* 2",
		"+more":            "0 1 2 new",
		`"one">"three"`:    "0* 1 2",
		`"three">"one"`:    "0 1 2*",
		`"content": "one">"content": "one", "metadata": {"cell_id": "mine"}`: "new 1 2",
	} {
		before := version(t, "")
		for i := range 3 { // ids that no file contains
			if _, err := before.Apply([]notebook.Edit{{Kind: notebook.EditSetText, Cell: before.CellIDs()[i], Text: fmt.Sprint("typed ", i)}}); err != nil {
				t.Fatal(err)
			}
			if _, err := before.Undo(); err != nil {
				t.Fatal(err)
			}
		}
		ids, revs := map[string]int{}, map[string]int{}
		for i, c := range before.Cells(before.CellIDs()) {
			ids[c.ID], revs[c.ID] = i, c.Rev
		}
		d := version(t, change)
		notebook.KeepIDs(d, before)
		var got []string
		seen := map[string]bool{}
		for _, c := range d.Cells(d.CellIDs()) {
			i, known := ids[c.ID]
			switch {
			case seen[c.ID]:
				t.Errorf("%s: %s twice", change, c.ID)
			case !known:
				got = append(got, "new")
			case c.Rev != revs[c.ID]:
				got = append(got, fmt.Sprint(i, "*"))
			default:
				got = append(got, fmt.Sprint(i))
			}
			seen[c.ID] = true
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", change, got, want)
		}
	}
}

// Whatever both sides change: merged, each has the other's changes, no id occurs twice, and undo
// and redo still work.
func TestTakeInOfManyChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	joined := 0
	for round := range 2000 {
		var b strings.Builder
		n := 1 + random.IntN(6)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"role":"user","content":"base %d"}`, random.IntN(3)*10+i)
		}
		text := []byte(`{"metadata":{"uuid":"a"},"context":[` + b.String() + `]}`)
		parse := func() *notebook.Document {
			d, err := notebook.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		ours, theirs := parse(), parse()
		base := ours.Encoded()
		wanted := append(edited(t, random, ours, fmt.Sprintf("ours %d", round)), edited(t, random, theirs, fmt.Sprintf("theirs %d", round))...)
		disk, err := notebook.Parse(theirs.Encoded().Bytes())
		if err != nil {
			t.Fatal(err)
		}
		before := said(t, ours)
		in, ok := ours.TakeIn(base, disk)
		if !ok {
			if said(t, ours) != before {
				t.Fatalf("round %d: refused, and changed", round)
			}
			continue
		}
		joined++
		got := said(t, ours)
		for _, text := range wanted {
			if !strings.Contains(got, text) {
				t.Fatalf("round %d: no %q in %s (here %s, there %s)", round, text, got, before, said(t, disk))
			}
		}
		ids := ours.CellIDs()
		if slices.Sort(ids); len(slices.Compact(ids)) != ours.Len() {
			t.Fatalf("round %d: an id twice in %v", round, ours.CellIDs())
		}
		if in.At+len(in.Cells) > ours.Len() {
			t.Fatalf("round %d: %+v of %d cells", round, in.Change, ours.Len())
		}
		for _, step := range []func() (notebook.Change, error){ours.Undo, ours.Redo} {
			for {
				if _, err := step(); err != nil {
					break
				}
			}
		}
		if again := said(t, ours); again != got {
			t.Fatalf("round %d: after undo and redo %s instead of %s", round, again, got)
		}
	}
	if joined < 500 {
		t.Errorf("only %d of 2000 were joined", joined)
	}
}

// edited makes some edits, and returns the texts that it wrote and left.
func edited(t *testing.T, random *rand.Rand, d *notebook.Document, mark string) (texts []string) {
	t.Helper()
	for i := range 1 + random.IntN(2) {
		text := fmt.Sprintf("%s.%d;", mark, i)
		e := notebook.Edit{Kind: notebook.EditInsert, Text: text}
		if ids := d.CellIDs(); len(ids) > 0 {
			cell := ids[random.IntN(len(ids))]
			switch random.IntN(4) {
			case 0:
				e = notebook.Edit{Kind: notebook.EditSetText, Cell: cell, Text: text}
			case 1:
				e = notebook.Edit{Kind: notebook.EditDelete, Cell: cell}
			case 2:
				e.Before = cell
			}
		}
		if _, err := d.Apply([]notebook.Edit{e}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range d.Cells(d.CellIDs()) {
		if strings.Contains(c.Body.Text, mark) {
			texts = append(texts, c.Body.Text)
		}
	}
	return texts
}
