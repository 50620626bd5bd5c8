package agenttree

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// After any sequence of changes, the tree equals one computed from scratch, and the reported
// changes are the difference.
func TestATreeIsFollowed(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		summaries := make([]Summary, 1+r.IntN(12))
		for i := range summaries {
			summaries[i] = Summary{File: fmt.Sprintf("%02d", i), Spent: Total{Tokens: r.IntN(9), Cost: int64(r.IntN(9))}}
			if r.IntN(8) > 0 {
				summaries[i].UUID = fmt.Sprint(r.IntN(len(summaries))) // including copies
			}
			if r.IntN(4) > 0 {
				summaries[i].ParentID = fmt.Sprint(r.IntN(len(summaries) + 1)) // including cycles, itself, and a missing one
			}
		}
		live := map[string]Live{}
		tree := NewTree(summaries, live)
		for step := range 20 {
			before := slices.Clone(tree.Nodes())
			i := r.IntN(len(summaries))
			l := Live{Running: r.IntN(2) == 0, Action: fmt.Sprint(r.IntN(3)), Spent: Total{Tokens: r.IntN(3), Estimated: r.IntN(3) == 0}}
			if r.IntN(9) == 0 {
				l.Spent.Tokens = int(^uint(0) >> 1) // sums stop there
			}
			summaries[i].Finished, live[summaries[i].File] = r.IntN(2) == 0, l
			changed, ok := tree.Update(summaries[i], l)
			want := Compute(summaries, live)
			if !ok || !reflect.DeepEqual(tree.Nodes(), want) {
				t.Fatalf("seed %d, step %d: %v\n%+v\nwant\n%+v", seed, step, ok, tree.Nodes(), want)
			}
			different, removed := Diff(before, want)
			slices.SortFunc(changed, func(a, b Node) int { return cmp.Compare(a.File, b.File) })
			if len(removed) > 0 || len(changed)+len(different) > 0 && !reflect.DeepEqual(changed, different) {
				t.Fatalf("seed %d, step %d: changed %+v, want %+v", seed, step, changed, different)
			}
		}
	}
}

func TestATreeIsMadeAnewForAnotherFamily(t *testing.T) {
	tree := NewTree([]Summary{{File: "a", UUID: "a"}, {File: "b", UUID: "b", ParentID: "a"}}, nil)
	for name, h := range map[string]Summary{
		"a new file": {File: "c", UUID: "c"}, "another uuid": {File: "b", UUID: "x", ParentID: "a"}, "another parent": {File: "b", UUID: "b"},
	} {
		if changed, ok := tree.Update(h, Live{}); ok || changed != nil {
			t.Errorf("%s: %v, %v", name, changed, ok)
		}
	}
}

// BenchmarkUpdate measures one change of a running agent among 2,000, and how many bytes of JSON it
// sends to the page; the whole tree for comparison.
func BenchmarkUpdate(b *testing.B) {
	summaries := line(2000)
	tree := NewTree(summaries, nil)
	size := func(nodes []Node) float64 {
		text, err := json.Marshal(nodes)
		if err != nil {
			b.Fatal(err)
		}
		return float64(len(text))
	}
	bytes, i := 0.0, 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		changed, _ := tree.Update(summaries[1999], Live{Running: true, Spent: Total{Tokens: i}})
		bytes = size(changed)
	}
	b.ReportMetric(bytes, "bytes/change")
	b.ReportMetric(size(tree.Nodes()), "bytes/whole")
}
