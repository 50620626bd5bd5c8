package typed_test

import (
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/typed"
)

const call = `shell{"command":"ls"}`

func TestWhatCameWithTheFileStaysForeign(t *testing.T) {
	text := "see @[" + call + "]"
	calls := typed.New()
	if !calls.ForeignIn("c", text)(call) {
		t.Error("a call that nobody typed counts as typed")
	}
	// It is edited around, removed, and typed again.
	texts := map[string]string{"c": text}
	for _, next := range []string{"look, " + text, "", text} {
		calls.Note([]notebook.Edit{{Kind: notebook.EditSetText, Cell: "c", Text: next}}, texts, "")
	}
	if !calls.ForeignIn("c", text)(call) {
		t.Error("a call that came with the file counts as typed after edits around it")
	}
}

func TestWhatAPersonTypedIsTheirs(t *testing.T) {
	text := "see @[" + call + "]"
	calls, texts := typed.New(), map[string]string{}
	calls.Note([]notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, texts, "new")
	if calls.ForeignIn("new", text)(call) {
		t.Error("a call that the person typed counts as foreign")
	}
	calls.Note([]notebook.Edit{{Kind: notebook.EditSplit, Cell: "new", Text: "see", Rest: "@[" + call + "]"}}, texts, "second")
	if calls.ForeignIn("second", "@["+call+"]")(call) {
		t.Error("it counts as foreign in the cell that a split made")
	}
	if !calls.ForeignIn("other", text)(call) {
		t.Error("it counts as typed in another cell")
	}
}

// Text beyond the stored prompt is being typed.
func TestADraftIsBeingTyped(t *testing.T) {
	if typed.New().ForeignIn("c", "nothing yet")(call) {
		t.Error("a call of the draft counts as foreign")
	}
}

// References that ask a server count as calls: a reference to a resource, and a server's prompt,
// whatever its arguments.
func TestWhatAsksAServerIsACall(t *testing.T) {
	calls, texts := typed.New(), map[string]string{}
	calls.Note([]notebook.Edit{{Kind: notebook.EditInsert, Text: "/demo:greet Ada @[demo:test:///a] @[a.txt]"}}, texts, "new")
	typedHere := calls.Snapshot()
	for _, call := range []string{"/demo:greet", "demo:test:///a"} {
		if !typedHere("new", call) || typedHere("other", call) || calls.ForeignIn("new", texts["new"])(call) || !calls.ForeignIn("other", texts["new"])(call) {
			t.Errorf("%s is not distinguished", call)
		}
	}
	if typedHere("new", "a.txt") {
		t.Error("a path is a call")
	}
}
