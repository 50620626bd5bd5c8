package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/branches"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

// allowAll approves an agent's requests until its run has ended.
func (d *desk) allowAll() {
	d.t.Helper()
	for {
		ended := false
		d.until(func(e item) bool {
			ended = e.Type == "runFinished"
			return ended || e.Type == "approvalsChanged" && e.Data["removed"] == nil
		})
		if ended {
			return
		}
		waiting, err := d.Approvals()
		if err != nil {
			d.t.Fatal(err)
		}
		for _, r := range waiting {
			if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
				d.t.Fatal(err)
			}
		}
	}
}

// One prompt, answered three times: by the notebook, by a fork, and by a branch that was put aside.
func TestThreeAnswersBesideEachOther(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext first\nusage 10 5\n"+
		"answer\ncall 0 a edit_file {\"uri\":\"cache.go\",\"edits\":[{\"old\":\"ttl int64\\nsize int\",\"new\":\"ttl time.Duration\\nclock Clock\\nsize int\"}]}\nusage 10 5\n"+
		"answer\ncall 0 b shell {\"command\":\"echo '12 passed, 1 failed'; exit 1\"}\nusage 10 5\nanswer\ntext left\nusage 10 5\n"+
		"answer\ncall 0 c edit_file {\"uri\":\"cache.go\",\"edits\":[{\"old\":\"ttl time.Duration\",\"new\":\"ttl time.Duration // in seconds\"}]}\nusage 10 5\n"+
		"answer\ncall 0 d shell {\"command\":\"echo '14 passed'\"}\nusage 10 5\nanswer\ntext right\nusage 10 5\n")
	d.write("cache.go", "type Cache struct {\nttl int64\nsize int\n}\n")
	path := d.create("Base")
	first := d.prompt(path, "base")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	asked := d.prompt(path, "Make it a duration")
	d.run(path, asked, runner.RunCell)
	d.allowAll()
	fork, err := d.ForkPrompt(path, asked, branches.NewRun{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.Notebook(fork)
	if err != nil || len(made.Cells) != 2 || made.Cells[1].Body.Text != "Make it a duration" || len(made.Cells[1].Body.Answer) != 0 || made.Cells[1].Body.Run != nil {
		t.Fatalf("%+v, %v", made.Cells, err)
	}
	d.run(fork, made.Cells[1].ID, runner.RunCell)
	d.allowAll()

	v, err := d.Compare([]branches.Place{{Path: path}, {Path: fork}})
	if err != nil || v.Common != 1 || !v.SamePrompt || len(v.Sides) != 2 {
		t.Fatalf("%+v, %v", v, err)
	}
	left, right := v.Sides[0], v.Sides[1]
	if left.Tests == nil || left.Tests.Passed != 12 || left.Tests.Failed != 1 || left.Tests.Cell != asked || right.Tests == nil || right.Tests.Passed != 14 || right.Tests.Failed != 0 {
		t.Errorf("%+v and %+v", left.Tests, right.Tests)
	}
	if left.EndMs == 0 || right.State != notebook.Done {
		t.Errorf("%+v", left)
	}
	// The replaced texts have nothing in common: the lines are not the same.
	if v.Place != nil {
		t.Errorf("%+v", v.Place)
	}

	r, err := d.CompareSent([]string{path, fork})
	if err != nil || len(r) != 2 || r[0].Number == 0 || r[1].Number == 0 || r[1].Differs == nil || r[1].Same == 0 || r[0].Same != r[0].Tokens {
		t.Errorf("%+v, %v", r, err)
	}

	// The other line becomes this notebook's, and the old one is kept; undo reverts it.
	if _, err := d.Take(branches.Place{Path: fork}, path); err != nil {
		t.Fatal(err)
	}
	now, err := d.Notebook(path)
	if err != nil || len(now.Cells) != 2 || now.Cells[1].Carried == nil || now.Cells[1].Carried.Name != "Other" || len(now.State.Branches) != 1 || now.State.UndoName != "take" {
		t.Fatalf("%+v, %+v, %v", now.Cells, now.State, err)
	}
	aside := branches.Place{Path: path, Branch: now.State.Branches[0].ID}
	all, err := d.Compare([]branches.Place{{Path: path}, {Path: fork}, aside})
	if err != nil || len(all.Sides) != 3 || all.Sides[2].Rows[len(all.Sides[2].Rows)-1].Answer != "left" {
		t.Fatalf("%+v, %v", all, err)
	}
	// The branch can be restored.
	if _, err := d.Take(aside, path); err != nil {
		t.Fatal(err)
	}
	if now, err = d.Notebook(path); err != nil || now.Cells[1].Carried != nil || len(now.State.Branches) != 1 {
		t.Errorf("%+v, %v", now.Cells, err)
	}
	for range 2 {
		if _, err := d.Undo(path); err != nil {
			t.Fatal(err)
		}
	}
	if now, err = d.Notebook(path); err != nil || len(now.State.Branches) != 0 || now.Cells[1].ID != asked {
		t.Errorf("undone: %+v, %v", now.Cells, err)
	}
}

// Lines that two answers changed are shown in both versions, the place with the most changes first.
func TestTheSamePlaceInTwoAnswers(t *testing.T) {
	t.Parallel()
	turn := func(cell, text, args, tool string) string {
		args = strings.ReplaceAll(strings.ReplaceAll(args, `\`, `\\`), `"`, `\"`)
		return `{"role":"user","content":"` + text + `","metadata":{"cell_id":"` + cell + `"}},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"` + tool + `","arguments":"` + args + `"}}]},{"role":"tool","tool_call_id":"1","content":"done"},{"role":"assistant","content":"ok"}`
	}
	file := func(uuid, args, tool string) string {
		return `{"metadata":{"uuid":"` + uuid + `","name":"N"},"context":[{"role":"user","content":"base"},{"role":"assistant","content":"ok"},` + turn("c2", "do it", args, tool) + `]}`
	}
	d := open(t, "", "")
	d.write("a.mtm", file("aaaaaaaa-2222-4333-8444-555555555555", `{"uri":"x.go","edits":[{"old":"head","new":"top"},{"old":"func f() {\n\treturn 1\n}","new":"func f() {\n\treturn 2\n\t// two\n}"}]}`, "edit_file"))
	d.write("b.mtm", file("bbbbbbbb-2222-4333-8444-555555555555", `{"uri":"./x.go","edits":[{"old":"\treturn 1\n}","new":"\treturn 3\n}"}]}`, "edit_file"))
	d.write("c.mtm", file("cccccccc-2222-4333-8444-555555555555", `{"uri":"y.go","content":"a\nb\n"}`, "write_file"))
	d.write("e.mtm", file("eeeeeeee-2222-4333-8444-555555555555", `{"uri":"y.go","content":"a\nc\nd\n"}`, "write_file"))
	place := func(files ...string) *branches.SamePlace {
		var places []branches.Place
		for _, f := range files {
			places = append(places, branches.Place{Path: f})
		}
		v, err := d.Compare(places)
		if err != nil {
			t.Fatal(err)
		}
		return v.Place
	}
	lines := func(p *branches.SamePlace, i int) (all []string) {
		for _, l := range p.Sides[i] {
			sign := " "
			if l.Added {
				sign = "+"
			}
			all = append(all, sign+l.Text)
		}
		return all
	}
	p := place("a.mtm", "b.mtm", "c.mtm")
	if p == nil || p.Path != "x.go" || p.Line != 0 || !slices.Equal(lines(p, 0), []string{"+\treturn 2", "+\t// two", " }"}) || !slices.Equal(lines(p, 1), []string{"+\treturn 3", " }"}) || len(p.Sides[2]) != 0 || p.Sides[2] == nil {
		t.Errorf("%+v", p)
	}
	if p = place("c.mtm", "a.mtm", "e.mtm"); p == nil || p.Path != "y.go" || p.Line != 2 || !slices.Equal(lines(p, 0), []string{"+b"}) || len(p.Sides[1]) != 0 || !slices.Equal(lines(p, 2), []string{"+c", "+d"}) {
		t.Errorf("%+v", p)
	}
	if p = place("a.mtm", "c.mtm"); p != nil {
		t.Errorf("%+v", p)
	}
	if _, err := d.Compare([]branches.Place{{Path: "a.mtm"}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
}

// An added run works in its own git work tree; if there can be none, nothing is made.
func TestARunInItsOwnWorkTree(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ncall 0 w write_file {\"uri\":\"a.txt\",\"content\":\"1\"}\nusage 100 20\nanswer\ntext done\nusage 1 1\n")
	path := d.create("Base")
	cell := d.prompt(path, "write it")
	if _, err := d.ForkPrompt(path, cell, branches.NewRun{OwnTree: true}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "git") {
		t.Errorf("got %v", err)
	}
	if n := len(d.Nodes()); n != 1 {
		t.Errorf("%d notebooks", n)
	}
	d.untilSaved(path)
	d.commit()
	made, err := d.ForkPrompt(path, cell, branches.NewRun{Name: "In a tree", OwnTree: true, Provider: "", Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Worktree(made)
	if err != nil || v.Folder == "" {
		t.Fatalf("%+v, %v", v, err)
	}
	now, err := d.Notebook(made)
	if err != nil || now.Meta.Model != "scripted" {
		t.Fatalf("%+v, %v", now.Meta, err)
	}
	d.run(made, now.Cells[0].ID, runner.RunCell)
	d.allowAll()
	if _, err := os.Stat(filepath.Join(d.folder, "a.txt")); !os.IsNotExist(err) {
		t.Errorf("the run wrote into the folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(v.Folder, "a.txt")); err != nil {
		t.Error(err)
	}
	if left, err := d.LeftWorktrees(); err != nil || len(left) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}

func TestWhatCannotBeTaken(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	path := d.create("Base")
	first := d.prompt(path, "one")
	d.run(path, first, runner.RunCell)
	d.untilFinished(1)
	fork, other := d.forkAt(path, first, "Fork"), d.create("Other")
	d.prompt(other, "something else")
	for name, c := range map[string]struct {
		from branches.Place
		want fault.Kind
	}{
		"itself":            {branches.Place{Path: path}, fault.Invalid},
		"nothing more":      {branches.Place{Path: fork}, fault.Invalid},
		"nothing in common": {branches.Place{Path: other}, fault.Invalid},
		"no branch":         {branches.Place{Path: path, Branch: "none"}, fault.NotFound},
	} {
		if _, err := d.Take(c.from, path); !fault.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// If nothing follows the common cells, nothing is put aside.
	d.prompt(fork, "two")
	if _, err := d.Take(branches.Place{Path: fork}, path); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Notebook(path); err != nil || len(v.Cells) != 2 || len(v.State.Branches) != 0 {
		t.Errorf("%+v, %v", v.Cells, err)
	}
}
