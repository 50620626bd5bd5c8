package workspace_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// A typed prompt reaches the notebook before its event reaches the interface, which asks for the
// same cell before and after.
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

// A notebook can choose the reasoning effort of its models. For a reasoning model, its choice
// replaces the settings until it is reset.
func TestANotebookChoosesItsEffort(t *testing.T) {
	t.Parallel()
	for _, reasons := range []bool{true, false} {
		d := openModel(t, "", "answer always\ntext ok", settings.ModelView{ID: "m", Tools: true, Reasoning: reasons, Effort: "low"}, nil)
		path := d.create("A")
		if err := d.SetEffort(path, "enormous"); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
		for i, effort := range []string{"", "high", ""} {
			if err := d.SetEffort(path, effort); err != nil {
				t.Fatal(err)
			}
			cell := d.prompt(path, "x")
			if v := d.context(path, cell, "x"); v.Effort != effort || v.Efforts != reasons {
				t.Errorf("the inspector has %q, %v", v.Effort, v.Efforts)
			}
			d.run(path, cell, runner.RunCell)
			d.untilFinished(1)
			want := `"reasoning_effort":"low"`
			if effort != "" && reasons {
				want = `"reasoning_effort":"high"`
			}
			if body := string(d.server.Requests()[i].Body); !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
	}
}

// The placements are compared for this notebook: what each one sends next and in the turn after,
// and how much of it a server can read from its cache.
func TestPlacementsAreCompared(t *testing.T) {
	t.Parallel()
	d := pricedAt(t, "answer always\ntext ok\nusage 1 1", settings.ModelView{InputPrice: 10, CachedPrice: 1, OutputPrice: 10})
	d.write("a.txt", strings.Repeat("a line of a file\n", 200))
	path := d.create("Places")
	d.run(path, d.prompt(path, "See @[a.txt]"), runner.RunCell)
	d.untilFinished(1)
	before := d.context(path, "", "And now?")
	all, err := d.Placements(path, "", "And now?")
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for i, name := range []string{"ghost", "message", "versioned"} {
		p := all[i]
		if p.Placement != name || p.Next.Cached == 0 || p.Next.Cached > p.Next.Tokens || p.Then.Tokens <= p.Next.Tokens-50 || p.Next.Cost <= 0 {
			t.Errorf("got %+v", p)
		}
	}
	if all[0].Next.Tokens != before.Tokens || all[0].Next.Cached < 1000 {
		t.Errorf("the inspector has %d tokens, the comparison %+v", before.Tokens, all[0])
	}
	ghost, versioned := all[0].Then, all[2].Then
	if versioned.Cached != all[2].Next.Tokens || ghost.Cached >= all[0].Next.Tokens-500 {
		t.Errorf("versioned keeps everything: %+v, ghost resends its block: %+v", all[2], all[0])
	}
	if versioned.Cost > ghost.Cost {
		t.Errorf("versioned %v dollars, ghost %v", versioned.Cost, ghost.Cost)
	}
	if after := d.context(path, "", "And now?"); after.Placement != "ghost" || after.Tokens != before.Tokens {
		t.Errorf("comparing changed the notebook: %+v", after)
	}

	// With an empty prompt, the comparison gives the same result.
	empty, err := d.Placements(path, d.prompt(path, ""), "")
	if err != nil || empty[2].Then.Cached != empty[2].Next.Tokens || empty[0].Then.Cached >= empty[0].Next.Tokens-500 {
		t.Errorf("of an empty prompt: %+v, %v", empty, err)
	}

	// The next turn in the chosen placement matches the comparison.
	if err := d.SetPlacement(path, "versioned"); err != nil {
		t.Fatal(err)
	}
	if v := d.context(path, "", "And now?"); v.Tokens != all[2].Next.Tokens {
		t.Errorf("predicted %d tokens, got %d", all[2].Next.Tokens, v.Tokens)
	}
}

// A model's parameters in the settings are sent with its requests and shown in the preview; unset
// ones are not sent.
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

// Before anything is sent, the preview shows what the model does not accept.
func TestPartsThatAModelRefusesAreReportedBeforehand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model settings.ModelView
		want  []string
	}{
		{settings.ModelView{ID: "blind", Tools: true}, []string{"blind takes no images", "has an image"}},
		{settings.ModelView{ID: "bare", Images: true}, []string{"bare takes no tools"}},
		{settings.ModelView{ID: "able", Images: true, Tools: true}, nil},
	} {
		d := openModel(t, "", "answer always\ntext ok", c.model, nil)
		var dot bytes.Buffer
		if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
			t.Fatal(err)
		}
		d.write("dot.png", dot.String())
		path := d.create("A")
		warnings := d.preview(path, "", "Look: ![dot](dot.png)").Warnings
		if shown := d.context(path, "", "Look: ![dot](dot.png)").Warnings; len(shown) != len(warnings) {
			t.Errorf("the inspector says %+v", shown)
		}
		if c.want == nil && len(warnings) > 0 || c.want != nil && len(warnings) != 1 {
			t.Fatalf("%s: %+v", c.model.ID, warnings)
		}
		for _, want := range c.want {
			if !strings.Contains(warnings[0].Text, want) {
				t.Errorf("%s: %q", c.model.ID, warnings[0].Text)
			}
		}
		if found := d.preview(path, "", "Only text.").Warnings; c.model.Images == false && len(found) != 0 {
			t.Errorf("without an image: %+v", found)
		}
	}
}
