package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/waittest"
)

type message = chat.Message

// family makes a parent of the given name and kind with children.
func (d *desk) family(names ...string) (paths []string) {
	d.t.Helper()
	parent := ""
	for _, name := range names {
		path, err := d.Create(catalog.NewNotebook{Name: name, ParentID: parent})
		if err != nil {
			d.t.Fatal(err)
		}
		paths = append(paths, path)
		if parent == "" {
			parent = d.meta(path).UUID
		}
	}
	return paths
}

func callOf(agent, question, more string) string {
	return `tool call_agent {"agent":"` + agent + `","question":"` + question + `"` + more + "}\n"
}

func requestWith(t *testing.T, all []providertest.Request, text string) providertest.Request {
	t.Helper()
	for _, r := range all {
		if last := r.Messages[len(r.Messages)-1]; last.Role == "user" && strings.Contains(last.Content.String(), text) {
			return r
		}
	}
	t.Fatalf("no request asks %q", text)
	return providertest.Request{}
}

// An agent asks another one with its history: the other's notebook does not change, and neither
// notebook holds the question.
func TestAnAgentAsksAnother(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer when \"learn\"\ntext The word is PLUM.\n"+
		"answer when \"find the word\"\n"+callOf("knower", "What is the word?", "")+
		"answer when \"What is the word?\"\ntext It is PLUM.\nusage 70 7\n"+
		"answer when \"It is PLUM\"\ntext Found PLUM.\nusage 30 3")
	paths := d.family("Parent", "Knower", "Other")
	d.run(paths[1], d.prompt(paths[1], "learn"), runner.RunCell)
	d.untilFinished(1)
	if err := d.Saved(paths[1]); err != nil {
		t.Fatal(err)
	}
	before := d.onDisk(paths[1])
	cell := d.prompt(paths[0], "find the word")
	d.run(paths[0], cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(paths[0], cell); !strings.HasSuffix(got, "tool: It is PLUM.\nassistant: Found PLUM.") {
		t.Fatalf("got %q", got)
	}
	if waiting, _ := d.Approvals(); len(waiting) != 0 {
		t.Errorf("it asked the person: %+v", waiting)
	}
	asked := requestWith(t, d.server.Requests(), "What is the word?")
	body := string(asked.Body)
	if !strings.Contains(body, "The word is PLUM.") || !strings.Contains(body, `\"Parent\", another agent`) || strings.Contains(body, "find the word") || strings.Contains(body, "task_finish") {
		t.Errorf("sent %s", body)
	}
	for _, tool := range asked.Tools {
		if slices.Contains([]string{"call_agent", "ask_user", "self_fork", "task_finish", "write_file", "edit_file", "mkdir", "shell"}, tool) {
			t.Errorf("it is offered %s", tool)
		}
	}
	if !slices.Contains(asked.Tools, "read_file") {
		t.Errorf("it is offered %q", asked.Tools)
	}
	if d.onDisk(paths[1]) != before {
		t.Error("the notebook of the consulted agent changed")
	}
	v, err := d.Notebook(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	run := v.Cells[0].Body.Run
	if len(run.Asked) != 1 || run.Asked[0].Model != "scripted" || run.Asked[0].Usage.Input != 70 || run.Asked[0].Usage.Output != 7 || run.Asked[0].Requests != 1 {
		t.Errorf("its usage: %+v", run.Asked)
	}
	if v.State.Spent.Input < 100 {
		t.Errorf("spent %+v", v.State.Spent)
	}
}

// Without its history it knows nothing. It reads files that both may touch, and cannot change
// anything, whatever call it invents.
func TestAFreshAgentReadsWhatBothMayTouch(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer when \"start\"\n"+callOf("Knower", "Look.", `,"history":"none"`)+
		"answer when \"Look.\"\ncall 0 a read_file {\"uri\":\"both/a.txt\"}\ncall 1 b read_file {\"uri\":\"mine/b.txt\"}\ncall 2 c read_file {\"uri\":\"theirs/c.txt\"}\ncall 3 d write_file {\"uri\":\"both/new.txt\",\"content\":\"x\"}\ncall 4 e call_agent {\"agent\":\"Parent\",\"question\":\"?\"}\n"+
		"answer when \"IN-BOTH\"\ntext Seen.\nanswer when \"Seen.\"\ntext done")
	for name, text := range map[string]string{"both/a.txt": "IN-BOTH", "mine/b.txt": "MINE-ONLY", "theirs/c.txt": "THEIRS-ONLY"} {
		d.put(name, text)
	}
	paths := d.family("Parent", "Knower")
	d.prompt(paths[1], "OLD-PROMPT")
	d.only(paths[1], "both", "theirs")
	d.only(paths[0], "both", "mine")
	cell := d.prompt(paths[0], "start")
	d.run(paths[0], cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(paths[0], cell); !strings.Contains(got, "tool: Seen.") {
		t.Fatalf("got %q", got)
	}
	all := d.server.Requests()
	last := string(all[2].Body)
	if strings.Contains(last, "MINE-ONLY") || strings.Contains(last, "THEIRS-ONLY") || strings.Contains(last, "OLD-PROMPT") || !strings.Contains(last, "there is no tool named") {
		t.Errorf("sent %s", last)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "both", "new.txt")); err == nil {
		t.Error("it wrote a file")
	}
}

