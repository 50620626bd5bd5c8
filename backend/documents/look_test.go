package documents_test

import (
	"strings"
	"testing"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// working opens a notebook in a folder that nobody follows, as if its agent ran.
func working(t *testing.T) (*fixture, *documents.Live) {
	t.Helper()
	d := openQuiet(t, "")
	d.write("a.mtm", notebookText("a", "A"))
	d.prompt("a.mtm", "first")
	live, err := d.reg.Live("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
	live.Do(func(tx *documents.Tx) { tx.SetRunning(true) })
	t.Cleanup(func() { live.Do(func(tx *documents.Tx) { tx.SetRunning(false) }) })
	return d, live
}

// appended returns the text of a notebook with a prompt more, as another process
// writes it.
func appended(t *testing.T, text, prompt string) string {
	t.Helper()
	nb, err := notebook.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: prompt}}); err != nil {
		t.Fatal(err)
	}
	return string(nb.Encoded().Bytes())
}

func conflictIn(d *fixture) bool {
	d.t.Helper()
	v, err := d.Notebook("a.mtm")
	if err != nil {
		d.t.Fatal(err)
	}
	return v.Conflict
}

// Seed 004: "new_history = self._load_chat_history(force_reload=True); if
// len(new_history) > len(chat_history): chat_history = new_history", at the start of
// each iteration.
func TestALookAtTheDiskTakesInWhatWasAppended(t *testing.T) {
	d, live := working(t)
	d.write("a.mtm", appended(t, d.onDisk("a.mtm"), "from elsewhere"))
	live.LookAtDisk()
	v, err := d.Notebook("a.mtm")
	if err != nil || v.Conflict || len(v.Cells) != 3 || v.Cells[2].Body.Text != "from elsewhere" {
		t.Fatalf("got %+v, %v", v, err)
	}
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); strings.Count(got, "from elsewhere") != 1 {
		t.Errorf("the file has %s", got)
	}
}

// SPEC 11.1: what was appended is taken in, though memory has text that is not saved yet
// and a save comes before the look.
func TestASaveTakesInWhatWasAppended(t *testing.T) {
	d, live := working(t)
	d.write("a.mtm", appended(t, d.onDisk("a.mtm"), "from elsewhere"))
	d.prompt("a.mtm", "typed here")
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, "from elsewhere") || !strings.Contains(got, "typed here") {
		t.Errorf("the file has %s", got)
	}
}

// The answer that a run left is not in the file yet when somebody appends to it.
func TestASaveAfterARunTakesInWhatWasAppended(t *testing.T) {
	d, live := working(t)
	text := d.onDisk("a.mtm")
	d.prompt("a.mtm", "from the run")
	live.Do(func(tx *documents.Tx) { tx.SetRunning(false) })
	d.write("a.mtm", appended(t, text, "from elsewhere"))
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, "from the run") || !strings.Contains(got, "from elsewhere") {
		t.Fatalf("the file has %s", got)
	}
	// From then on what a person typed here and what comes from elsewhere is a choice.
	d.prompt("a.mtm", "typed here")
	d.write("a.mtm", appended(t, d.onDisk("a.mtm"), "typed elsewhere"))
	if err := live.Save(); !fault.Is(err, fault.Conflict) || !conflictIn(d) {
		t.Errorf("got %v", err)
	}
}

// SPEC 11.1: "a contradiction asks".
func TestALookAtTheDiskAsksAboutAContradiction(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"another text":           func(text string) string { return strings.Replace(text, "first", "second", 1) },
		"another name":           func(text string) string { return strings.Replace(text, `"A"`, `"B"`, 1) },
		"appended, another text": func(text string) string { return strings.Replace(appended(t, text, "more"), "first", "second", 1) },
		"a message to the cell": func(text string) string {
			return strings.Replace(text, "\n  ]", ",\n    {\n      \"role\": \"assistant\",\n      \"content\": \"x\"\n    }\n  ]", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, live := working(t)
			before := d.onDisk("a.mtm")
			after := change(before)
			if after == before {
				t.Fatal("nothing changed")
			}
			d.write("a.mtm", after)
			live.LookAtDisk()
			if !conflictIn(d) || d.onDisk("a.mtm") != after {
				t.Errorf("it does not ask; the file has %s", d.onDisk("a.mtm"))
			}
		})
	}
}

// Seed 004: "force_reload (bool): whether to load from the file again".
func TestANotebookIsLoadedAgainOnRequest(t *testing.T) {
	d, live := working(t)
	if err := d.Reload("a.mtm"); !fault.Is(err, fault.Conflict) {
		t.Errorf("while its agent runs: %v", err)
	}
	live.Do(func(tx *documents.Tx) { tx.SetRunning(false) })
	d.write("a.mtm", appended(t, d.onDisk("a.mtm"), "from elsewhere"))
	if err := d.Reload("a.mtm"); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Notebook("a.mtm"); err != nil || len(v.Cells) != 3 {
		t.Errorf("got %+v, %v", v, err)
	}
	d.prompt("a.mtm", "not saved")
	if err := d.Reload("a.mtm"); !fault.Is(err, fault.Conflict) {
		t.Errorf("with changes: %v", err)
	}
}
