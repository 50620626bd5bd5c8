package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/runner"
)

// Seed 004: "loaded N messages", "saved N messages", and "an exception while the history is saved"
// are recorded, and the run goes on.
func TestTheLogRecordsLoadsAndFailedSaves(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext half\nwait on\ntext \", whole\"")
	path := d.create("A")
	cell := d.prompt(path, "SECRET-prompt")
	d.run(path, cell, runner.RunCell)
	d.untilOnDisk(path, "half")
	if err := d.Saved(path); err != nil {
		t.Fatal(err)
	}
	becomeFile(t, filepath.Join(d.folder, ".mutsumi"))
	d.server.Let("on")
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "done" {
		t.Errorf("the run ended with %v", end)
	}
	if got := d.answer(path, cell); got != "assistant: half, whole" {
		t.Errorf("got %q", got)
	}
	state := d.state
	if err := d.Close(); err == nil {
		t.Error("closing says nothing")
	}
	text, err := os.ReadFile(filepath.Join(state, "log", "mutsumi.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`msg="notebook loaded"`, "messages=", `msg="notebook not saved"`, "kind=", `msg="folder closed"`, "loads=1"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	if strings.Contains(string(text), "SECRET") || strings.Contains(string(text), "half") {
		t.Errorf("the log holds a text: %s", text)
	}
}
