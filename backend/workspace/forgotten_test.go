package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/runner"
	"mutsumi/backend/workspace"
)

// Children that ran and that nobody looks at are not kept in memory; who looks
// at one later finds all of it.
func TestChildrenThatRanAreLetGo(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: AAA", "B: BBB", "C: CCC"))+finishing("AAA", "a is done")+finishing("BBB", "b is done")+finishing("CCC", "c is done")+saying("PARENT", "text All done."))
	path, _ := d.fork()
	d.untilOver(path)
	deadline := time.Now().Add(time.Minute)
	for d.OpenDocs() > 1 {
		if time.Now().After(deadline) {
			t.Fatalf("%d notebooks are in memory, and one is looked at", d.OpenDocs())
		}
		time.Sleep(5 * time.Millisecond) // letting go is no event
	}
	child := d.agentNamed("B", finished).File
	if got := d.answer(child, d.promptOf(child)); !strings.Contains(got, "b is done") {
		t.Errorf("got %s", got)
	}
	if n := d.OpenDocs(); n != 2 {
		t.Errorf("%d notebooks are in memory, and two are looked at", n)
	}
}

// Two agents may have one name: both can be referred to.
func TestAgentsOfOneNameAreBothCompleted(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	one, two := d.create("New agent"), d.create("New agent")
	got, err := d.Complete("", "notebook", "new")
	if err != nil || len(got) != 2 || got[0].Insert == got[1].Insert || got[0].Label != got[1].Label {
		t.Fatalf("%s and %s: %+v, %v", one, two, got, err)
	}
}

// What was sent is remembered outside of the folder: it goes with its
// notebook, and when it is old or too much.
func TestWhatWasSentIsForgotten(t *testing.T) {
	d := open(t, "", "answer always\ntext x")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	kept := func() []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(cacheOf(d.folder), "requests", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	one, two := d.create("One"), d.create("Two")
	for _, path := range []string{one, two} {
		d.run(path, d.prompt(path, "hello"), runner.RunCell)
		d.untilFinished(1)
	}
	if n := len(kept()); n != 2 {
		t.Fatalf("%d requests are remembered", n)
	}
	d.untilSaved(one)
	if err := d.Trash(one); err != nil {
		t.Fatal(err)
	}
	if n := len(kept()); n != 1 {
		t.Fatalf("%d requests are remembered, of one notebook", n)
	}
	file := kept()[0]
	large := filepath.Join(filepath.Dir(file), "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 65<<20); err != nil {
		t.Fatal(err)
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(large, hour, hour); err != nil {
		t.Fatal(err)
	}
	workspace.PruneRequests(d.Workspace, time.Now())
	if got := kept(); len(got) != 1 || got[0] != file {
		t.Errorf("what is too much: %v", got)
	}
	workspace.PruneRequests(d.Workspace, time.Now().Add(15*24*time.Hour))
	if got := kept(); len(got) != 0 {
		t.Errorf("what is old: %v", got)
	}
}
