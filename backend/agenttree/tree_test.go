package agenttree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestStatus(t *testing.T) {
	summaries := []Summary{
		{File: "a.mtm", UUID: "a"},
		{File: "b.mtm", UUID: "b", ParentID: "a"},
		{File: "c.mtm", UUID: "c", ParentID: "a", Finished: true},
		{File: "d.mtm", UUID: "d", ParentID: "gone"},
		{File: "e.mtm", UUID: "e", ParentID: "f"},
		{File: "f.mtm", UUID: "f", ParentID: "e"},
		{File: "g.mtm", UUID: "g", ParentID: "g"},
		{File: "h.mtm", Problem: "line 1, column 2: no notebook"},
		{File: "i.mtm", UUID: "i", Failed: true},
		{File: "j.mtm", UUID: "j", Finished: true, Failed: true},
		{File: "k.mtm", UUID: "k", ParentID: "e"},
	}
	live := map[string]Live{"j.mtm": {Running: true, NeedsYou: true, Action: "thinking"}, "b.mtm": {Queued: true}}
	want := map[string]struct {
		status Status
		parent string
		marks  []Mark
	}{
		"a.mtm": {Standby, "", nil},
		"b.mtm": {Pending, "a", []Mark{Queued}},
		"c.mtm": {Finished, "a", nil},
		"d.mtm": {Pending, "", nil},
		"e.mtm": {Pending, "", nil},
		"f.mtm": {Pending, "", nil},
		"g.mtm": {Pending, "", nil},
		"h.mtm": {Standby, "", []Mark{Failed}},
		"i.mtm": {Standby, "", []Mark{Failed}},
		"j.mtm": {Running, "", []Mark{NeedsYou}},
		"k.mtm": {Pending, "e", nil},
	}
	nodes := Compute(summaries, live)
	if len(nodes) != len(want) {
		t.Fatalf("%d nodes", len(nodes))
	}
	for _, n := range nodes {
		w := want[n.File]
		if n.Status != w.status || n.ParentID != w.parent || fmt.Sprint(n.Marks) != fmt.Sprint(w.marks) {
			t.Errorf("%s: got %s, parent %q, marks %v; want %+v", n.File, n.Status, n.ParentID, n.Marks, w)
		}
	}
}

func TestDiff(t *testing.T) {
	a := Compute([]Summary{{File: "a"}, {File: "b"}, {File: "c"}}, nil)
	b := Compute([]Summary{{File: "a"}, {File: "b", Name: "B"}, {File: "d"}}, nil)
	changed, removed := Diff(a, b)
	if len(changed) != 2 || changed[0].File != "b" || changed[1].File != "d" || !reflect.DeepEqual(removed, []string{"c"}) {
		t.Errorf("changed %v, removed %v", changed, removed)
	}
	if changed, removed = Diff(b, b); changed == nil || removed == nil || len(changed)+len(removed) > 0 {
		t.Errorf("nothing changed, got %v, %v", changed, removed)
	}
}

// Every field of Node takes part in the comparison.
func TestDiffSeesEveryField(t *testing.T) {
	for i := range reflect.TypeFor[Node]().NumField() {
		a := Node{Marks: []Mark{}}
		b := a
		f := reflect.ValueOf(&b).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Int64:
			f.SetInt(7)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]Mark{Failed}))
		case reflect.Struct:
			f.Set(reflect.ValueOf(Total{Tokens: 1}))
		default:
			t.Fatalf("field %d has a kind this test does not know", i)
		}
		if same(&a, &b) {
			t.Errorf("a change of %s is not seen", reflect.TypeFor[Node]().Field(i).Name)
		}
	}
}

func TestMarksOfARun(t *testing.T) {
	summary := Summary{File: "a", Interrupted: true, Failed: true, Kind: "reviewer", TimeMs: 7}
	n := Compute([]Summary{summary}, nil)[0]
	if !reflect.DeepEqual(n.Marks, []Mark{Failed, Interrupted}) || n.Kind != "reviewer" || n.TimeMs != 7 {
		t.Errorf("%+v", n)
	}
	n = Compute([]Summary{summary}, map[string]Live{"a": {Running: true, Advice: "Stop it."}})[0]
	if !reflect.DeepEqual(n.Marks, []Mark{Stuck}) || n.Advice != "Stop it." {
		t.Errorf("%+v", n)
	}
	if n = Compute([]Summary{summary}, map[string]Live{"a": {Advice: "old"}})[0]; n.Advice != "" {
		t.Errorf("advice without a run: %+v", n)
	}
}

