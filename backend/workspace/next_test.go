package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// What is typed reaches the notebook before its event reaches the interface,
// which asks for the same cell before and after.
func TestAPromptOnItsWayIsCountedOnce(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	path := d.create("Typed")
	look := func() (messages, tokens int) {
		p, c := d.preview(path, "abc", "What is this?"), d.context(path, "abc", "What is this?")
		return len(p.Messages), c.Tokens
	}
	messages, tokens := look()
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, ID: "abc", Text: "What is this?"}}, "test"); err != nil {
		t.Fatal(err)
	}
	if m, n := look(); m != messages || n != tokens {
		t.Errorf("%d messages of %d tokens before it came, %d of %d after", messages, tokens, m, n)
	}
}

// What the settings say of a model goes out with its requests and stands in the
// preview; what they leave open is not sent.
func TestParametersOfAModelGoOut(t *testing.T) {
	t.Parallel()
	cold := 0.0
	for name, c := range map[string]struct {
		model settings.ModelView
		want  []string
		none  []string
	}{
		"nothing is set": {settings.ModelView{ID: "m", Tools: true}, nil, []string{"max_tokens", "temperature", "reasoning_effort"}},
		"all are set":    {settings.ModelView{ID: "m", Tools: true, MaxOutput: 77, Temperature: &cold, Effort: "low"}, []string{`"max_tokens":77`, `"temperature":0`, `"reasoning_effort":"low"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := openModel(t, "", "answer always\ntext ok", c.model, nil)
			path := d.create("A")
			cell := d.prompt(path, "x")
			shown := map[string]bool{}
			for _, p := range d.preview(path, cell, "x").Parameters {
				shown[p.Name] = true
			}
			d.run(path, cell, runner.RunCell)
			d.untilFinished(1)
			body := string(d.server.Requests()[0].Body)
			for _, want := range c.want {
				if !strings.Contains(body, want) || !shown[strings.Split(want, `"`)[1]] {
					t.Errorf("%s is missing, the preview shows %v", want, shown)
				}
			}
			for _, none := range c.none {
				if strings.Contains(body, none) || shown[none] {
					t.Errorf("%s was sent", none)
				}
			}
		})
	}
}
