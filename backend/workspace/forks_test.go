package workspace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// forkCall is a line of a script that starts children, each as "name: prompt".
func forkCall(children ...string) string {
	var list []map[string]any
	for _, c := range children {
		name, prompt, _ := strings.Cut(c, ": ")
		list = append(list, map[string]any{"name": name, "prompt": prompt})
	}
	raw, _ := json.Marshal(map[string]any{"children": list})
	return "tool self_fork " + string(raw) + "\n"
}

// finishing is a script's answer to a prompt that calls task_finish.
func finishing(prompt, report string) string {
	return fmt.Sprintf("answer when %q\ntool task_finish {\"summary\":%q}\n", prompt, report)
}

// saying is a script's answer to a prompt, with statements of its own.
func saying(prompt, statements string) string {
	return fmt.Sprintf("answer when %q\n%s\n", prompt, statements)
}

// agentNamed waits until the tree has a matching agent of that name.
func (d *desk) agentNamed(name string, fits func(agenttree.Node) bool) (found agenttree.Node) {
	d.t.Helper()
	look := func() bool {
		for _, n := range d.Nodes() {
			if n.Name == name && fits(n) {
				found = n
				return true
			}
		}
		return false
	}
	if !look() {
		d.until(func(item) bool { return look() })
	}
	return found
}

func there(agenttree.Node) bool      { return true }
func runs(n agenttree.Node) bool     { return n.Status == agenttree.Running }
func finished(n agenttree.Node) bool { return n.Status == agenttree.Finished }
func queued(n agenttree.Node) bool   { return slices.Contains(n.Marks, agenttree.Queued) }
func doing(action string) func(agenttree.Node) bool {
	return func(n agenttree.Node) bool { return n.Action == action }
}

// alike makes every agent able to start others like itself.
func (d *desk) alike() {
	d.t.Helper()
	d.put(".mutsumi/agents/chat.md", "---\nname: chat\ndescription: Everything.\ntools: [read, change, shell, agents]\nchildren: [chat]\n---\n")
}

// fork makes a parent start children and approves it; the parent's prompt is PARENT.
func (d *desk) fork() (path, cell string) {
	d.t.Helper()
	path = d.create("Parent")
	cell = d.prompt(path, "PARENT")
	d.run(path, cell, runner.RunCell)
	d.allow()
	return path, cell
}

// allow approves the waiting request.
func (d *desk) allow() {
	d.t.Helper()
	if err := d.ResolveApproval(d.asks().ID, approval.Decision{Allow: true}); err != nil {
		d.t.Fatal(err)
	}
}

// untilOver waits until the runs of a notebook have ended, and returns how the last one ended.
func (d *desk) untilOver(path string) (outcome string) {
	d.t.Helper()
	d.until(func(e item) bool {
		if e.Type == "runFinished" && e.Data["path"] == path {
			outcome, _ = e.Data["outcome"].(string)
			v, err := d.Notebook(path)
			return err != nil || len(v.Running) == 0
		}
		return false
	})
	return outcome
}

// promptOf returns the id of the first cell of a notebook.
func (d *desk) promptOf(path string) string {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil || len(v.Cells) == 0 {
		d.t.Fatalf("%s: %d cells, %v", path, len(v.Cells), err)
	}
	return v.Cells[0].ID
}

