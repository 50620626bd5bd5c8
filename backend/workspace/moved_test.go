package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// rename renames a notebook's file, and waits until the tree has the new name.
func (d *desk) rename(path, to string) {
	d.t.Helper()
	target := filepath.Join(d.folder, to)
	if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.Rename(filepath.Join(d.folder, path), target)); err != nil {
		d.t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "notebookMoved" && e.Data["from"] == path && e.Data["to"] == to })
}

// noneBeside checks that nothing is left of a notebook under its old name.
func (d *desk) noneBeside(path string) {
	d.t.Helper()
	stem := strings.TrimSuffix(filepath.Base(path), ".mtm")
	entries, err := os.ReadDir(filepath.Join(d.folder, filepath.Dir(path)))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), stem) {
			d.t.Errorf("%s is left", e.Name())
		}
	}
}

// An answer goes on in the file under its new name, even in another folder; the old name still
// reaches it.
func TestANotebookIsRenamedWhileItsAgentWorks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext half\nwait rest\ntext  whole\nanswer\ntext second\nstall")
	path := d.create("Moved")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilOnDisk(path, "half")
	next := d.prompt(path, "then")
	d.run(path, next, runner.RunCell)
	const once, twice = ".mutsumi/renamed.mtm", "kept/again.mtm"
	d.rename(path, once)
	if n := d.node(once); n.Status != agenttree.Running || len(d.Nodes()) != 1 {
		t.Errorf("%+v", d.Nodes())
	}
	d.rename(once, twice)
	d.server.Let("rest")
	if end := d.untilFinished(1)[0]; end.Data["path"] != twice || end.Data["outcome"] != "done" {
		t.Errorf("%v", end)
	}
	d.untilOnDisk(twice, "second")
	if v, err := d.Notebook(path); err != nil || v.Path != twice || v.Conflict || len(v.Running) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if err := d.Stop(twice); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("%v", end)
	}
	d.until(func(e item) bool { return e.Type == "notebookSaved" && e.Data["path"] == twice })
	if got := d.onDisk(twice); !strings.Contains(got, "halfwhole") {
		t.Errorf("got %s", got)
	}
	if got := d.outcome(twice, cell); got != notebook.Done {
		t.Errorf("got %v", got)
	}
	d.noneBeside(path)
	d.noneBeside(filepath.Join(".mutsumi", "renamed.mtm"))
}

// A save that comes before the new name is known finds no file: the text waits beside the old name,
// and goes into the file when that is found.
func TestARenamedNotebookIsSavedBeforeItIsFound(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Moved")
	d.prompt(path, "one")
	d.untilOnDisk(path, "one")
	outside := filepath.Join(t.TempDir(), "away.mtm")
	var renamed error
	typed := d.TypeThen(path, "two", func() { renamed = os.Rename(filepath.Join(d.folder, path), outside) })
	if err := errors.Join(typed, renamed); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "diskConflict" })
	const back = ".mutsumi/back.mtm"
	if err := os.Rename(outside, filepath.Join(d.folder, back)); err != nil {
		t.Fatal(err)
	}
	d.FileChanged(path)
	d.FileChanged(back)
	d.untilOnDisk(back, "two")
	d.until(func(e item) bool { return e.Type == "notebookSaved" && e.Data["path"] == back })
	if v, err := d.Notebook(back); err != nil || v.Conflict {
		t.Errorf("%+v, %v", v, err)
	}
	d.noneBeside(path)
}

// A child that waits for its turn runs under its new name, and its parent gets its report.
func TestAWaitingChildIsRenamed(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b"))+saying("PARENT", "text ok")+
		saying("do a", "wait a\ntool task_finish {\"summary\":\"did a\"}")+finishing("do b", "did b"))
	limit(t, d, 1)
	path, cell := d.fork()
	d.agentNamed("A", runs)
	b := d.agentNamed("B", queued)
	d.untilOnDisk(b.File, "do b")
	const renamed = ".mutsumi/b.mtm"
	d.rename(b.File, renamed)
	if n := d.agentNamed("B", queued); n.File != renamed {
		t.Errorf("%+v", n)
	}
	d.server.Let("a")
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.Contains(got, "did a") || !strings.Contains(got, "did b") {
		t.Errorf("got %s", got)
	}
	d.noneBeside(b.File)
}