func TestTotals(t *testing.T) {
	own := func(n int) Total { return Total{Tokens: n, Input: n, Cached: n, Cost: int64(n)} }
	summaries := []Summary{
		{File: "a", UUID: "a", Spent: own(1)},
		{File: "b", UUID: "b", ParentID: "a", Spent: own(2)},
		{File: "c", UUID: "c", ParentID: "b", Spent: Total{Tokens: 4, Input: 4, Cached: 4, Cost: 4, Guessed: true, Estimated: true, Unpriced: true}},
		{File: "c copy", UUID: "c", ParentID: "b", Spent: own(8)},
		{File: "d", UUID: "d", ParentID: "c", Spent: own(16)},
		{File: "e", ParentID: "a", Spent: own(32)}, // a file without a uuid
		{File: "f", ParentID: "gone", Spent: own(64)},
		{File: "x", UUID: "x", ParentID: "z", Spent: own(1)}, // a circle with a tail
		{File: "y", UUID: "y", ParentID: "x", Spent: own(2)},
		{File: "z", UUID: "z", ParentID: "y", Spent: own(4)},
		{File: "w", UUID: "w", ParentID: "y", Spent: own(8)},
		{File: "big", UUID: "big", Spent: own(math.MaxInt)},
		{File: "bigger", UUID: "bigger", ParentID: "big", Spent: own(math.MaxInt)},
	}
	want := map[string]int{"a": 1063, "b": 1030, "c": 20, "c copy": 24, "d": 1016, "e": 32, "f": 64, "x": 1, "y": 10, "z": 4, "w": 8, "big": math.MaxInt, "bigger": math.MaxInt}
	for range 20 { // the order in which they are known does not count
		rand.Shuffle(len(summaries), func(i, j int) { summaries[i], summaries[j] = summaries[j], summaries[i] })
		for _, n := range Compute(summaries, map[string]Live{"d": {Running: true, Spent: own(1000)}}) {
			if n.File == "c" || n.File == "c copy" {
				n.Subtree.Tokens, n.Subtree.Input, n.Subtree.Cached = n.Subtree.Tokens-1000, n.Subtree.Input-1000, n.Subtree.Cached-1000
			}
			if n.Subtree.Input != n.Subtree.Tokens || n.Subtree.Cached != n.Subtree.Tokens {
				t.Errorf("%s: the parts have another sum: %+v", n.File, n.Subtree)
			}
			above := n.File == "a" || n.File == "b" || n.File == "c"
			if n.Subtree.Tokens != want[n.File] || n.Subtree.Guessed != above || n.Subtree.Estimated != above || n.Subtree.Unpriced != above {
				t.Errorf("%s: %+v, want %d", n.File, n.Subtree, want[n.File])
			}
		}
	}
}

// A change in one agent changes the sums of its ancestors and of nobody else.
func TestAChangeOfOneUpdatesItsAncestors(t *testing.T) {
	summaries := line(500)
	before := Compute(summaries, nil)
	changed, removed := Diff(before, Compute(summaries, map[string]Live{"0499.mtm": {Running: true, Spent: Total{Tokens: 5}}}))
	var files []string
	for _, n := range changed {
		files = append(files, n.File)
	}
	if len(removed) > 0 || fmt.Sprint(files) != "[0001.mtm 0003.mtm 0007.mtm 0015.mtm 0031.mtm 0062.mtm 0124.mtm 0249.mtm 0499.mtm]" {
		t.Errorf("%v, %v", files, removed)
	}
}

// line makes summaries that each have two children.
func line(n int) []Summary {
	summaries := make([]Summary, n)
	for i := range summaries {
		summaries[i] = Summary{File: fmt.Sprintf("%04d.mtm", i), UUID: fmt.Sprintf("0b9f3c1e-%04d", i), Name: "Agent", Spent: Total{Tokens: i, Cost: int64(i)}}
		if i > 1 {
			summaries[i].ParentID = summaries[i/2].UUID
		}
	}
	return summaries
}

func BenchmarkCompute(b *testing.B) {
	for _, n := range []int{1000, 2000, 5000} {
		summaries := line(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			nodes, live := Compute(summaries, nil), map[string]Live{}
			for i := range b.N {
				live["0999.mtm"] = Live{Running: true, Spent: Total{Tokens: i}}
				next := Compute(summaries, live)
				Diff(nodes, next)
				nodes = next
			}
		})
	}
}
