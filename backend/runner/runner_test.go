package runner_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/waittest"
	"mutsumi/backend/workspace"
)

// The tests of workspace cover most of the runner by its calls. The tests here reach into a run.

// agentAtWork is an agent whose answer has begun.
type agentAtWork struct {
	*workspace.Workspace
	t          *testing.T
	server     *providertest.Server
	path, cell string
	events     *event.Subscription
}

// begin runs a prompt that a script answers.
func begin(t *testing.T, script string) *agentAtWork {
	t.Helper()
	t.Parallel()
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &agentAtWork{t: t, server: providertest.New(t, script)}
	store.SetBuiltIn(a.server.URL, "test-key", []settings.ModelView{{ID: "scripted", Tools: true}})
	a.Workspace, err = workspace.Open(workspace.Options{Folder: t.TempDir(), Settings: store, CacheDir: t.TempDir(), Connect: connect})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if a.path, err = a.Create(catalog.NewNotebook{}); err != nil {
		t.Fatal(err)
	}
	made, err := a.Edit(a.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "go"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	a.cell = made.ID
	a.events = a.Events().Subscribe(func(event.Event) bool { return true })
	t.Cleanup(a.events.Close)
	if _, err := a.Run(a.path, a.cell, runner.RunCell); err != nil {
		t.Fatal(err)
	}
	next[event.Delta](a)
	return a
}

func connect(e settings.Endpoint) request.Connection {
	return request.Connection{Model: openai.New(openai.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key})}
}

// next waits for the next event of a type.
func next[E event.Event](a *agentAtWork) E {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	for {
		e := a.events.Next(ctx)
		if e == nil {
			a.t.Fatal("the event did not come")
		}
		if found, ok := e.(E); ok {
			return found
		}
	}
}

// body returns what the cell shows.
func (a *agentAtWork) body() *notebook.CellBody {
	a.t.Helper()
	_, cells, err := a.Cells(a.path, []string{a.cell})
	if err != nil || len(cells) != 1 {
		a.t.Fatalf("%d cells, %v", len(cells), err)
	}
	return cells[0].Body
}

// Setting the clock while an agent works makes no duration negative, and none longer than the work.
func TestTheClockIsSetDuringARun(t *testing.T) {
	hour := time.Hour.Milliseconds()
	for _, jump := range []time.Duration{-time.Hour, 400 * 24 * time.Hour} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			a := begin(t, "answer\ntext a\nwait set\ntool mkdir {\"uri\":\"made\"}\nanswer\ntext done")
			a.SetClock(a.path, jump)
			a.server.Let("set")
			asked := next[event.ApprovalsChanged](a)
			if err := a.ResolveApproval(asked.Added[0].ID, approval.Decision{Allow: true}); err != nil {
				t.Fatal(err)
			}
			next[event.RunFinished](a)
			body := a.body()
			sane := func(what string, ms int64) {
				t.Helper()
				if ms < 0 || ms > hour/2 {
					t.Errorf("%s took %d ms", what, ms)
				}
			}
			sane("the run", body.Run.TookMs)
			for i, m := range body.Answer {
				sane(fmt.Sprint("message ", i), m.TookMs)
			}
			for _, n := range a.Nodes() {
				sane("all of it", n.TimeMs)
			}
		})
	}
}

// A run whose cell cannot take its answer ends, and says why.
func TestARunWhoseAnswerCannotBeSavedGivesTheReason(t *testing.T) {
	a := begin(t, "answer\ntext half\nstall")
	a.PutBeyond(a.path)
	end := next[event.RunFinished](a)
	if end.Outcome != notebook.Broken || !strings.HasPrefix(end.Fault.Message, "Could not add the answer") {
		t.Errorf("got %+v", end)
	}
	body := a.body()
	if len(body.Answer) != 1 || body.Answer[0].Text != "half" || body.Run.Outcome != notebook.Broken {
		t.Errorf("got %+v", body)
	}
}

// What a command appended to the notebook's file stays suspect until the file was compared. While a
// conflict is open, it is not.
func TestALookThatDoesNotCompareDoesNotCount(t *testing.T) {
	a := begin(t, "answer\ntext half\nstall")
	began := time.Now()
	waittest.Until(t, "a look compares", func() bool { return a.Look(a.path).After(began) })
	file := filepath.Join(a.Folder(), a.path)
	filestest.UntilHolds(t, file, `"half"`)
	text := filestest.Read(t, file)
	other := strings.Replace(text, `"content": "go"`, `"content": "stay"`, 1)
	if other == text {
		t.Fatalf("no prompt in %s", text)
	}
	filestest.Write(t, file, other)
	waittest.Until(t, "the person is asked", func() bool {
		a.Look(a.path)
		v, err := a.Notebook(a.path)
		return err == nil && v.Conflict
	})
	asked := time.Now()
	if since := a.Look(a.path); since.After(asked) {
		t.Error("a look counts although the file was not compared")
	}
	if err := a.ResolveConflict(a.path, documents.KeepMine); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "a look compares again", func() bool { return a.Look(a.path).After(asked) })
}
