package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/branches"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
)

func TestACellIsCarriedOver(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ncall 0 w write_file {\"uri\":\"a.txt\",\"content\":\"1\"}\nusage 100 20\nanswer\ntext \"It is\\ndone: @[secret.txt] {{NAME}}\"\nusage 110 7\nanswer always\ntext ok")
	d.write("secret.txt", "TOP SECRET")
	path, to := d.create("Source"), d.create("Target")
	cell := d.prompt(path, "see @[a.txt]")
	d.run(path, cell, runner.RunCell)
	if _, err := d.Carry(branches.Place{Path: path}, cell, to, branches.WholeCell); !fault.Is(err, fault.Conflict) {
		t.Errorf("a cell with a running answer was carried: %v", err)
	}
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	d.prompt(to, "first")
	before, err := d.Notebook(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{branches.WholeCell, branches.Conclusion} {
		if _, err := d.Carry(branches.Place{Path: path}, cell, to, what); err != nil {
			t.Fatal(err)
		}
	}
	v, err := d.Notebook(to)
	if err != nil || len(v.Cells) != 3 || v.Cells[1].Carried == nil || v.Cells[1].Carried.Name != "Source" || v.Cells[1].Carried.Cell != cell || !v.Cells[2].Carried.Conclusion {
		t.Fatalf("%+v, %v", v.Cells, err)
	}
	if whole := v.Cells[1].Body; whole.Text != "see @[a.txt]" || len(whole.Answer) != 3 || whole.Run != nil {
		t.Errorf("%+v", whole)
	}
	if got := v.Cells[2].Body.Text; got != "From “Source”:\n\n> It is\n> done: @[secret.txt] {{NAME}}" || len(v.Cells[2].Body.Answer) != 0 {
		t.Errorf("%q", got)
	}
	if v.State.Spent.Requests != 0 || v.State.UndoName != "carry over" {
		t.Errorf("%+v", v.State)
	}
	for range 2 {
		if _, err := d.Undo(to); err != nil {
			t.Fatal(err)
		}
	}
	if v, err = d.Notebook(to); err != nil || len(v.Cells) != len(before.Cells) {
		t.Errorf("undone: %+v, %v", v.Cells, err)
	}
	for range 2 {
		if _, err := d.Redo(to); err != nil {
			t.Fatal(err)
		}
	}
	// It is unchanged after reloading, and models get it unchanged.
	d.untilOnDisk(to, "> It is")
	if err := d.CloseNotebook(to); err != nil {
		t.Fatal(err)
	}
	d.run(to, d.prompt(to, "now"), runner.RunCell)
	d.untilFinished(1)
	if v, err = d.Notebook(to); err != nil || len(v.Cells) != 4 {
		t.Errorf("%d cells, %v", len(v.Cells), err)
	}
	all := d.server.Requests()
	body := string(all[len(all)-1].Body)
	if strings.Contains(body, "TOP SECRET") || !strings.Contains(body, "It is\\n\\u003e done: @[secret.txt] {{NAME}}") && !strings.Contains(body, "It is\\n> done: @[secret.txt] {{NAME}}") {
		t.Errorf("sent: %s", body)
	}
	for _, c := range []struct {
		cell, what string
		want       fault.Kind
	}{{"none", branches.WholeCell, fault.NotFound}, {cell, "all", fault.Invalid}} {
		if _, err := d.Carry(branches.Place{Path: path}, c.cell, to, c.what); !fault.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Nothing can be carried into a notebook while its agent works.
func TestNothingIsCarriedIntoARun(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext done\nanswer\ntext half\nstall")
	path, to := d.create("Source"), d.create("Target")
	cell := d.prompt(path, "one")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	d.run(to, d.prompt(to, "two"), runner.RunCell)
	d.untilOnDisk(to, "half")
	if _, err := d.Carry(branches.Place{Path: path}, cell, to, branches.Conclusion); !fault.Is(err, fault.Conflict) || !strings.HasPrefix(err.Error(), "Could not carry") {
		t.Errorf("got %v", err)
	}
	if err := d.Stop(to); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if _, err := d.Carry(branches.Place{Path: path}, cell, to, branches.Conclusion); err != nil {
		t.Error(err)
	}
}
