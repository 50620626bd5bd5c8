package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/runner"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/workspace"
)

// Children that have run and are not viewed are not kept in memory; opening one later shows
// everything.
func TestChildrenThatRanAreLetGo(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: AAA", "B: BBB", "C: CCC"))+finishing("AAA", "a is done")+finishing("BBB", "b is done")+finishing("CCC", "c is done")+saying("PARENT", "text All done."))
	path, _ := d.fork()
	d.untilOver(path)
	d.untilOpen(1)
	child := d.agentNamed("B", finished).File
	if got := d.answer(child, d.promptOf(child)); !strings.Contains(got, "b is done") {
		t.Errorf("got %s", got)
	}
	if n := d.OpenDocs(); n != 2 {
		t.Errorf("%d notebooks are in memory, and two are open", n)
	}
}

// When a parent checks its other children, a child that ended and was unloaded is not loaded again
// for good.
func TestAChildIsLetGoWhileItsParentWaitsForAnother(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: AAA", "B: BBB"))+finishing("AAA", "a is done")+
		saying("BBB", "wait b\ntool task_finish {\"summary\":\"b is done\"}")+saying("PARENT", "text All done."))
	path, cell := d.fork()
	d.agentNamed("A", finished)
	d.untilOpen(2)
	d.server.Let("b")
	d.untilOver(path)
	d.untilOpen(1)
	if got := d.answer(path, cell); !strings.Contains(got, "All done.") {
		t.Errorf("got %s", got)
	}
}

// untilOpen waits until n notebooks are in memory.
func (d *desk) untilOpen(n int) {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); d.OpenDocs() != n; time.Sleep(5 * time.Millisecond) { // unloading causes no event
		if time.Now().After(deadline) {
			d.t.Fatalf("%d notebooks are in memory, not %d", d.OpenDocs(), n)
		}
	}
}

// BenchmarkChildrenLetGo runs 40 children that each answer with 50 KB, and reports how many bytes
// of the heap each leaves behind after it has finished, when only the parent's notebook is open.
func BenchmarkChildrenLetGo(b *testing.B) {
	const before, children = 40, 40 // the first ones fill everything bounded, such as the outbox
	script, tasks := "", (before+children)/builtin.MaxChildren
	for range tasks {
		var list []string
		for i := range builtin.MaxChildren {
			list = append(list, fmt.Sprintf("Child %d: do a part", i))
		}
		script += saying("PARENT", forkCall(list...))
	}
	script += saying("PARENT", "text All done.") +
		"answer always when \"do a part\"\ntext " + strings.Repeat("word ", 10_000) + "\ntool task_finish {\"summary\":\"done\"}\n"
	var left float64
	for b.Loop() {
		d := open(b, "", script)
		path := d.create("Parent")
		d.run(path, d.prompt(path, "PARENT"), runner.RunCell)
		var start uint64
		for i := range tasks {
			call := d.asks() // the children before it have ended
			if i == before/builtin.MaxChildren {
				d.untilOpen(1)
				start = d.heap()
			}
			if err := d.ResolveApproval(call.ID, approval.Decision{Allow: true}); err != nil {
				b.Fatal(err)
			}
		}
		d.untilOver(path)
		d.untilOpen(1)
		if n := len(d.Nodes()); n != 1+before+children {
			b.Fatalf("%d agents", n)
		}
		left += (float64(d.heap()) - float64(start)) / children
		b.StopTimer()
		d.Close()
		b.StartTimer()
	}
	b.ReportMetric(left/float64(b.N), "B/child")
}

// heap returns the bytes of the heap in use, without the records of the model's server.
func (d *desk) heap() uint64 {
	d.server.Forget()
	runtime.GC()
	runtime.GC() // objects with a finalizer are freed by the second collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Two agents may have the same name: both can be referred to.
func TestAgentsOfOneNameAreBothCompleted(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	one, two := d.create("New agent"), d.create("New agent")
	got, err := d.Complete("", "notebook", "new")
	if err != nil || len(got) != 2 || got[0].Insert == got[1].Insert || got[0].Label != got[1].Label {
		t.Fatalf("%s and %s: %+v, %v", one, two, got, err)
	}
}

// Records of requests are kept outside the folder: they are removed with their notebook, and when
// they are old or too large.
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
		t.Fatalf("%d requests are recorded", n)
	}
	d.untilSaved(one)
	if err := d.Trash(one); err != nil {
		t.Fatal(err)
	}
	if n := len(kept()); n != 1 {
		t.Fatalf("%d requests of one notebook are recorded", n)
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
		t.Errorf("too large: %v", got)
	}
	workspace.PruneRequests(d.Workspace, time.Now().Add(15*24*time.Hour))
	if got := kept(); len(got) != 0 {
		t.Errorf("too old: %v", got)
	}
}
