package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// shown opens a notebook with the prompts "hi" and "first", all saved, as a window sees it.
func shown(t *testing.T) (*fixture, *documents.Live, notebook.View) {
	t.Helper()
	d, live := saved(t)
	v, err := d.Notebook("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	return d, live, v
}

// types sends the text of a window that has seen a notebook's events up to a number.
func (d *fixture) types(cell, text string, seen uint64) documents.EditResult {
	d.t.Helper()
	r, err := d.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: text, Seen: seen}}, "test")
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// rewrites has another program change a text in the file, and waits until that came in.
func (d *fixture) rewrites(live *documents.Live, before, after string) {
	d.t.Helper()
	d.write("a.mtm", strings.Replace(d.onDisk("a.mtm"), before, after, 1))
	d.FileChanged("a.mtm")
	if !live.LookAtDisk() {
		d.t.Fatal("it did not come in")
	}
}

func TestTextTypedBeforeAnotherProgramsCameInAsks(t *testing.T) {
	for name, comes := range map[string]func(*fixture, *documents.Live, notebook.View){
		"loaded again": func(d *fixture, live *documents.Live, _ notebook.View) { d.rewrites(live, `"hi"`, `"theirs"`) },
		"joined with what is unsaved": func(d *fixture, _ *documents.Live, v notebook.View) {
			d.held("a.mtm", func() {
				d.types(v.Cells[1].ID, "unsaved", v.Seq)
				d.write("a.mtm", strings.Replace(d.onDisk("a.mtm"), `"hi"`, `"theirs"`, 1))
			}).ResumeSaves()
			if err := d.Saved("a.mtm"); err != nil {
				d.t.Fatal(err)
			}
		},
		"damaged first": func(d *fixture, live *documents.Live, _ notebook.View) {
			whole := d.onDisk("a.mtm")
			d.write("a.mtm", whole[:len(whole)/2])
			d.FileChanged("a.mtm")
			d.write("a.mtm", strings.Replace(whole, `"hi"`, `"theirs"`, 1))
			d.FileChanged("a.mtm")
		},
		"gone for long": func(d *fixture, _ *documents.Live, v notebook.View) {
			whole := d.onDisk("a.mtm")
			os.Remove(filepath.Join(d.folder, "a.mtm"))
			d.FileChanged("a.mtm")
			d.until(is("notebookReloaded"))
			typed := notebook.Edit{Kind: notebook.EditSetText, Cell: v.Cells[0].ID, Text: "mine", Seen: v.Seq}
			if _, err := d.Edit("a.mtm", []notebook.Edit{typed}, "test"); !fault.Is(err, fault.NotFound) {
				d.t.Fatalf("typing without a file: %v", err)
			}
			d.write("a.mtm", strings.Replace(whole, `"hi"`, `"theirs"`, 1))
			d.FileChanged("a.mtm")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, live, v := shown(t)
			comes(d, live, v)
			if conflictIn(d) {
				t.Fatal("it asks before anything was typed into the cell")
			}
			d.types(v.Cells[0].ID, "mine", v.Seq)
			if !conflictIn(d) {
				t.Fatal("it does not ask")
			}
			if err := d.Saved("a.mtm"); err != nil {
				t.Fatal(err)
			}
			if got := d.onDisk("a.mtm"); !strings.Contains(got, `"theirs"`) || strings.Contains(got, `"mine"`) {
				t.Errorf("the file has %s", got)
			}
			c, err := d.Conflict("a.mtm")
			if err != nil || !strings.Contains(c.Mine, `"mine"`) || !strings.Contains(c.Disk, `"theirs"`) {
				t.Errorf("it shows %+v, %v", c, err)
			}
			if err := d.ResolveConflict("a.mtm", documents.KeepMine); err != nil {
				t.Fatal(err)
			}
			d.types(v.Cells[0].ID, "mine, typed on", v.Seq) // sent before the choice
			if err := d.Saved("a.mtm"); err != nil {
				t.Fatal(err)
			}
			if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, `"mine, typed on"`) {
				t.Errorf("after the choice the file has %s", got)
			}
			if beside := d.beside("from disk"); len(beside) != 1 || !strings.Contains(beside[0], `"theirs"`) {
				t.Errorf("beside it are %q", beside)
			}
		})
	}
}

func TestNothingAsksAboutTextThatWasSeenOrTyped(t *testing.T) {
	d, live, v := shown(t)
	first, second := v.Cells[0].ID, v.Cells[1].ID
	d.types(first, "in one window", v.Seq)
	d.types(first, "in another window, which has not seen that", v.Seq)
	if err := d.Saved("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.rewrites(live, `"first"`, `"theirs"`)
	d.types(first, "into another cell than theirs", v.Seq)
	d.types(second, "theirs", v.Seq) // the same
	now, err := d.Notebook("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	d.types(second, "theirs, and mine", now.Seq)
	if err := d.Saved("a.mtm"); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, `"theirs, and mine"`) || !strings.Contains(got, "into another cell") {
		t.Errorf("the file has %s", got)
	}
}

// What a window loads once the file is back, it has seen.
func TestNothingAsksAboutTextOfAFileThatCameBack(t *testing.T) {
	d, _, v := shown(t)
	whole := d.onDisk("a.mtm")
	os.Remove(filepath.Join(d.folder, "a.mtm"))
	d.FileChanged("a.mtm")
	d.until(is("notebookReloaded"))
	d.write("a.mtm", strings.Replace(whole, `"hi"`, `"theirs"`, 1))
	d.FileChanged("a.mtm")
	now, err := d.Notebook("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	d.types(v.Cells[1].ID, "into another cell than theirs", v.Seq)
	d.types(now.Cells[0].ID, "theirs, and mine", now.Seq)
	if err := d.Saved("a.mtm"); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, `"theirs, and mine"`) || !strings.Contains(got, "into another cell") {
		t.Errorf("the file has %s", got)
	}
}

// A prompt whose answer another program writes can be typed in.
func TestAnAnswerOfAnotherProgramContradictsNoText(t *testing.T) {
	d, live, v := shown(t)
	nb, err := notebook.Parse([]byte(d.onDisk("a.mtm")))
	if err != nil {
		t.Fatal(err)
	}
	text := string(nb.Encoded().Bytes())
	at := strings.LastIndex(text, "\n  ]")
	d.write("a.mtm", text[:at]+",\n    {\"role\": \"assistant\", \"content\": \"their answer\"}"+text[at:])
	d.FileChanged("a.mtm")
	if !live.LookAtDisk() {
		t.Fatal("it did not come in")
	}
	d.types(v.Cells[1].ID, "mine", v.Seq)
	if err := d.Saved("a.mtm"); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); conflictIn(d) || !strings.Contains(got, `"mine"`) || !strings.Contains(got, "their answer") {
		t.Errorf("the file has %s", got)
	}
}

// A prompt is split where the person saw its text.
func TestASplitOfTextThatWasRewrittenAsks(t *testing.T) {
	d, live, v := shown(t)
	d.rewrites(live, `"hi"`, `"theirs"`)
	split := notebook.Edit{Kind: notebook.EditSplit, Cell: v.Cells[0].ID, Text: "h", Rest: "i", Seen: v.Seq}
	if _, err := d.Edit("a.mtm", []notebook.Edit{split}, "test"); err != nil || !conflictIn(d) {
		t.Errorf("it does not ask: %v", err)
	}
}