func TestThePersonEditsAForkAndTheParentGetsOneReport(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", "text I split this.\n"+forkCall("A: do alpha", "B: do beta", "C: do gamma"))+
		saying("PARENT", "text All done.")+
		finishing("do alpha", "Alpha is **done**.")+saying("do BETA edited", "text Beta, but no task_finish")+
		saying("do gamma", "fail 401 Wrong key"))
	if err := os.MkdirAll(filepath.Join(d.folder, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := d.create("Parent")
	cell := d.prompt(path, "PARENT")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if r.Tool != "self_fork" || len(r.Allowed) != 1 || r.Allowed[0] != d.folder || r.Action != "starting 3 agents" || r.Why != "I split this." {
		t.Errorf("the card: %+v", r)
	}
	if n := len(d.Nodes()); n != 1 {
		t.Errorf("%d agents exist before anybody allowed the fork", n)
	}
	edited := strings.Replace(r.Arguments, "do beta", "do BETA edited", 1)
	for wrong, want := range map[string]string{
		strings.Replace(edited, `"name":"A"`, `"name":"A","allowed_uris":["/etc"]`, 1):     "outside",
		strings.Replace(edited, `"name":"A"`, `"name":"A","allowed_uris":["src/gone"]`, 1): "is not there",
		strings.Replace(edited, `"name":"A"`, `"name":"A","allowed_uris":[".."]`, 1):       "outside",
		strings.Replace(edited, `"name":"A"`, `"name":"A","model":"no-such-model"`, 1):     "no model",
		strings.Replace(edited, `"name":"A"`, `"name":"A","kind":"no-such-kind"`, 1):       "no-such-kind",
		`{"children":[]}`: "children is empty",
	} {
		err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Arguments: wrong})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if waiting, _ := d.Approvals(); len(waiting) != 1 {
		t.Fatal("the card is gone after an invalid edit")
	}
	edited = strings.Replace(edited, `"name":"A"`, `"name":"A","allowed_uris":["src"],"model":"scripted"`, 1)
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Arguments: edited}); err != nil {
		t.Fatal(err)
	}
	if outcome := d.untilOver(path); outcome != "done" {
		t.Errorf("the parent ended %s", outcome)
	}
	got := d.answer(path, cell)
	for _, want := range []string{
		"3 children: 1 finished, 1 ended without task_finish, 1 failed.", "1. A: finished", "Alpha is **done**.",
		"2. B: ended without task_finish", "Beta, but no task_finish", "3. C: failed", "All done.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
	a := d.agentNamed("A", finished)
	v, err := d.Notebook(a.File)
	if err != nil || len(v.Meta.Allowed) != 1 || v.Meta.Allowed[0] != "src" || v.Meta.Model != "scripted" || v.Cells[0].Body.Text != "do alpha" {
		t.Errorf("%+v, %v", v.Meta, err)
	}
	if b := d.agentNamed("B", there); b.ParentID != v.Meta.ParentID || b.ParentID == "" {
		t.Errorf("B is not a child: %+v", b)
	}
	for _, r := range d.server.Requests() {
		if strings.Contains(r.Text(), "do alpha") && !strings.Contains(r.Text(), "PARENT") && !slices.Contains(r.Tools, "task_finish") {
			t.Errorf("a child is not offered task_finish: %v", r.Tools)
		}
	}
}

// untilStarted waits until n runs have started, and returns their events.
func (d *desk) untilStarted(n int) []item {
	d.t.Helper()
	return d.until(func(e item) bool {
		if e.Type == "runStarted" {
			n--
		}
		return n == 0
	})
}

// most returns how many answers were running at once at most.
func most(events []item) (most int) {
	n := 0
	for _, e := range events {
		switch e.Type {
		case "runStarted":
			n++
			most = max(most, n)
		case "runFinished":
			n--
		}
	}
	return most
}

func TestOnlySoManyChildrenRunAtOnce(t *testing.T) {
	t.Parallel()
	var children []string
	script := ""
	for i := range 9 {
		children = append(children, fmt.Sprintf("C%d: do part %d", i, i))
		script += fmt.Sprintf("answer when \"do part %d\"\nwait go\ntool task_finish {\"summary\":\"part %d done\"}\n", i, i)
	}
	d := open(t, "", saying("PARENT", forkCall(children...))+saying("PARENT", "text ok")+script)
	path, cell := d.fork()
	events := d.untilStarted(4)
	d.server.Let("go")
	events = append(events, d.until(func(e item) bool { return e.Type == "runFinished" && e.Data["path"] == path })...)
	if n := most(events); n != 4 {
		t.Errorf("%d children ran at once, want 4", n)
	}
	var started []string
	waited := false
	for _, e := range events {
		if e.Type == "runStarted" {
			started = append(started, e.Data["path"].(string))
		}
		if e.Type == "treeChanged" && strings.Contains(fmt.Sprint(e.Data), "queued") {
			waited = true
		}
	}
	if len(started) != 9 || !waited {
		t.Errorf("%d started, shown as queued: %v", len(started), waited)
	}
	for i, file := range started { // first in, first out
		v, err := d.Notebook(file)
		if err != nil || v.Meta.Name != fmt.Sprintf("C%d", i) {
			t.Errorf("number %d to start was %s", i, v.Meta.Name)
		}
	}
	got := d.answer(path, cell)
	for i := range 9 {
		if !strings.Contains(got, fmt.Sprintf("part %d done", i)) {
			t.Errorf("the report lacks part %d", i)
		}
	}
}

