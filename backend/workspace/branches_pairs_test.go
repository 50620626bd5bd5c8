package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/branches"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
)

// While a notebook is forked, another window types into the prompt at the fork: each fork has one
// complete text of it, and the original loses nothing.
func TestForksWhileAnotherWindowTypesIntoTheirPrompt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Plan")
	cell := d.prompt(path, "version 0 of 0")
	const versions = 60
	text := func(n int) string { return fmt.Sprintf("version %d of %s", n, strings.Repeat(fmt.Sprint(n), 2000)) }
	typed := make(chan error)
	go func() {
		for n := 1; n <= versions; n++ {
			if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: text(n)}}, "second"); err != nil {
				typed <- err
				return
			}
		}
		typed <- nil
	}()
	var forks []string
	for typing := true; typing || len(forks) < 3; {
		select {
		case err := <-typed:
			if err != nil {
				t.Fatal(err)
			}
			typing = false
		default:
			forks = append(forks, d.forkAt(path, cell, ""))
		}
	}
	for _, fork := range forks {
		got := d.textOf(fork, 0)
		var n int
		if _, err := fmt.Sscanf(got, "version %d", &n); err != nil || n > 0 && got != text(n) {
			t.Errorf("%s has %.60q", fork, got)
		}
	}
	if got := d.textOf(path, 0); got != text(versions) {
		t.Errorf("the original has %.60q", got)
	}
	if _, err := d.Undo(path); err != nil { // a fork is not a step of the original
		t.Fatal(err)
	}
	if got := d.textOf(path, 0); got == text(versions) {
		t.Error("the typing was not undone")
	}
}

// textOf returns the prompt of a cell of a notebook, by its index.
func (d *desk) textOf(path string, n int) string {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil || len(v.Cells) <= n {
		d.t.Fatalf("%s has %d cells, %v", path, len(v.Cells), err)
	}
	_, cells, err := d.Cells(path, []string{v.Cells[n].ID})
	if err != nil {
		d.t.Fatal(err)
	}
	return cells[0].Body.Text
}

// forkFolder is set in the process that will be killed.
const forkFolder = "MUTSUMI_TEST_FORK_FOLDER"

// A process is killed while it forks: each fork is complete or absent, and the original is
// unchanged.
func TestKilledWhileItForks(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(forkFolder); folder != "" {
		d := open(t, folder, "")
		cell := d.prompt("a.mtm", "at this one")
		for {
			d.forkAt("a.mtm", cell, "")
		}
	}
	long := strings.Repeat("a long prompt. ", 20_000)
	for round := range 6 {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "a.mtm"), []byte(strings.Replace(filestest.Notebook("a", "A"), `"context":[`, fmt.Sprintf(`"context":[{"role":"user","content":%q},`, long), 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWhileItForks$")
		cmd.Env = append(os.Environ(), forkFolder+"="+folder, "TMPDIR="+t.TempDir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		files := func() []string {
			all, _ := filepath.Glob(filepath.Join(folder, "*.mtm"))
			return all
		}
		for until := time.Now().Add(time.Minute); len(files()) < 3+round; time.Sleep(time.Duration(100+round*37) * time.Microsecond) {
			if time.Now().After(until) {
				cmd.Process.Kill()
				t.Fatalf("no forks: %v", files())
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		uuids := map[string]bool{}
		for _, file := range files() {
			nb, _, err := notebook.Load(file)
			if err != nil {
				t.Fatalf("in round %d: %v", round, err)
			}
			if nb.Len() < 2 || uuids[nb.UUID()] {
				t.Errorf("in round %d: %s has %d cells and the uuid %s", round, file, nb.Len(), nb.UUID())
			}
			uuids[nb.UUID()] = true
		}
	}
}

// Carrying a cell over is a step of the target notebook: any window undoes it after what was typed
// there since, and it is not a step of the source.
func TestWhatIsCarriedOverIsUndoneInAnotherWindow(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path, to := d.create("Source"), d.create("Target")
	cell := d.prompt(path, "carried")
	first := d.prompt(to, "first")
	if _, err := d.Carry(branches.Place{Path: path}, cell, to, branches.WholeCell); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Edit(to, []notebook.Edit{{Kind: notebook.EditSetText, Cell: first, Text: "typed elsewhere"}}, "second"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo(path); err != nil { // in the source: this undoes its prompt
		t.Fatal(err)
	}
	cells := func() int {
		v, err := d.Notebook(to)
		if err != nil {
			t.Fatal(err)
		}
		return len(v.Cells)
	}
	if cells() != 2 || d.textOf(to, 0) != "typed elsewhere" {
		t.Errorf("an undo of the source changed the target: %d cells", cells())
	}
	for i, want := range []struct {
		text  string
		cells int
	}{{"first", 2}, {"first", 1}} {
		if _, err := d.Undo(to); err != nil {
			t.Fatal(err)
		}
		if cells() != want.cells || d.textOf(to, 0) != want.text {
			t.Errorf("undo %d: %d cells, %q", i, cells(), d.textOf(to, 0))
		}
	}
	if _, err := d.Redo(to); err != nil || d.textOf(to, 1) != "carried" {
		t.Errorf("redo: %v", err)
	}
}
