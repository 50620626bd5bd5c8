package workspace_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/waittest"
)

func TestAnAgentIsNamedAfterItsFirstPrompt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext Hello.")
	first, second := d.create(""), d.create("")
	if a, b := d.node(first).Name, d.node(second).Name; a != "New agent" || b != "New agent 2" {
		t.Fatalf("new agents are called %q and %q", a, b)
	}
	d.run(first, d.prompt(first, "please fix the login test. It fails."), runner.RunCell)
	d.untilFinished(1)
	d.run(second, d.prompt(second, "Fix the login test"), runner.RunCell)
	d.untilFinished(1)
	if a, b := d.node(first).Name, d.node(second).Name; a != "Fix the login test" || b != "Fix the login test 2" {
		t.Errorf("after their first prompts they are called %q and %q", a, b)
	}
	d.run(first, d.prompt(first, "now the logout test"), runner.RunCell)
	d.untilFinished(1)
	if name := d.node(first).Name; name != "Fix the login test" {
		t.Errorf("a second prompt changes the name to %q", name)
	}
}

func TestANameThatAPersonGaveStays(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext Hello.")
	named, renamed := d.create("Gardener"), d.create("")
	if err := d.Rename(renamed, "Baker"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{named: "Gardener", renamed: "Baker"} {
		d.run(path, d.prompt(path, "Fix the login test"), runner.RunCell)
		d.untilFinished(1)
		if name := d.node(path).Name; name != want {
			t.Errorf("%s is called %q, want %q", path, name, want)
		}
	}
}

func TestAPromptWithoutWordsGivesNoName(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext Hello.")
	path := d.create("")
	d.run(path, d.prompt(path, "???"), runner.RunCell)
	d.untilFinished(1)
	if name := d.node(path).Name; name != "New agent" {
		t.Errorf("it is called %q", name)
	}
}

func TestANameThatAPersonGaveStaysThoughTheProgramWouldGiveItToo(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext Hello.")
	path := d.create("")
	if err := d.Rename(path, "New agent"); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "Fix the login test"), runner.RunCell)
	d.untilFinished(1)
	if name := d.node(path).Name; name != "New agent" {
		t.Errorf("it is called %q", name)
	}
}

