package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// moveFile renames a file of the folder and waits for nothing.
func (d *desk) moveFile(from, to string) {
	d.t.Helper()
	if err := os.Rename(filepath.Join(d.folder, from), filepath.Join(d.folder, to)); err != nil {
		d.t.Fatal(err)
	}
}

// saveElsewhere writes a notebook like another program: a new file replaces it.
func (d *desk) saveElsewhere(path, text string) {
	d.t.Helper()
	file := filepath.Join(d.folder, path)
	if err := errors.Join(os.WriteFile(file+".new", []byte(text), 0o644), os.Rename(file+".new", file)); err != nil {
		d.t.Fatal(err)
	}
}

// A file that was renamed and also written before anybody noticed is followed. Whether it is
// reloaded or a conflict depends on unsaved changes here.
func TestARenamedNotebookWasEditedToo(t *testing.T) {
	t.Parallel()
	const to = ".mutsumi/to.mtm"
	for what, edit := range map[string]func(d *desk, text string){
		"in its place":       func(d *desk, text string) { d.write(to, text) },
		"by another program": func(d *desk, text string) { d.saveElsewhere(to, text) },
	} {
		t.Run(what, func(t *testing.T) {
			d := open(t, "", "answer\ntext half\nwait rest\ntext \" whole\"")
			path := d.create("Edited")
			d.prompt(path, "before")
			d.untilOnDisk(path, "before")
			d.moveFile(path, to)
			edit(d, strings.Replace(d.onDisk(to), "before", "after", 1))
			d.until(func(e item) bool { return e.Type == "notebookMoved" && e.Data["to"] == to })
			d.until(func(e item) bool { return e.Type == "notebookReloaded" && e.Data["path"] == to })
			if v, err := d.Notebook(to); err != nil || v.Conflict || v.Cells[0].Body.Text != "after" {
				t.Fatalf("%+v, %v", v, err)
			}

			cell := d.promptOf(to)
			d.run(to, cell, runner.RunCell)
			d.untilOnDisk(to, "half")
			d.moveFile(to, path)
			if what == "in its place" {
				d.write(path, strings.Replace(d.onDisk(path), "after", "again", 1))
			} else {
				d.saveElsewhere(path, strings.Replace(d.onDisk(path), "after", "again", 1))
			}
			d.until(func(e item) bool { return e.Type == "notebookMoved" && e.Data["to"] == path })
			d.until(func(e item) bool { return e.Type == "diskConflict" && e.Data["path"] == path })
			d.server.Let("rest")
			if end := d.untilFinished(1)[0]; end.Data["path"] != path || end.Data["outcome"] != "done" {
				t.Errorf("%v", end)
			}
			if err := d.ResolveConflict(path, documents.KeepMine); err != nil {
				t.Fatal(err)
			}
			d.untilOnDisk(path, "whole")
			if got := d.outcome(path, cell); got != notebook.Done {
				t.Errorf("it ended %v", got)
			}
			d.noneBeside(to)
		})
	}
}

// The old name disappears in one burst of events and the new one appears in the next: even a
// notebook without a run is followed.
func TestANotebookIsRenamedInTwoSteps(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Moved")
	d.prompt(path, "one")
	d.untilOnDisk(path, "one")
	const to = ".mutsumi/to.mtm"
	d.moveFile(path, to)
	d.FileChanged(to)
	d.FileChanged(path)
	d.until(func(e item) bool { return e.Type == "notebookMoved" && e.Data["to"] == to })
	const last = ".mutsumi/last.mtm"
	outside := filepath.Join(t.TempDir(), "away.mtm")
	if err := os.Rename(filepath.Join(d.folder, to), outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(outside, filepath.Join(d.folder, last)); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "notebookMoved" && e.Data["to"] == last })
	if n := d.Nodes(); len(n) != 1 || n[0].File != last {
		t.Errorf("%+v", n)
	}
}

// A notebook without a uuid is followed by its file number and contents.
func TestANotebookWithoutUUIDIsRenamed(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.write("plain.mtm", `{"metadata":{"name":"Plain","allowed_uris":["."]},"context":[{"role":"user","content":"one"}]}`)
	d.untilTree("Plain")
	if _, err := d.Notebook("plain.mtm"); err != nil {
		t.Fatal(err)
	}
	d.moveFile("plain.mtm", "renamed.mtm")
	d.until(func(e item) bool { return e.Type == "notebookMoved" && e.Data["to"] == "renamed.mtm" })
}

// An existing copy, or several files that might be the notebook, do not count as the deleted
// notebook.
func TestACopyIsNoRename(t *testing.T) {
	t.Parallel()
	const copied = "two/copy.mtm"
	for what, make := range map[string]func(d *desk, path, text string){
		"a copy that was there before": func(d *desk, path, text string) {
			d.write(copied, text)
			d.until(func(item) bool { return len(d.Nodes()) == 2 })
		},
		"two files that came as it went": func(d *desk, path, text string) {
			// They come with their folder: one file that came alone would be the renamed one.
			outside := t.TempDir()
			for _, name := range []string{"copy.mtm", "another.mtm"} {
				if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d.moveFile(path, ".mutsumi/.away") // a hidden file is not a notebook
			if err := os.Rename(outside, filepath.Join(d.folder, "two")); err != nil {
				t.Fatal(err)
			}
			d.FilesChanged(path, "two/another.mtm", copied)
		},
	} {
		t.Run(what, func(t *testing.T) {
			d := open(t, "", "answer\ntext half\nstall")
			path := d.create("Deleted")
			d.run(path, d.prompt(path, "go"), runner.RunCell)
			d.untilOnDisk(path, "half")
			text := d.onDisk(path)
			make(d, path, text)
			_ = os.Remove(filepath.Join(d.folder, path))
			d.until(func(e item) bool { return e.Type == "diskConflict" && e.Data["path"] == path })
			if err := d.Stop(path); err != nil {
				t.Fatal(err)
			}
			d.untilFinished(1)
			if err := d.Close(); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("the error does not say where it is kept: %v", err)
			}
			if d.onDisk(copied) != text {
				t.Error("the copy was written")
			}
		})
	}
}

// If two notebooks are renamed at once, each follows its own file.
func TestTwoOfOneUUIDAreRenamedAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Twin")
	d.prompt(path, "one")
	d.untilOnDisk(path, "one")
	d.write("copy.mtm", d.onDisk(path))
	d.until(func(item) bool { return len(d.Nodes()) == 2 })
	if _, err := d.Notebook("copy.mtm"); err != nil {
		t.Fatal(err)
	}
	d.moveFile("copy.mtm", "a.mtm")
	d.moveFile(path, "b.mtm")
	to := map[string]string{}
	d.until(func(e item) bool {
		if e.Type == "notebookMoved" {
			to[e.Data["from"].(string)] = e.Data["to"].(string)
		}
		return len(to) == 2
	})
	if to["copy.mtm"] != "a.mtm" || to[path] != "b.mtm" {
		t.Errorf("%v", to)
	}
}
