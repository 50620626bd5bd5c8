package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/runner"
)

// What a server adds to a tool call is kept in the notebook and goes back to the server: at the
// next step, with the next prompt, and after a restart.
func TestWhatAServerAddsToACallGoesBack(t *testing.T) {
	t.Parallel()
	const added = `"extra_content":{"google":{"thought_signature":"Ab+/=<"}}`
	d := open(t, "", `answer
chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"},`+added+`}]}}]}
answer times 2
text fine`)
	path := d.create("Signed")
	for _, prompt := range []string{"go", "and then"} {
		d.run(path, d.prompt(path, prompt), runner.RunCell)
		d.untilOver(path)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if file := d.onDisk(path); !strings.Contains(file, `"thought_signature": "Ab+/=<"`) {
		t.Errorf("the notebook lacks it: %s", file)
	}
	again := open(t, d.folder, "answer\ntext fine")
	again.run(path, again.prompt(path, "later"), runner.RunCell)
	again.untilOver(path)
	for i, r := range append(d.server.Requests(), again.server.Requests()...) {
		if has := strings.Contains(string(r.Body), added); has != (i > 0) {
			t.Errorf("request %d holds it: %v", i, has)
		}
	}
}

// It also survives if the program ends in the middle of the answer.
func TestWhatAServerAddsToACallSurvivesAKill(t *testing.T) {
	t.Parallel()
	d := open(t, "", `answer
chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"},"signed":"yes"}]}}]}
stall`)
	path := d.create("Signed")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilOnDisk(path, `"signed": "yes"`)
	again := d.asAfterAKill("answer\ntext fine")
	if _, err := again.Resume(path); err != nil {
		t.Fatal(err)
	}
	again.untilOver(path)
	if r := again.server.Requests(); len(r) != 1 || !strings.Contains(string(r[0].Body), `"signed":"yes"`) {
		t.Errorf("%d requests: %s", len(r), r[0].Body)
	}
}