// A waiting request leads to the notebook under its new name, and its agent keeps its grants.
func TestANotebookIsRenamedWhileItsAgentAsks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("one.txt", "1")+"answer\n"+writeCall("two.txt", "2")+"answer\ntext done")
	path := d.create("Asks")
	cell := d.prompt(path, "write")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	const renamed = ".mutsumi/renamed.mtm"
	d.rename(path, renamed)
	r = d.asks()
	if r.Path != renamed || !slices.Contains(d.node(renamed).Marks, agenttree.NeedsYou) {
		t.Errorf("%+v, %+v", r, d.Nodes())
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Notebook, Patterns: r.Suggestions[len(r.Suggestions)-1].Patterns}); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" || end.Data["path"] != renamed {
		t.Errorf("%v", end)
	}
	// The second write was granted with the first: grants are bound to the file.
	if d.onDisk("one.txt") != "1" || d.onDisk("two.txt") != "2" {
		t.Error("not written")
	}
}

// A file that is copied while its agent works does not count as interrupted and is not run a second
// time, and either name can stop its agent.
func TestANotebookIsCopiedWhileItsAgentWorks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext half\nstall")
	path := d.create("Copied")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilOnDisk(path, "half")
	const copied = ".mutsumi/copied.mtm"
	d.write(copied, d.onDisk(path))
	d.until(func(item) bool {
		for _, n := range d.Nodes() {
			if n.File == copied {
				return true
			}
		}
		return false
	})
	n := d.node(copied)
	if n.Status != agenttree.Running || len(n.Marks) != 0 || !strings.Contains(n.Action, path) {
		t.Errorf("%+v", n)
	}
	if n := d.node(path); n.Status != agenttree.Running {
		t.Errorf("the working agent: %+v", n)
	}
	if _, err := d.Resume(copied); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if err := d.Stop(copied); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" || len(d.server.Requests()) != 1 {
		t.Errorf("%v, %d requests", end, len(d.server.Requests()))
	}
}

// A file that is deleted while its agent works leaves a node to stop the run, which disappears with
// the run.
func TestANotebookIsDeletedWhileItsAgentWorks(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext half\nstall")
	path := d.create("Deleted")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilOnDisk(path, "half")
	if err := os.Remove(filepath.Join(d.folder, path)); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "diskConflict" })
	d.FileChanged(path)
	if n := d.node(path); n.Status != agenttree.Running {
		t.Errorf("%+v", n)
	}
	if err := d.StopTree(path); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	d.until(func(item) bool { return len(d.Nodes()) == 0 || d.Nodes()[0].File != path })
}

// Deleted children that were waiting leave nothing behind.
func TestWaitingChildrenAreDeleted(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b"))+saying("PARENT", "text ok")+saying("do a", "wait a\ntool task_finish {\"summary\":\"a\"}"))
	limit(t, d, 1)
	path, cell := d.fork()
	d.agentNamed("A", runs)
	b := d.agentNamed("B", queued)
	d.untilOnDisk(b.File, "do b")
	if err := errors.Join(os.Remove(filepath.Join(d.folder, b.File))); err != nil {
		t.Fatal(err)
	}
	d.until(func(item) bool {
		return !slices.ContainsFunc(d.Nodes(), func(n agenttree.Node) bool { return n.File == b.File })
	})
	d.server.Let("a")
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.Contains(got, "1 deleted") {
		t.Errorf("got %s", got)
	}
}

// A copy of a notebook that this program made gets its own uuid when both are seen. In an untrusted
// folder nothing is written unasked.
func TestACopyIsGivenItsUUIDUnlessTheFolderIsForeign(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		d := open(t, "", "")
		path := d.create("Original")
		d.prompt(path, "one")
		d.untilOnDisk(path, "one")
		if refused {
			if err := d.TrustFolder(false); err != nil {
				t.Fatal(err)
			}
		}
		text := d.onDisk(path)
		d.write("copy.mtm", text)
		d.until(func(item) bool { return len(d.Nodes()) == 2 })
		if !refused {
			d.untilOnDisk("copy.mtm", "mutsumi_copied_from")
			d.until(func(item) bool { return d.node("copy.mtm").UUID != d.node(path).UUID })
			continue
		}
		d.FilesChanged(path, "copy.mtm")
		if d.onDisk("copy.mtm") != text {
			t.Error("the copy was written in an untrusted folder")
		}
		if d.onDisk(path) != text {
			t.Error("the original was written")
		}
	}
}
