package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
)

const typedWrite = `Do it. @[write_file{"uri":"made.txt","content":"made"}]`

func (d *desk) made() bool {
	_, err := os.Stat(filepath.Join(d.folder, "made.txt"))
	return err == nil
}

// foreign is a notebook that came with the folder, which the person trusts, and its prompt that
// never ran.
func (d *desk) foreign(prompt string) (path, cell string) {
	d.t.Helper()
	d.write("came.mtm", `{"metadata":{"uuid":"00000000-0000-4000-8000-00000000abcd","name":"Came","created_at":"2026-01-01T00:00:00Z","parent_agent_id":null,"allowed_uris":["."]},"context":[{"role":"user","content":`+quoted(prompt)+`}]}`)
	d.untilTree("Came")
	if err := d.TrustFolder(true); err != nil {
		d.t.Fatal(err)
	}
	return "came.mtm", d.promptOf("came.mtm")
}

func TestACallTypedInAPromptAsksLikeAnyOther(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule    *approval.Rule
		approve bool
		asks    bool
		made    bool
	}{
		"approved":             {approve: true, asks: true, made: true},
		"rejected":             {asks: true},
		"granted":              {rule: &approval.Rule{Tool: "write_file", Pattern: "**", Scope: approval.Always}, made: true},
		"denied":               {rule: &approval.Rule{Tool: "write_file", Pattern: "made.txt", Deny: true, Scope: approval.Always}},
		"everything is denied": {rule: &approval.Rule{Tool: "*", Pattern: "*", Deny: true, Scope: approval.Always}},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, "", "answer always\ntext ok")
			path := d.create("Typed")
			if c.rule != nil {
				if err := d.AddApprovalRule("", *c.rule); err != nil {
					t.Fatal(err)
				}
			}
			cell := d.prompt(path, typedWrite)
			d.context(path, cell, typedWrite)
			if waiting, _ := d.Approvals(); len(waiting) != 0 || d.made() {
				t.Fatalf("a preview asks or runs: %+v", waiting)
			}
			d.run(path, cell, runner.RunCell)
			if c.asks {
				r := d.asks()
				if r.Tool != "write_file" || r.Path != path || r.Cell != cell || d.made() {
					t.Errorf("asked %+v", r)
				}
				if err := d.ResolveApproval(r.ID, approval.Decision{Allow: c.approve, Scope: approval.Once, Reason: "not now"}); err != nil {
					t.Fatal(err)
				}
			}
			d.untilFinished(1)
			if d.made() != c.made {
				t.Errorf("made: %v", d.made())
			}
			if sent := d.server.Requests()[0].Text(); c.made == strings.Contains(sent, "Error executing write_file") {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

func TestAStopEndsTheWaitForACallInAPrompt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	path := d.create("Stopped")
	cell := d.prompt(path, typedWrite)
	d.run(path, cell, runner.RunCell)
	d.asks()
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("ended %v", end.Data)
	}
	if waiting, _ := d.Approvals(); len(waiting) != 0 || d.made() || len(d.server.Requests()) != 0 {
		t.Errorf("still waiting %+v, made %v", waiting, d.made())
	}
}

// Whoever wrote a call into the file, only calls typed here may change something: edits around it,
// undo and typing over it make no difference.
func TestACallThatCameInWithANotebookOnlyReads(t *testing.T) {
	t.Parallel()
	set := func(d *desk, path, cell, text string) {
		t.Helper()
		if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: text}}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	for name, edit := range map[string]func(d *desk, path, cell string) string{
		"as it came":   func(_ *desk, _, cell string) string { return cell },
		"edited round": func(d *desk, path, cell string) string { set(d, path, cell, "Please. "+typedWrite); return cell },
		"taken out and put back by an editor": func(d *desk, path, cell string) string {
			set(d, path, cell, "")
			set(d, path, cell, typedWrite)
			return cell
		},
		"deleted and undone": func(d *desk, path, cell string) string {
			if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditDelete, Cell: cell}}, "test"); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Undo(path); err != nil {
				t.Fatal(err)
			}
			return cell
		},
		"split off": func(d *desk, path, cell string) string {
			if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSplit, Cell: cell, Text: "Do it.", Rest: `@[write_file{"uri":"made.txt","content":"made"}]`, ID: "second"}}, "test"); err != nil {
				t.Fatal(err)
			}
			return "second"
		},
		"in one batch with other edits": func(d *desk, path, cell string) string {
			if _, err := d.Edit(path, []notebook.Edit{
				{Kind: notebook.EditSetText, Cell: cell, Text: "nothing"}, {Kind: notebook.EditSetText, Cell: cell, Text: typedWrite},
			}, "test"); err != nil {
				t.Fatal(err)
			}
			return cell
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, "", "answer always\ntext ok")
			d.write("a.txt", "CONTENT OF A")
			path, cell := d.foreign(typedWrite)
			cell = edit(d, path, cell)
			d.run(path, cell, runner.RunCell)
			d.until(func(e item) bool {
				if waiting, _ := d.Approvals(); len(waiting) > 0 {
					t.Fatalf("it asks: %+v", waiting[0])
				}
				return e.Type == "runFinished"
			})
			if d.made() {
				t.Error("the call was run")
			}
			if sent := d.server.Requests()[0].Text(); !strings.Contains(sent, "was not typed here") {
				t.Errorf("sent %s", sent)
			}
		})
	}
	t.Run("a call that only reads runs", func(t *testing.T) {
		d := open(t, "", "answer always\ntext ok")
		d.write("a.txt", "CONTENT OF A")
		path, cell := d.foreign(`@[read_file{"uri":"a.txt"}]`)
		d.run(path, cell, runner.RunCell)
		d.untilFinished(1)
		if sent := d.server.Requests()[0].Text(); !strings.Contains(sent, "CONTENT OF A") {
			t.Errorf("sent %s", sent)
		}
	})
	t.Run("a call typed beside it asks", func(t *testing.T) {
		d := open(t, "", "answer always\ntext ok")
		path, cell := d.foreign(`@[write_file{"uri":"theirs.txt","content":"x"}]`)
		set(d, path, cell, `@[write_file{"uri":"theirs.txt","content":"x"}] `+typedWrite)
		d.run(path, cell, runner.RunCell)
		if r := d.asks(); !strings.Contains(r.Arguments, "made.txt") {
			t.Errorf("asked %+v", r)
		} else if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Scope: approval.Once}); err != nil {
			t.Fatal(err)
		}
		d.untilFinished(1)
		if _, err := os.Stat(filepath.Join(d.folder, "theirs.txt")); err == nil || !d.made() {
			t.Errorf("theirs %v, made %v", err == nil, d.made())
		}
	})
}

// A call that another process writes into the file of an open notebook does not count as typed
// here, even if the same words were typed before.
func TestACallThatAnotherProcessWroteOnlyReads(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	path := d.create("Rewritten")
	d.prompt(path, "harmless")
	d.until(is("notebookSaved"))
	text := d.onDisk(path)
	d.write(path, strings.Replace(text, `"harmless"`, quoted(typedWrite), 1))
	d.until(is("notebookReloaded"))
	cell := d.promptOf(path)
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if sent := d.server.Requests()[0].Text(); d.made() || !strings.Contains(sent, "was not typed here") {
		t.Errorf("made %v, sent %s", d.made(), sent)
	}
}