// The kinds of both agents limit what can be read.
func TestTheKindsOfBothCount(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer when \"start\"\n"+callOf("Knower", "Look.", "")+"answer when \"Look.\"\ntext Yes.\nanswer when \"Yes.\"\ntext done")
	d.put(".mutsumi/agents/lead.md", "---\ntools: [read_file, ls, agents]\nchildren: [narrow]\n---\n")
	d.put(".mutsumi/agents/narrow.md", "---\ntools: [ls, grep, shell]\n---\nNARROW-ROLE")
	path := d.of("lead", "Lead")
	if _, err := d.Create(catalog.NewNotebook{Name: "Knower", ParentID: d.meta(path).UUID}); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "start"), runner.RunCell)
	d.untilFinished(1)
	asked := requestWith(t, d.server.Requests(), "Look.")
	if !slices.Equal(asked.Tools, []string{"ls"}) || !strings.Contains(asked.Messages[0].Content.String(), "NARROW-ROLE") {
		t.Errorf("offered %q, told %q", asked.Tools, asked.Messages[0].Content.String())
	}
}

// The name must be unambiguous, and only agents of the same tree can be asked.
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always when \"nobody-there\"\ntext ok\nanswer when \"p-twin\"\n"+callOf("twin", "nobody-there", "")+
		"answer when \"p-stranger\"\n"+callOf("Stranger", "nobody-there", "")+"answer when \"p-self\"\n"+callOf("Parent", "nobody-there", "")+
		"answer always when \"call_agent\"\ntext ok\nanswer always\ntext ok")
	paths := d.family("Parent", "Twin", "Twin")
	stranger := d.create("Stranger")
	var uuids []string
	for _, p := range paths {
		uuids = append(uuids, d.meta(p).UUID)
	}
	for prompt, wants := range map[string][]string{
		"p-twin": {"could be several agents", uuids[1], uuids[2]}, "p-stranger": {"there is no agent", "Twin"}, "p-self": {"there is no agent"},
	} {
		cell := d.prompt(paths[0], prompt)
		d.run(paths[0], cell, runner.RunCell)
		d.untilFinished(1)
		got := d.answer(paths[0], cell)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %s", prompt, want, got)
			}
		}
		if strings.Contains(got, d.meta(stranger).UUID) {
			t.Errorf("%s: an agent of another tree is named: %s", prompt, got)
		}
	}
}

// Copied files carry uuids of others and can form circles: the search still ends, and the name must
// be unambiguous.
func TestCopiedAgents(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+callOf("Child", "?", "")+"answer when \"could be several\"\ntext ok")
	paths := d.family("Parent", "Child")
	parent, child := d.meta(paths[0]).UUID, d.meta(paths[1]).UUID
	for i, name := range []string{"0.mtm", "z.mtm"} {
		d.put(name, strings.Replace(d.onDisk(paths[0]), `"parent_agent_id": null`, `"parent_agent_id": "`+child+`"`, 1))
		d.put("more"+name, strings.Replace(d.onDisk(paths[1]), parent, child, i))
	}
	d.until(func(item) bool { return len(d.Nodes()) == 6 })
	cell := d.prompt(paths[0], "go")
	d.run(paths[0], cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(paths[0], cell); !strings.Contains(got, child) {
		t.Errorf("got %s", got)
	}
}

