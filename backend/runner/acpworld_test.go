package runner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/acp/acptest"
	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

func TestMain(m *testing.M) {
	acptest.Main()
	os.Exit(m.Run())
}

// answeredByAgent is a notebook that the scripted agent answers. Its prompts are scripts.
type answeredByAgent struct {
	*agentAtWork
	folder string
	store  *settings.Store
}

// withAgent opens a folder with a notebook that the scripted agent answers.
func withAgent(t *testing.T, manners ...string) *answeredByAgent {
	t.Helper()
	t.Parallel()
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, env := acptest.Command(manners...)
	if err := settings.ACPAgentsOf(store).Put(settings.ACPAgent{ID: "scripted", Name: "Scripted", Command: program, Env: env}); err != nil {
		t.Fatal(err)
	}
	a := &answeredByAgent{&agentAtWork{t: t}, t.TempDir(), store}
	a.open()
	if a.path, err = a.Create(catalog.NewNotebook{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Edit(a.path, []notebook.Edit{{Kind: notebook.EditModel, Text: notebook.ACP, Rest: "scripted"}}, ""); err != nil {
		t.Fatal(err)
	}
	return a
}

// open opens the folder, also again.
func (a *answeredByAgent) open() {
	a.t.Helper()
	w, err := workspace.Open(workspace.Options{
		Folder: a.folder, Settings: a.store, CacheDir: a.t.TempDir(), Connect: connect,
		AgentStop: time.Minute, // a busy machine may let the agent wait before it answers a stop
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.Workspace = w
	a.t.Cleanup(func() { w.Close() })
	a.events = w.Events().Subscribe(func(event.Event) bool { return true })
	a.t.Cleanup(a.events.Close)
}

// isParent makes a model answer the notebook. The prompt "PARENT" starts a child that the agent
// answers with a script; then the model answers by rest, statements of providertest.
func (a *answeredByAgent) isParent(script, rest string) {
	a.t.Helper()
	call := jsonOf(map[string]any{"children": []any{map[string]any{"name": "Child", "kind": "elsewhere", "prompt": script}}})
	a.server = providertest.New(a.t, "answer when \"PARENT\"\ntool self_fork "+call+"\n"+rest)
	a.store.SetBuiltIn(a.server.URL, "test-key", []settings.ModelView{{ID: "model", Tools: true}})
	a.makeKind("elsewhere", "model: acp/scripted")
	a.makeKind("parent", "model: builtin/model\ntools: [agents]\nchildren: [elsewhere]")
	if err := a.SetKind(a.path, "parent"); err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.Edit(a.path, []notebook.Edit{{Kind: notebook.EditModel}}, ""); err != nil {
		a.t.Fatal(err)
	}
}

// spend is a line of a script: what the session cost so far.
func spend(dollars string) string {
	return `update {"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":` + dollars + `,"currency":"USD"}}` + "\n"
}

// begin appends a prompt and runs it.
func (a *answeredByAgent) begin(script string) {
	a.t.Helper()
	made, err := a.Edit(a.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: script}}, "")
	if err != nil {
		a.t.Fatal(err)
	}
	a.cell = made.ID
	a.again()
}

// again runs the last prompt.
func (a *answeredByAgent) again() {
	a.t.Helper()
	if _, err := a.Run(a.path, a.cell, runner.RunCell); err != nil {
		a.t.Fatal(err)
	}
}

// ask runs a prompt and returns what the agent said.
func (a *answeredByAgent) ask(script string) string {
	a.t.Helper()
	a.begin(script)
	return a.said()
}

// said waits for the end of the run and returns the texts of its answer.
func (a *answeredByAgent) said() string {
	a.t.Helper()
	if end := next[event.RunFinished](a.agentAtWork); end.Outcome != notebook.Done {
		a.t.Errorf("the run ended %s: %v", end.Outcome, end.Fault)
	}
	var all []string
	for _, m := range a.body().Answer {
		if m.Role == "assistant" {
			all = append(all, m.Text)
		}
	}
	return strings.Join(all, "\n")
}

// asked waits for a request in the inbox.
func (a *answeredByAgent) asked() approval.Request {
	a.t.Helper()
	for {
		switch e := next[event.Event](a.agentAtWork).(type) {
		case event.ApprovalsChanged:
			if len(e.Added) > 0 {
				return e.Added[0]
			}
		case event.RunFinished:
			a.t.Fatalf("the run ended %s without a request: %v, %+v", e.Outcome, e.Fault, a.body().Answer)
		}
	}
}

func (a *answeredByAgent) decide(id string, d approval.Decision) {
	a.t.Helper()
	if err := a.ResolveApproval(id, d); err != nil {
		a.t.Fatal(err)
	}
}

// makeKind makes a kind of agent with some fields, in the folder, which is trusted then.
func (a *answeredByAgent) makeKind(name, fields string) {
	a.t.Helper()
	dir := filepath.Join(a.folder, ".mutsumi", "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte("---\nname: "+name+"\n"+fields+"\n---\nYou work.\n"), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := a.TrustFolder(true); err != nil {
		a.t.Fatal(err)
	}
}

func (a *answeredByAgent) file(name string) string {
	text, err := os.ReadFile(filepath.Join(a.folder, name))
	if err != nil {
		return "!" + err.Error()
	}
	return string(text)
}

func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
