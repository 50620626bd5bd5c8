package notebook

import (
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

func TestTypingIsOneStep(t *testing.T) {
	d := filled(t, 3)
	clock := time.UnixMilli(0)
	d.now = func() time.Time { return clock }
	type_ := func(cell, text string, pause time.Duration) {
		clock = clock.Add(pause)
		if _, err := d.Apply([]Edit{{Kind: EditSetText, Cell: cell, Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	type_("c1", "a", 0)
	type_("c1", "ab", time.Second)
	type_("c1", "abc", time.Second)
	type_("c1", "abcd", 3*time.Second) // another burst
	type_("c2", "x", time.Second)      // another cell
	for _, want := range []string{"abcd", "abc", "prompt 1"} {
		if _, err := d.Undo(); err != nil {
			t.Fatal(err)
		}
		if got := d.Cells([]string{"c1"})[0].Body.Text; got != want {
			t.Errorf("%q after undo, want %q", got, want)
		}
	}
	if _, err := d.Undo(); !fault.Is(err, fault.Conflict) {
		t.Errorf("undo with nothing to undo: %v", err)
	}
}

// An editor's own undo makes no step: undo continues before the typing.
func TestUndoGoesOnBehindThatOfAnEditor(t *testing.T) {
	d := filled(t, 3)
	clock := time.UnixMilli(0)
	d.now = func() time.Time { return clock }
	say := func(window, text string, undone bool) {
		t.Helper()
		clock = clock.Add(3 * time.Second) // each a burst of its own
		if _, err := d.Apply(TypedBy(window, []Edit{{Kind: EditSetText, Cell: "c1", Text: text, Undone: undone}})); err != nil {
			t.Fatal(err)
		}
	}
	now := func() string { return d.Cells([]string{"c1"})[0].Body.Text }
	steps := func() int { return len(d.history.undo) }
	if _, err := d.Apply([]Edit{{Kind: EditRename, Text: "before"}}); err != nil {
		t.Fatal(err)
	}
	say("a", "one", false)
	say("a", "one two", false)
	say("a", "one two three", false)
	say("a", "one two t", true) // within the last burst
	if steps() != 4 || now() != "one two t" {
		t.Fatalf("%d steps, %q", steps(), now())
	}
	say("a", "o", true) // within an earlier one: it is not known where
	say("a", "prompt 1", true)
	if steps() != 1 || now() != "prompt 1" {
		t.Fatalf("%d steps, %q", steps(), now())
	}
	for _, want := range []string{"one", "one two", "o"} { // the undone text is restored
		if _, err := d.Redo(); err != nil || now() != want {
			t.Fatalf("%q, %v", now(), err)
		}
	}
	say("a", "prompt 1", true)
	if _, err := UndoIn(d, "a"); err != nil || d.Meta().Name == "before" {
		t.Fatalf("%q is the name, %v", d.Meta().Name, err)
	}
	// A cell that was created by typing stays, empty, until undo continues.
	if _, err := d.Apply(TypedBy("a", []Edit{{Kind: EditInsert, ID: "new", Text: "ne"}})); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"new", "newer"} {
		clock = clock.Add(3 * time.Second)
		if _, err := d.Apply(TypedBy("a", []Edit{{Kind: EditSetText, Cell: "new", Text: text}})); err != nil {
			t.Fatal(err)
		}
	}
	before := steps()
	if _, err := d.Apply(TypedBy("a", []Edit{{Kind: EditSetText, Cell: "new", Undone: true}})); err != nil || steps() != before-2 {
		t.Fatalf("%d steps of %d, %v", steps(), before, err)
	}
	if _, err := UndoIn(d, "a"); err != nil || len(d.Cells([]string{"new"})) != 0 {
		t.Fatalf("it is still there, %v", err)
	}
	// Text typed in another window is a separate step, which undo with a caret here does not touch.
	say("a", "mine", false)
	say("b", "mine, and yours", false)
	if _, err := UndoIn(d, "a"); !fault.Is(err, fault.Conflict) || now() != "mine, and yours" {
		t.Fatalf("%q, %v", now(), err)
	}
	say("a", "and yours", true) // the editor keeps the other window's text
	for _, window := range []string{"a", "b"} {
		if _, err := UndoIn(d, window); !fault.Is(err, fault.Conflict) {
			t.Fatalf("%s: %q, %v", window, now(), err)
		}
	}
	for _, want := range []string{"mine, and yours", "mine", "prompt 1"} {
		if _, err := d.Undo(); err != nil || now() != want {
			t.Fatalf("%q, %v", now(), err)
		}
	}
}

// An editor's own undo takes typing back from below later steps that do not touch its cell, and undo
// continues with those.
func TestUndoOfAnEditorBelowStepsInOtherCells(t *testing.T) {
	d := filled(t, 3)
	apply := func(e Edit) {
		t.Helper()
		if _, err := d.Apply(TypedBy("a", []Edit{e})); err != nil {
			t.Fatal(err)
		}
	}
	text := func(cell string) string {
		if c := d.Cells([]string{cell}); len(c) == 1 {
			return c[0].Body.Text
		}
		return "deleted"
	}
	apply(Edit{Kind: EditSetText, Cell: "c2", Text: "first"})
	apply(Edit{Kind: EditSetText, Cell: "c1", Text: "second"})
	apply(Edit{Kind: EditDelete, Cell: "c0"})                         // moves the cell
	apply(Edit{Kind: EditInsert, ID: "new", Before: "c1", Text: "x"}) // and back
	apply(Edit{Kind: EditSetText, Cell: "c2", Text: "prompt 2", Undone: true})
	if len(d.history.undo) != 3 || text("c2") != "prompt 2" || text("c1") != "second" {
		t.Fatalf("%d steps, %q, %q", len(d.history.undo), text("c2"), text("c1"))
	}
	for _, want := range []string{"deleted new", "prompt 0", "prompt 1"} {
		if _, err := UndoIn(d, "a"); err != nil {
			t.Fatal(err)
		}
		if all := text("new") + " new " + text("c0") + " " + text("c1"); !strings.Contains(all, want) {
			t.Errorf("%q, want %q", all, want)
		}
	}
	for range 4 {
		if _, err := d.Redo(); err != nil {
			t.Fatal(err)
		}
	}
	if got := text("c0") + " " + text("new") + " " + text("c1") + " " + text("c2"); got != "deleted x second first" {
		t.Errorf("after redo %q", got)
	}
	// A cell that was created by typing, with a later step elsewhere.
	apply(Edit{Kind: EditInsert, ID: "last", Text: "la"})
	apply(Edit{Kind: EditSetText, Cell: "c1", Text: "third"})
	before := len(d.history.undo)
	apply(Edit{Kind: EditSetText, Cell: "last", Undone: true})
	if len(d.history.undo) != before || text("last") != "" {
		t.Fatalf("%d steps of %d, %q", len(d.history.undo), before, text("last"))
	}
	if _, err := UndoIn(d, "a"); err != nil || text("c1") != "second" {
		t.Fatalf("%q, %v", text("c1"), err)
	}
	if _, err := UndoIn(d, "a"); err != nil || text("last") != "deleted" {
		t.Fatalf("%q, %v", text("last"), err)
	}
}

// Where an editor's own undo had to become a step, since its cell changed in another way too, undo
// in a prompt says so instead of restoring what was undone.
func TestUndoInDoesNotRestoreWhatAnEditorUndid(t *testing.T) {
	d := filled(t, 1)
	for _, e := range []Edit{
		{Kind: EditSetText, Cell: "c0", Text: "one"},
		{Kind: EditClear, Cell: "c0"},
		{Kind: EditSetText, Cell: "c0", Text: "prompt 0", Undone: true},
	} {
		if _, err := d.Apply(TypedBy("a", []Edit{e})); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := UndoIn(d, "a"); !fault.Is(err, fault.Conflict) || strings.Contains(err.Error(), "window") {
		t.Errorf("%v", err)
	}
}

// An editor keeps its own undo beside what others type, and only beside that.
func TestChangesSayWhetherTheyWereTyped(t *testing.T) {
	d := filled(t, 3)
	for _, c := range []struct {
		edits []Edit
		typed bool
	}{
		{[]Edit{{Kind: EditSetText, Cell: "c1", Text: "one"}}, true},
		{[]Edit{{Kind: EditSetText, Cell: "c1", Text: "o", Undone: true}}, true},
		{[]Edit{{Kind: EditInsert, ID: "new", Text: "x"}, {Kind: EditSetText, Cell: "c2", Text: "two"}}, true},
		{[]Edit{{Kind: EditSetText, Cell: "c1", Text: "0", found: true}}, false},
		{[]Edit{{Kind: EditSplit, Cell: "c1", Text: "a", Rest: "b"}}, false},
	} {
		if change, err := d.Apply(c.edits); err != nil || change.Typed != c.typed {
			t.Errorf("%+v: %v, %v", c.edits, change.Typed, err)
		}
	}
	if change, err := d.Undo(); err != nil || change.Typed {
		t.Errorf("undo: %v, %v", change.Typed, err)
	}
}