// With one slot, an agent that waits for its children passes the slot to them.
func TestForksInsideForksWithOneSlot(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("Mid: MIDDLE", "Other: do other"))+saying("PARENT", "text top done")+
		saying("MIDDLE", forkCall("L1: LEAF1", "L2: LEAF2"))+finishing("MIDDLE", "the middle saw both")+
		saying("LEAF1", forkCall("Deep: DEEP"))+finishing("LEAF1", "one")+finishing("LEAF2", "two")+
		finishing("DEEP", "deepest")+finishing("do other", "other"))
	limit(t, d, 1)
	d.alike()
	path, cell := d.fork()
	d.allow() // the fork of the middle agent
	d.allow() // the fork of the first leaf
	if outcome := d.untilOver(path); outcome != "done" {
		t.Errorf("ended %s", outcome)
	}
	if got := d.answer(path, cell); !strings.Contains(got, "the middle saw both") || !strings.Contains(got, "2 children: 2 finished.") {
		t.Errorf("got %s", got)
	}
	for _, name := range []string{"Mid", "Other", "L1", "L2", "Deep"} {
		d.agentNamed(name, finished)
	}
	if leaf := d.agentNamed("L1", there); !strings.Contains(d.answer(leaf.File, d.promptOf(leaf.File)), "deepest") {
		t.Error("the leaf did not get the report of its own child")
	}
}

func settingsOf(t *testing.T, d *desk) settings.Preferences {
	t.Helper()
	v, err := d.Settings()
	if err != nil {
		t.Fatal(err)
	}
	return v.Preferences
}

func TestAChangedLimitCountsAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a", "B: do b", "C: do c"))+"answer always when \"do \"\nstall")
	limit(t, d, 1)
	d.fork()
	d.agentNamed("A", runs)
	d.agentNamed("C", queued)
	limit(t, d, 3)
	d.agentNamed("B", runs)
	d.agentNamed("C", runs)
}

// A prompt that a model wrote does not count as typed by the person: calls in it that change
// something do not run by themselves.
func TestACallInAChildsPromptDoesNotRun(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall(`A: do a @[write_file{"uri":"made.txt","content":"x"}]`))+saying("PARENT", "text ok")+finishing("do a", "fine"))
	d.write("rule.md", "x")
	path, _ := d.fork()
	d.untilOver(path)
	if _, err := os.Stat(filepath.Join(d.folder, "made.txt")); err == nil {
		t.Error("the call in the prompt ran")
	}
}

func TestWhenNoChildComesToAnEndTheCallFailed(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a"))+saying("PARENT", "text I see")+saying("do a", "fail 401 no"))
	path, cell := d.fork()
	d.untilOver(path)
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || !cells[0].Body.Answer[1].IsError || !strings.Contains(cells[0].Body.Answer[1].Text, "1 child: 1 failed.") {
		t.Errorf("%+v, %v", cells[0].Body.Answer, err)
	}
}

// Children's costs count in their parent's budget, and the report says if a spent budget ended a
// child.
func TestAChildsBudgetIsSpent(t *testing.T) {
	t.Parallel()
	d := priced(t, saying("PARENT", forkCall("A: do a")+"usage 1 1")+saying("PARENT", "text I see")+saying("do a", "text looking\ntool ls {}\nusage 1 1"))
	path := d.create("Parent")
	if err := d.SetBudget(path, 3); err != nil {
		t.Fatal(err)
	}
	cell := d.prompt(path, "PARENT")
	d.run(path, cell, runner.RunCell)
	d.allow()
	r := d.asks()
	if child := d.agentNamed("A", there); r.Tool != "budget" || r.Path != child.File {
		t.Errorf("asked: %+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{}); err != nil {
		t.Fatal(err)
	}
	d.allow() // lets the parent go on
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.Contains(got, "1. A: stopped: its budget is spent") || !strings.Contains(got, "Raise it") || !strings.Contains(got, "looking") {
		t.Errorf("got %s", got)
	}
}

func TestACopyHasNoChildren(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", forkCall("A: do a"))+saying("do a", "stall"))
	path, _ := d.fork()
	d.untilAsked(2)
	copied, err := d.Duplicate(path)
	if err != nil || strings.Contains(d.onDisk(copied), "mutsumi_forks") || !strings.Contains(d.onDisk(path), "mutsumi_forks") {
		t.Errorf("%v: the copy says %s", err, d.onDisk(copied))
	}
}
