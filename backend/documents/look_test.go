package documents_test

import (
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
)

// saved opens a notebook with a prompt, all saved, in a folder that is not watched.
func saved(t *testing.T) (*fixture, *documents.Live) {
	t.Helper()
	d := openQuiet(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.prompt("a.mtm", "first")
	live, err := d.reg.Live("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
	return d, live
}

// working opens a notebook as saved does, as if its agent ran.
func working(t *testing.T) (*fixture, *documents.Live) {
	t.Helper()
	d, live := saved(t)
	live.Do(func(tx *documents.Tx) {
		ids := tx.Notebook().CellIDs()
		if _, err := tx.Notebook().BeginRun(ids[len(ids)-1], notebook.RunInfo{}); err != nil {
			t.Fatal(err)
		}
		tx.SetRunning(true)
		tx.SaveSoon()
	})
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
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

// SPEC 11.1: appended cells are merged although memory has unsaved text and a save comes before the
// check.
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
	d.held("a.mtm", func() {
		d.prompt("a.mtm", "from the run")
		live.Do(func(tx *documents.Tx) { tx.SetRunning(false) })
		d.write("a.mtm", appended(t, text, "from elsewhere"))
	}).LeaveUnsaved()
	if err := live.Save(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, "from the run") || !strings.Contains(got, "from elsewhere") {
		t.Fatalf("the file has %s", got)
	}
}

// SPEC 11.1: "a contradiction asks".
func TestALookAtTheDiskAsksAboutAContradiction(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"another text":           func(text string) string { return strings.Replace(text, "first", "second", 1) },
		"another text before it": func(text string) string { return strings.Replace(text, `"hi"`, `"bye"`, 1) },
		"another identity":       func(text string) string { return strings.Replace(text, `"uuid": "a"`, `"uuid": "b"`, 1) },
		"other rights":           func(text string) string { return strings.Replace(text, `"/x"`, `"/"`, 1) },
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

// A look reports whether the notebook has everything that its file had: not during a save, nor while
// the person is asked, nor if the file cannot be read.
func TestALookReportsWhetherItCompared(t *testing.T) {
	d, live := working(t)
	if !live.LookAtDisk() {
		t.Error("without a change it did not compare")
	}
	if err := live.HoldSaves(); err != nil {
		t.Fatal(err)
	}
	d.write("a.mtm", appended(t, d.onDisk("a.mtm"), "from elsewhere"))
	if live.LookAtDisk() {
		t.Error("during a save it claims to have compared")
	}
	live.ResumeSaves() // this looks, too
	written := func() {
		t.Helper()
		if err := live.Written(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	written()
	d.write("a.mtm", appended(t, d.onDisk("a.mtm"), "once more"))
	if !live.LookAtDisk() {
		t.Error("with changes to take in it did not compare")
	}
	if v, err := d.Notebook("a.mtm"); err != nil || len(v.Cells) != 4 {
		t.Errorf("got %+v, %v", v, err)
	}
	written()
	d.write("a.mtm", strings.Replace(d.onDisk("a.mtm"), "first", "second", 1))
	for _, when := range []string{"found", "is open"} {
		if live.LookAtDisk() {
			t.Errorf("a look claims to have everything when a contradiction %s", when)
		}
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
	d.held("a.mtm", func() { d.prompt("a.mtm", "not saved") }).LeaveUnsaved()
	if err := d.Reload("a.mtm"); !fault.Is(err, fault.Conflict) {
		t.Errorf("with changes: %v", err)
	}
}

// SPEC 1.4: if another process writes into one cell (here an answer) and the person types into
// another, both changes are kept without a question, whichever side saves first.
func TestASaveJoinsWhatChangedElsewhere(t *testing.T) {
	d, live := saved(t)
	for i, step := range []string{"half", "half, whole"} {
		text := d.onDisk("a.mtm")
		answered := strings.Replace(text, `"content": "first"
    }`, `"content": "first"
    },
    {
      "role": "assistant",
      "content": "`+step+`"
    }`, 1)
		if i > 0 {
			answered = strings.Replace(text, `"half"`, `"`+step+`"`, 1)
		}
		if answered == text {
			t.Fatalf("nothing to answer in %s", text)
		}
		d.held("a.mtm", func() {
			d.retype("a.mtm", fmt.Sprintf("typed %d", i))
			d.write("a.mtm", answered)
		}).LeaveUnsaved()
		if err := live.Save(); err != nil {
			t.Fatal(err)
		}
		if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, fmt.Sprintf("typed %d", i)) || !strings.Contains(got, `"`+step+`"`) {
			t.Errorf("the file has %s", got)
		}
	}
}
