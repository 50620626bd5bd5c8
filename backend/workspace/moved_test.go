package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
	"mutsumi/backend/workspace"
)

// A file that is renamed while its agent works is not taken for interrupted,
// is not run a second time, and its agent can be stopped by either name.
func TestANotebookIsRenamedWhileItsAgentWorks(t *testing.T) {
	d := open(t, "", "answer\ntext half\nstall")
	path := d.create("Moved")
	d.run(path, d.prompt(path, "go"), workspace.RunCell)
	d.untilOnDisk(path, "half")
	const renamed = ".mutsumi/renamed.mtm"
	if err := os.Rename(filepath.Join(d.folder, path), filepath.Join(d.folder, renamed)); err != nil {
		t.Fatal(err)
	}
	d.until(func(item) bool {
		for _, n := range d.Nodes() {
			if n.File == renamed {
				return true
			}
		}
		return false
	})
	n := d.node(renamed)
	if n.Status != agenttree.Running || len(n.Marks) != 0 || !strings.Contains(n.Action, path) {
		t.Errorf("%+v", n)
	}
	if n := d.node(path); n.Status != agenttree.Running {
		t.Errorf("the one at work: %+v", n)
	}
	if _, err := d.Resume(renamed); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if err := d.Stop(renamed); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" || len(d.server.Requests()) != 1 {
		t.Errorf("%v, %d requests", end, len(d.server.Requests()))
	}
}

// A file that is deleted while its agent works leaves a node to stop it by,
// which goes with the run.
func TestANotebookIsDeletedWhileItsAgentWorks(t *testing.T) {
	d := open(t, "", "answer\ntext half\nstall")
	path := d.create("Deleted")
	d.run(path, d.prompt(path, "go"), workspace.RunCell)
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

// Children that wait and are deleted leave nothing behind.
func TestWaitingChildrenAreDeleted(t *testing.T) {
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b"))+saying("PARENT", "text ok")+saying("do a", "wait a\ntool task_finish {\"summary\":\"a\"}"))
	limit(t, d, 1)
	path, cell := d.fork()
	d.agentNamed("A", runs)
	b := d.agentNamed("B", queued)
	d.untilOnDisk(b.File, "do b")
	if err := errors.Join(os.Remove(filepath.Join(d.folder, b.File))); err != nil {
		t.Fatal(err)
	}
	d.FileChanged(b.File)
	d.server.Let("a")
	d.untilOver(path)
	for _, n := range d.Nodes() {
		if n.File == b.File {
			t.Errorf("it is still there: %+v", n)
		}
	}
	if got := d.answer(path, cell); !strings.Contains(got, "1 deleted") {
		t.Errorf("got %s", got)
	}
}