func TestCopiesOfAnAgentAreDistinguished(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext Hello.")
	named, fresh := d.create("Gardener"), d.create("")
	var names []string
	for _, path := range []string{named, named, fresh} {
		made, err := d.Duplicate(path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, d.node(made).Name)
	}
	if want := []string{"Gardener copy", "Gardener copy 2", "New agent 2"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestNewAgentsAreNamedInTheLanguageOfTheInterface(t *testing.T) {
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	d := open(t, "", "answer always\ntext 好。")
	fresh, named := d.create(""), d.create("园丁")
	copied, err := d.Duplicate(named)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := d.node(fresh).Name, d.node(copied).Name; a != "新智能体" || b != "园丁 副本" {
		t.Errorf("they are called %q and %q", a, b)
	}
	// A change of language also applies to agents without a name of their own.
	t.Setenv("LC_ALL", "en_US.UTF-8")
	d.run(fresh, d.prompt(fresh, "Fix the login test"), runner.RunCell)
	d.untilFinished(1)
	if name := d.node(fresh).Name; name != "Fix the login test" {
		t.Errorf("after its first prompt it is called %q", name)
	}
}

func TestAgentsThatStartTogetherAreDistinguished(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext Hello.")
	const n = 6
	var wg sync.WaitGroup
	var paths []string
	for range n {
		path := d.create("")
		cell := d.prompt(path, "Fix the login test")
		paths = append(paths, path)
		wg.Go(func() {
			if _, err := d.Run(path, cell, runner.RunCell); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d.untilFinished(n)
	names := map[string]bool{}
	for _, path := range paths {
		names[d.node(path).Name] = true
	}
	if len(names) != n || !names["Fix the login test"] || !names["Fix the login test 6"] {
		t.Errorf("%d names: %v", len(names), names)
	}
}

// titled opens a folder whose agents are named by a model with a price of its own.
func titled(t *testing.T, script string) *desk {
	return openModel(t, "", script, settings.ModelView{ID: "free"}, func(s *settings.Store, url string) {
		id, err := s.SaveProvider(settings.ProviderInput{Name: "Dear", BaseURL: url, Models: []settings.ModelView{
			{ID: "works", Tools: true, InputPrice: 1e5, OutputPrice: 1e5}, {ID: "names", InputPrice: 1e6, OutputPrice: 1e6},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ChangePreferences(s.Preferences(), settings.Preferences{DefaultProvider: id, DefaultModel: "works", TitleProvider: id, TitleModel: "names"}); err != nil {
			t.Fatal(err)
		}
	})
}

// renamed matches an event that shows the agent under a name.
func renamed(name string) func(item) bool {
	return func(e item) bool {
		meta, _ := e.Data["meta"].(map[string]any)
		return e.Type == "cellsSpliced" && meta["name"] == name
	}
}

func systemOf(t *testing.T, r providertest.Request) string {
	t.Helper()
	if len(r.Messages) == 0 || r.Messages[0].Role != chat.System {
		t.Fatalf("%+v", r.Messages)
	}
	return r.Messages[0].Content.String()
}

func TestAModelThatWasChosenForItNamesAnAgentAfterItsFirstAnswer(t *testing.T) {
	t.Parallel()
	d := titled(t, "answer times 2 when \"Prompt:\"\ntext **Login test on Windows**\nusage 3 2\nanswer always\ntext It is the clock.\nusage 1 1")
	path := d.create("")
	d.run(path, d.prompt(path, "please fix the login test. It fails."), runner.RunCell)
	d.until(renamed("Login test on Windows"))
	if name := d.node(path).Name; name != "Login test on Windows" {
		t.Errorf("it is called %q", name)
	}
	sent := d.server.Requests()
	if len(sent) != 2 || sent[1].Model != "names" || !strings.Contains(sent[1].Text(), "please fix the login test. It fails.") || !strings.Contains(sent[1].Text(), "It is the clock.") {
		t.Fatalf("%+v", sent)
	}
	if v, err := d.Notebook(path); err != nil || v.State.Spent.Cost != "$5.20" || v.State.Spent.Requests != 2 {
		t.Errorf("%+v, %v", v.State.Spent, err)
	}

	// The next request begins like the first one, so the cache stays good.
	d.run(path, d.prompt(path, "and now?"), runner.RunCell)
	d.untilFinished(1)
	other := d.create("")
	d.run(other, d.prompt(other, "fix the other login test"), runner.RunCell)
	d.until(renamed("Login test on Windows 2")) // the first agent's second answer caused no request
	sent = d.server.Requests()
	if len(sent) != 5 || systemOf(t, sent[2]) != systemOf(t, sent[0]) || !strings.Contains(systemOf(t, sent[2]), `"Fix the login test"`) {
		t.Errorf("%d requests; the second begins %.80q, the first %.80q", len(sent), systemOf(t, sent[2]), systemOf(t, sent[0]))
	}

	// A person's name stays, and the costs are kept.
	if err := d.Rename(path, "Gardener"); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "once more"), runner.RunCell)
	d.untilFinished(1)
	if got := systemOf(t, d.server.Requests()[5]); !strings.Contains(got, `"Gardener"`) {
		t.Errorf("%.80q", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.folder, "answer always\ntext Hello.")
	if name := again.node(path).Name; name != "Gardener" {
		t.Errorf("it is called %q", name)
	}
	if spent := again.node(path).Own; spent.Tokens != 11 {
		t.Errorf("%+v", spent)
	}
}

func TestAModelDoesNotRenameAnAgentNamedByAPerson(t *testing.T) {
	t.Parallel()
	d := titled(t, "answer when \"Prompt:\"\nwait named\ntext Login test\nusage 3 2\nanswer always\ntext Hello.\nusage 1 1")
	path := d.create("")
	d.run(path, d.prompt(path, "fix the login test"), runner.RunCell)
	waittest.Until(t, "there are two requests", func() bool { return len(d.server.Requests()) == 2 })
	if err := d.Rename(path, "Gardener"); err != nil { // while the model thinks
		t.Fatal(err)
	}
	d.server.Let("named")
	d.until(func(item) bool {
		v, err := d.Notebook(path)
		return err == nil && v.State.Spent.Requests == 2
	})
	if name := d.node(path).Name; name != "Gardener" {
		t.Errorf("it is called %q", name)
	}
	named := d.create("Baker")
	d.run(named, d.prompt(named, "bake"), runner.RunCell)
	d.until(func(i item) bool { return i.Type == "runFinished" && i.Data["path"] == named })
	if err := d.Close(); err != nil { // waits for running work
		t.Fatal(err)
	}
	if n := len(d.server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestWithoutAnAnswerOfTheModelTheWordsStay(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"it refuses":           "status 400\nbody {\"error\":{\"message\":\"no\"}}",
		"it says nothing":      "text ...",
		"it never stops":       "text <think>" + strings.Repeat("word ", 4000) + "\nstall",
		"it asks for a tool":   "tool ls {}",
		"it breaks off":        "text Half\ncut",
		"it calls it the same": "text Fix the login test",
	} {
		t.Run(name, func(t *testing.T) {
			d := titled(t, "answer always when \"Prompt:\"\n"+answer+"\nanswer always\ntext Hello.\nusage 1 1")
			path := d.create("")
			d.run(path, d.prompt(path, "fix the login test"), runner.RunCell)
			d.untilFinished(1)
			d.run(path, d.prompt(path, "go on"), runner.RunCell)
			d.untilFinished(1)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if name := d.onDiskName(path); name != "Fix the login test" {
				t.Errorf("it is called %q", name)
			}
		})
	}
}

// SPEC 11.11: a stopped answer gets no title from the model, and closing a folder does not wait for
// one.
func TestAStopAndACloseLeaveTheTitleFromThePrompt(t *testing.T) {
	t.Parallel()
	d := titled(t, "answer when \"Prompt:\"\nwait never\ntext Login test\nanswer when \"stop me\"\ntext Half\nstall\nanswer always\ntext Hello.")
	stopped, closed := d.create(""), d.create("")
	d.run(stopped, d.prompt(stopped, "stop me"), runner.RunCell)
	d.untilAsked(1)
	if err := d.Stop(stopped); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	d.run(closed, d.prompt(closed, "fix the login test"), runner.RunCell)
	d.untilAsked(3) // the third is for the title
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if a, b := d.onDiskName(stopped), d.onDiskName(closed); a != "Stop me" || b != "Fix the login test" {
		t.Errorf("they are called %q and %q", a, b)
	}
}

// SPEC 11.11: when the budget is spent, no title is requested, and nobody is asked to raise it for
// one.
func TestASpentBudgetBuysNoTitle(t *testing.T) {
	t.Parallel()
	d := titled(t, "answer always\ntext It is the clock.\nusage 1 1")
	path := d.create("")
	if err := d.SetBudget(path, 0.0001); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "fix the login test"), runner.RunCell)
	d.untilFinished(1)
	if err := d.Close(); err != nil { // waits for running work
		t.Fatal(err)
	}
	if n := len(d.server.Requests()); n != 1 || d.onDiskName(path) != "Fix the login test" {
		t.Errorf("%d requests; it is called %q", n, d.onDiskName(path))
	}
}

// SPEC 11.11: a child keeps the name that its parent gave; the parent gets its title.
func TestAChildKeepsTheNameThatItsParentGave(t *testing.T) {
	t.Parallel()
	d := titled(t, saying("Prompt:", "text Login test on Windows")+saying("PARENT", `tool self_fork {"children":[{"name":"Reader","prompt":"read it"}]}`)+
		saying("PARENT", "text All read.")+saying("read it", `tool task_finish {"summary":"fine"}`))
	path := d.create("")
	d.run(path, d.prompt(path, "PARENT fix the login test"), runner.RunCell)
	d.allow()
	d.until(renamed("Login test on Windows"))
	child := d.agentNamed("Reader", func(agenttree.Node) bool { return true })
	if n := len(d.server.Requests()); n != 4 || child.ParentID == "" {
		t.Errorf("%d requests; the child is %+v", n, child)
	}
}

func (d *desk) onDiskName(path string) string {
	d.t.Helper()
	h, err := notebook.ReadSummary(filepath.Join(d.folder, path))
	if err != nil {
		d.t.Fatal(err)
	}
	return h.Name
}
