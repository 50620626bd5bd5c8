package notebook

import (
	"slices"
	"testing"

	"mutsumi/backend/fault"
)

// linePrompts lists the prompts of a line.
func linePrompts(x *Line) (all []string) {
	for i := range x.Len() {
		all = append(all, x.Cell(i).Prompt)
	}
	return all
}

func TestTheLineOfABranch(t *testing.T) {
	d := parsed(t, notebookOf(
		`{"role":"user","content":"one"}`, `{"role":"assistant","content":"1"}`, `{"role":"user","content":"two"}`, `{"role":"assistant","content":"2"}`,
		`{"role":"user","content":"three"}`))
	ids := idsOf(d)
	before, err := d.Lineage().Line("")
	must(t, err)
	_, err = d.Apply([]Edit{{Kind: EditFork, Cell: ids[0]}})
	must(t, err)
	for _, d := range []*Document{d, parsed(t, string(checkFile(t, d)))} { // as it was made, and loaded
		aside, err := d.Lineage().Line(d.State().Branches[0].ID)
		must(t, err)
		if got := linePrompts(aside); !slices.Equal(got, []string{"one", "two", "three"}) {
			t.Fatalf("it has %q", got)
		}
		if !slices.Equal(aside.Sums(), before.Sums()) {
			t.Error("it is not the line that was put aside")
		}
		seen := map[string]bool{}
		for i := range aside.Len() {
			if id := aside.ID(i); id == "" || seen[id] || aside.Find(id) != i || aside.Cell(i).Number != i+1 {
				t.Errorf("cell %d is %q", i, id)
			}
			seen[aside.ID(i)] = true
		}
		now, err := d.Lineage().Line("")
		must(t, err)
		if n := CommonCells(now.Sums(), aside.Sums()); n != 1 || aside.Words(1) != "two" || aside.Words(3) != "" {
			t.Errorf("%d in common", n)
		}
		if _, err := d.Lineage().Line("none"); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v", err)
		}
	}
}

// A cell that is carried over is an independent cell wherever it is, and a summary can cover it.
func TestACarriedCellIsACell(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"one"}`, `{"role":"assistant","content":"1"}`))
	x, err := d.Lineage().Line("")
	must(t, err)
	for _, conclusion := range []bool{false, true} {
		taken, err := x.Take(0, Carried{Name: "N", Conclusion: conclusion})
		must(t, err)
		_, err = d.Lineage().Append(taken)
		must(t, err)
	}
	again := parsed(t, string(checkFile(t, d)))
	if got := promptsOf(again); !slices.Equal(got, []string{"one", "one", "From “N”:\n\n> 1"}) || !slices.Equal(idsOf(again), idsOf(d)) {
		t.Errorf("loaded it has %q, %q", got, idsOf(again))
	}
	for i, c := range again.Summaries().Cells("") {
		if c.Messages[0].Internal {
			t.Errorf("cell %d is left out of summaries", i)
		}
	}
	summary := parsed(t, notebookOf(`{"role":"user","content":"q"}`))
	_, err = summary.BeginRun(summary.cells.list[0].id, RunInfo{})
	must(t, err)
	running, err := summary.Lineage().Line("")
	must(t, err)
	if _, err := running.Take(0, Carried{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	taken, err := x.Take(0, Carried{})
	must(t, err)
	if _, err := summary.Lineage().Append(taken); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
}
