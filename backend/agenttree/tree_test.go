package agenttree

import (
	"fmt"
	"reflect"
	"testing"
)

func TestStatus(t *testing.T) {
	heads := []Head{
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
		"d.mtm": {Standby, "", nil},
		"e.mtm": {Standby, "", nil},
		"f.mtm": {Standby, "", nil},
		"g.mtm": {Standby, "", nil},
		"h.mtm": {Standby, "", []Mark{Failed}},
		"i.mtm": {Standby, "", []Mark{Failed}},
		"j.mtm": {Running, "", []Mark{NeedsYou}},
		"k.mtm": {Pending, "e", nil},
	}
	nodes := Compute(heads, live)
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
	a := Compute([]Head{{File: "a"}, {File: "b"}, {File: "c"}}, nil)
	b := Compute([]Head{{File: "a"}, {File: "b", Name: "B"}, {File: "d"}}, nil)
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
		if same(a, b) {
			t.Errorf("a change of %s is not seen", reflect.TypeFor[Node]().Field(i).Name)
		}
	}
}

func BenchmarkCompute1000(b *testing.B) {
	heads := make([]Head, 1000)
	for i := range heads {
		heads[i] = Head{File: fmt.Sprintf("%04d.mtm", i), UUID: fmt.Sprint(i), ParentID: fmt.Sprint(i / 2)}
	}
	for b.Loop() {
		Compute(heads, nil)
	}
}
