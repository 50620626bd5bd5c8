package workspace_test

import (
	"testing"
	"time"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// openAsking is open with what says whether providers are asked for their models. Prompts wait for
// longest; 0: as usual.
func openAsking(t *testing.T, longest time.Duration) (d *desk, asking *settings.Asking) {
	t.Helper()
	model := settings.ModelView{ID: "scripted", Tools: true}
	d = openModel(t, "", "answer always\ntext x", model, func(store *settings.Store, _ string) {
		asking = &store.Asking
		asking.Longest = longest
	})
	return d, asking
}

// tooLong is longer than a test waits for an event.
const tooLong = 10 * time.Minute

// A prompt that is run before the models of a new provider are known is queued until they are, and
// can be stopped and sent now like any queued one.
func TestAPromptWaitsForTheModelsInTheQueue(t *testing.T) {
	t.Parallel()
	d, asking := openAsking(t, tooLong)
	path := d.create("Waits")
	cell := d.prompt(path, "a")
	known := asking.Begin()

	d.run(path, cell, runner.RunCell)
	if v, err := d.Notebook(path); err != nil || len(v.Running) != 1 || !v.Running[0].Queued {
		t.Fatalf("%+v, %v", v.Running, err)
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("it ended as %v", end.Data["outcome"])
	}

	d.run(path, cell, runner.RunCell)
	if err := d.SendNow(path, cell); err != nil {
		t.Fatal(err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
		t.Errorf("a prompt that was sent now ended as %v", end.Data["outcome"])
	}

	path = d.create("Waits, too")
	cell = d.prompt(path, "a")
	d.run(path, cell, runner.RunCell)
	other := d.create("Another")
	d.run(other, d.prompt(other, "b"), runner.RunCell)
	known()
	for _, end := range d.untilFinished(2) {
		if end.Data["outcome"] != "done" {
			t.Errorf("%v ended as %v", end.Data["path"], end.Data["outcome"])
		}
	}
	if n := len(d.server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	d.run(path, cell, runner.RunCell) // it does not wait once they are known
	d.untilFinished(1)
}

// A notebook that names a model which is known does not wait for those of another provider.
func TestAKnownModelWaitsForNone(t *testing.T) {
	t.Parallel()
	var asking *settings.Asking
	var own string
	d := openModel(t, "", "answer\ntext x", settings.ModelView{ID: "free"}, func(store *settings.Store, url string) {
		var err error
		own, err = store.SaveProvider(settings.ProviderInput{Name: "Own", BaseURL: url, Models: []settings.ModelView{{ID: "known", Tools: true}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.ChangePreferences(store.Preferences(), settings.Preferences{DefaultProvider: settings.BuiltInID, DefaultModel: "free"}); err != nil {
			t.Fatal(err)
		}
		asking = &store.Asking
	})
	path := d.create("Named")
	cell := d.prompt(path, "a")
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditModel, Text: own, Rest: "known"}}, "test"); err != nil {
		t.Fatal(err)
	}
	defer asking.Begin()()
	d.run(path, cell, runner.RunCell)
	if v, err := d.Notebook(path); err != nil || len(v.Running) == 1 && v.Running[0].Queued {
		t.Fatalf("it waits: %+v, %v", v.Running, err)
	}
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
		t.Errorf("it ended as %v", end.Data["outcome"])
	}
}

// A server that does not tell its models holds nothing back for long.
func TestAPromptDoesNotWaitForeverForModels(t *testing.T) {
	t.Parallel()
	d, asking := openAsking(t, 0)
	path := d.create("Waits")
	first := d.prompt(path, "a")
	d.prompt(path, "b")
	defer asking.Begin()()
	began := time.Now()
	d.run(path, first, runner.RunAll)
	for _, end := range d.untilFinished(2) {
		if end.Data["outcome"] != "done" {
			t.Errorf("it ended as %v", end.Data["outcome"])
		}
	}
	if took := time.Since(began); took < 4*time.Second {
		t.Errorf("it waited %v only", took)
	}
	d.run(path, first, runner.RunCell)
	if v, err := d.Notebook(path); err != nil || len(v.Running) == 1 && v.Running[0].Queued {
		t.Errorf("it waits again: %+v, %v", v.Running, err)
	}
	d.untilFinished(1)
}

// The program closes while a prompt waits for models: it is not sent.
func TestClosingEndsTheWaitForModels(t *testing.T) {
	t.Parallel()
	d, asking := openAsking(t, tooLong)
	path := d.create("Waits")
	defer asking.Begin()()
	d.run(path, d.prompt(path, "a"), runner.RunCell)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(d.server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