// A running agent can be asked without disturbing its run. Stopping the asking agent ends the
// question.
func TestARunningAgentIsAskedAndAStopEndsIt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer when \"long work\"\ntext working\nstall\nanswer when \"start\"\n"+callOf("Knower", "How far?", "")+"answer when \"How far?\"\ntext hm\nstall")
	paths := d.family("Parent", "Knower")
	busy := d.prompt(paths[1], "long work")
	d.run(paths[1], busy, runner.RunCell)
	d.until(is("delta"))
	cell := d.prompt(paths[0], "start")
	d.run(paths[0], cell, runner.RunCell)
	waittest.Until(t, "there are three requests", func() bool { return len(d.server.Requests()) == 3 })
	if err := d.Stop(paths[0]); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["path"] != paths[0] || end.Data["outcome"] != "stopped" {
		t.Errorf("%v", end)
	}
	if got := d.answer(paths[1], busy); got != "assistant: working" {
		t.Errorf("the run of the other: %q", got)
	}
	if err := d.Stop(paths[1]); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
}

// The costs of the other agent's requests count in the asking agent's budget, at the price of the
// other's model, even after a restart.
func TestAskingCosts(t *testing.T) {
	t.Parallel()
	d := openModel(t, "", "answer when \"start\"\n"+callOf("Knower", "Look.", "")+"usage 1 1\nanswer when \"Look.\"\ntool ls {}\nusage 3 2\nanswer when \"Look.\"\ntext Seen.\nusage 1 1\nanswer when \"Seen.\"\ntext done\nusage 1 1",
		settings.ModelView{ID: "free", Tools: true}, func(s *settings.Store, url string) {
			id, err := s.SaveProvider(settings.ProviderInput{Name: "Dear", BaseURL: url, Models: []settings.ModelView{
				{ID: "cheap", Tools: true, InputPrice: 1e5, OutputPrice: 1e5}, {ID: "dear", Tools: true, InputPrice: 1e6, OutputPrice: 1e6},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.ChangePreferences(s.Preferences(), settings.Preferences{DefaultProvider: id, DefaultModel: "cheap"}); err != nil {
				t.Fatal(err)
			}
		})
	paths := d.family("Parent", "Knower")
	if _, err := d.Edit(paths[1], []notebook.Edit{{Kind: notebook.EditModel, Rest: "dear"}}, ""); err != nil {
		t.Fatal(err)
	}
	if err := d.SetBudget(paths[0], 4); err != nil {
		t.Fatal(err)
	}
	cell := d.prompt(paths[0], "start")
	d.run(paths[0], cell, runner.RunCell)
	r := d.asks() // $0.20 and the other's $5 exceed the budget of $4
	if r.Tool != "budget" || r.Path != paths[0] {
		t.Fatalf("%+v", r)
	}
	if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	v, err := d.Notebook(paths[0])
	if err != nil || v.State.Spent.Cost != "$7.40" || v.Cells[0].Body.Run.Cost != "$7.40" {
		t.Errorf("%+v, %+v, %v", v.State.Spent, v.Cells[0].Body.Run, err)
	}
	if v, err = d.Notebook(paths[1]); err != nil || v.State.Spent.Cost != "" {
		t.Errorf("the consulted agent pays: %+v, %v", v.State.Spent, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.onDisk(paths[0]), `"asked": [`) {
		t.Error("the usage is not in the file")
	}
}

// only lets an agent touch these folders instead of the whole one.
func (d *desk) only(path string, folders ...string) {
	d.t.Helper()
	for _, f := range folders {
		if err := d.AllowFolder(path, filepath.Join(d.folder, f)); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := d.DisallowFolder(path, "."); err != nil {
		d.t.Fatal(err)
	}
}
