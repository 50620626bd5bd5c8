package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// beside returns the texts of the files beside a notebook that have a label in their name.
func (d *desk) beside(label string) []string {
	d.t.Helper()
	return filestest.Beside(d.t, d.folder, label)
}

// untilBeside waits until one file with the label holds text.
func (d *desk) untilBeside(label, text string) {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		if all := d.beside(label); len(all) == 1 && strings.Contains(all[0], text) {
			return
		}
		if time.Now().After(end) {
			d.t.Fatalf("nothing beside the notebook holds %q: %v", text, d.beside(label))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// streamingConflict makes an answer stream into a notebook whose file another program has written.
func streamingConflict(t *testing.T) (d *desk, cell string) {
	d = open(t, "", "answer\ntext \"before it.\"\nwait more\ntext \" after it.\"\nwait end\ntext \" the end.\"")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	cell = d.prompt("a.mtm", "go")
	d.run("a.mtm", cell, runner.RunCell)
	d.untilOnDisk("a.mtm", "before it.")
	d.write("a.mtm", filestest.Notebook("a", "Theirs"))
	d.until(is("diskConflict"))
	return d, cell
}

// Until the person has chosen, the streamed text is on disk beside the notebook, in one file, which
// is not an agent of its own.
func TestWhatStreamsIntoAConflictIsKeptBesideTheNotebook(t *testing.T) {
	t.Parallel()
	d, _ := streamingConflict(t)
	d.untilBeside("not saved", "before it.")
	d.server.Let("more")
	d.untilBeside("not saved", "after it.")
	if got := d.onDisk("a.mtm"); !strings.Contains(got, "Theirs") {
		t.Errorf("the file has %s", got)
	}
	if n := d.Nodes(); len(n) != 1 {
		t.Errorf("the tree has %+v", n)
	}
	if err := d.ResolveConflict("a.mtm", documents.KeepMine); err != nil {
		t.Fatal(err)
	}
	d.server.Let("end")
	d.untilFinished(1)
	d.untilOnDisk("a.mtm", "the end.")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left, disk := d.beside("not saved"), d.beside("from disk"); len(left) != 0 || len(disk) != 1 || !strings.Contains(disk[0], "Theirs") {
		t.Errorf("the files beside it are %v and %v", left, disk)
	}
}

func TestTheDisksVersionIsChosenAfterAStop(t *testing.T) {
	t.Parallel()
	d, _ := streamingConflict(t)
	if err := d.ResolveConflict("a.mtm", documents.TakeDisk); !fault.Is(err, fault.Conflict) {
		t.Errorf("while it streams: %v", err)
	}
	if err := d.Stop("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if err := d.ResolveConflict("a.mtm", documents.TakeDisk); err != nil {
		t.Fatal(err)
	}
	if left, mine := d.beside("not saved"), d.beside("mine"); len(left) != 0 || len(mine) != 1 || !strings.Contains(mine[0], "before it.") {
		t.Errorf("the files beside it are %v and %v", left, mine)
	}
	d.untilTree("A", "Theirs") // the rejected version is kept for the person
}

// The program ends while the conflict waits.
func TestAConflictThatNobodyDecided(t *testing.T) {
	t.Parallel()
	d, _ := streamingConflict(t)
	d.server.Let("more")
	d.until(func(e item) bool { return e.Type == "delta" && strings.Contains(e.Data["text"].(string), "after") })
	if err := d.Close(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "not saved") || strings.Contains(err.Error(), "%!") {
		t.Errorf("closing says %v", err)
	}
	d.untilBeside("not saved", "after it.")
	if got := d.onDisk("a.mtm"); !strings.Contains(got, "Theirs") {
		t.Errorf("the file has %s", got)
	}
}

// deleteWhileInUse deletes a folder into which the program may write a file at the same moment.
func deleteWhileInUse(dir string) error {
	err := os.RemoveAll(dir)
	for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); {
		err = os.RemoveAll(dir)
	}
	return err
}

// When the folder is deleted under an open notebook, its text goes into the state folder at the end
// of the program, and beside its place once the folder exists again.
func TestTextThatHasNoPlaceInTheFolder(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(dir string) error{
		"deleted": deleteWhileInUse,
		"a file in its place": func(dir string) error {
			if err := deleteWhileInUse(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o644)
		},
	} {
		t.Run(what, func(t *testing.T) {
			d := open(t, "", "answer\ntext begun\nwait end")
			path := d.create("Lost")
			d.run(path, d.prompt(path, "asked"), runner.RunCell) // one that is saved and at rest is closed when its file is gone
			d.until(is("delta"))
			dir := filepath.Join(d.folder, ".mutsumi")
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			d.prompt(path, "typed")
			state := d.state
			err := d.Close()
			if err == nil || !strings.Contains(err.Error(), state) {
				t.Errorf("closing says %v, not where in %s the text is", err, state)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}

			store, err := settings.Open(d.config)
			if err != nil {
				t.Fatal(err)
			}
			again, err := workspace.Open(workspace.Options{Folder: d.folder, CacheDir: cacheOf(d.folder), Settings: store})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			again.Nodes()
			v, err := again.Snapshot()
			if err != nil || len(v.Unsaved) != 1 || v.Unsaved[0].Notebook != path {
				t.Fatalf("reported %+v, %v", v.Unsaved, err)
			}
			if got := d.onDisk(v.Unsaved[0].File); !strings.Contains(got, "typed") {
				t.Errorf("it holds %s", got)
			}
			if left, _ := os.ReadDir(filepath.Join(state, "unsaved")); len(left) != 0 {
				t.Errorf("left in the state folder: %v", left)
			}
		})
	}
}

// A notebook that cannot be saved can be deleted, together with its unsaved text.
func TestANotebookThatCannotBeSavedIsDeleted(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	d := open(t, "", "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	if err := os.Chmod(filepath.Join(d.folder, "a.mtm"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditInsert, Text: "typed"}}, ""); err != nil {
		t.Fatal(err)
	}
	if err := d.Trash("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.untilTree()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	trashed, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "Trash/files/*.mtm"))
	if len(trashed) != 2 {
		t.Errorf("the trash has %v, not the file and its unsaved text", trashed)
	}
}
