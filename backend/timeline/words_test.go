package timeline_test

import (
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/timeline"
)

// A command is no word of the program, whatever it begins with.
func TestACommandIsNoWord(t *testing.T) {
	l := newLane(t)
	l.begin(0)
	read := call("1", "shell", `{"command":"read name"}`)
	l.model(0, 100, read)
	l.tool(1, read, 20, false)
	l.end(notebook.Done)
	l.want("model (answer) 100", "tool read name 20")
}

// Answers without any time leave a lane empty, though its agent has run.
func TestAnswersWithoutTimes(t *testing.T) {
	for text, want := range map[string]bool{
		`{"role":"user","content":"p"},{"role":"assistant","content":"x"}`: true,
		`{"role":"user","content":"p"}`:                                    false,
	} {
		nb, err := notebook.Parse([]byte(`{"metadata":{"uuid":"o"},"context":[` + text + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		l := timeline.Of([]timeline.Agent{{ID: "o", Trace: nb.Encoded().Trace(100)}}, 0).Lanes[0]
		if len(l.Spans) != 0 || l.Ran != want {
			t.Errorf("%s: %+v", text, l)
		}
	}
}
