package agenttree

import (
	"slices"
	"testing"
)

// a has b and c, b has d; x and y are each other's parents, as files are that
// were copied by hand; t has the uuid of b.
var kin = []Node{
	{File: "a.mtm", UUID: "a"},
	{File: "b.mtm", UUID: "b", ParentID: "a", CreatedAt: "2"},
	{File: "c.mtm", UUID: "c", ParentID: "a", CreatedAt: "1"},
	{File: "d.mtm", UUID: "d", ParentID: "b"},
	{File: "t.mtm", UUID: "b", ParentID: "a", CreatedAt: "3"},
	{File: "x.mtm", UUID: "x", ParentID: "y"},
	{File: "y.mtm", UUID: "y", ParentID: "x"},
}

func TestFamily(t *testing.T) {
	for _, path := range []string{"a.mtm", "d.mtm"} {
		var files []string
		depths := map[string]int{}
		for _, m := range Family(kin, path, 100) {
			files, depths[m.File] = append(files, m.File), m.Depth
		}
		if want := []string{"a.mtm", "c.mtm", "b.mtm", "d.mtm", "t.mtm"}; !slices.Equal(files, want) || depths["a.mtm"] != 0 || depths["d.mtm"] != 2 {
			t.Errorf("%s: %q, %v", path, files, depths)
		}
	}
	if got := Family(kin, "gone.mtm", 100); got != nil {
		t.Errorf("of none: %v", got)
	}
	if got := Family(kin, "a.mtm", 2); len(got) != 2 {
		t.Errorf("of at most two: %v", got)
	}
	if got := Family(kin, "x.mtm", 100); len(got) != 2 {
		t.Errorf("of a circle: %v", got)
	}
}

func TestAncestorsAndDescendants(t *testing.T) {
	if got := Ancestors(kin, "d.mtm"); !slices.Contains([]string{"b.mtm", "t.mtm"}, got[0]) || len(got) != 2 || got[1] != "a.mtm" {
		t.Errorf("above d: %q", got)
	}
	if got := Ancestors(kin, "x.mtm"); len(got) > len(kin) {
		t.Errorf("above x, in a circle: %d files", len(got))
	}
	if got := Descendants(kin, "a.mtm"); !slices.Equal(got, []string{"b.mtm", "c.mtm", "t.mtm", "d.mtm"}) {
		t.Errorf("below a: %q", got)
	}
	if got := Descendants(kin, "x.mtm"); len(got) > 2 {
		t.Errorf("below x, in a circle: %q", got)
	}
	if got := Level(kin, "b", 5); got != 2 {
		t.Errorf("a child of b has %d above it", got)
	}
	if got := Level(kin, "x", 5); got != 5 {
		t.Errorf("a child of a circle has %d above it", got)
	}
}

func TestRoots(t *testing.T) {
	got := Roots(kin)
	if got["d"] != "a" || got["c"] != "a" || got["a"] != "a" || got["x"] != got["y"] {
		t.Errorf("%v", got)
	}
}
