package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/preview"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/tokens"
)

// kinds returns the segments of a meter by name. They add up to the whole.
func kinds(t *testing.T, v preview.Context) map[string]int {
	t.Helper()
	all, sum := map[string]int{}, 0
	for _, k := range v.Kinds {
		all[k.Kind] = k.Tokens
		sum += k.Tokens
	}
	if sum != v.Tokens {
		t.Errorf("the segments add up to %d of %d tokens", sum, v.Tokens)
	}
	return all
}

// Each segment of the meter holds what its name says: a new notebook has no history, and tool
// definitions are not tool results.
func TestTheMeterShowsWhatIsSentUnderItsOwnName(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer always\ntext ok\nusage 1 1")
	d.write("a.txt", "one\n")
	path := d.create("Meter")
	v := d.context(path, "", "")
	k := kinds(t, v)
	for _, none := range []string{"history", "prompt", "files", "results", "images", "role", "rules", "frame"} {
		if k[none] != 0 {
			t.Errorf("an empty notebook has %d tokens of %s", k[none], none)
		}
	}
	if k["system"] < 100 || k["tools"] < 1000 || len(v.Tools) < 10 || !v.Estimated || len(v.Results) != 0 {
		t.Errorf("got %+v", v)
	}
	if want := float64(v.Tokens); v.Cost != want { // a dollar per token
		t.Errorf("%v dollars for %v tokens", v.Cost, want)
	}
	k = kinds(t, d.context(path, "", `see @[a.txt] @[ls{"uri":"."}]`))
	if k["results"] == 0 || k["files"] == 0 || k["prompt"] == 0 || k["frame"] == 0 || k["history"] != 0 {
		t.Errorf("got %v", k)
	}
	cell := d.prompt(path, "hello")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if k := kinds(t, d.context(path, "", "again")); k["history"] == 0 {
		t.Errorf("got %v", k)
	}
	if sent := d.server.Requests()[0]; len(sent.Tools) != len(v.Tools) {
		t.Errorf("%d tools were sent, %d are shown", len(sent.Tools), len(v.Tools))
	}
}

// The meter, the preview, the tree during an answer and the recorded usage count alike, for a model
// with a public tokenizer and for any other, in Chinese too.
func TestAllCountTokensAlike(t *testing.T) {
	t.Parallel()
	const text = "请帮我检查规则文件中的配置是否正确，然后告诉我结果。 Then say what you did 😀."
	for _, model := range []string{"some-model", "gpt-4o"} {
		t.Run(model, func(t *testing.T) {
			d := openModel(t, "", "text "+strings.Repeat(text, 3)+"\nwait end", settings.ModelView{ID: model, Tools: true}, nil)
			path := d.create("Count")
			draft := strings.Repeat(text, 5)
			cell := d.prompt(path, draft)
			next, shown := d.context(path, cell, draft).Tokens, d.preview(path, cell, draft).Tokens
			d.run(path, cell, runner.RunCell)
			want := tokens.NewCounter(model).Count(strings.Repeat(text, 3))
			d.agentNamed("Count", func(n agenttree.Node) bool { return n.Own.Tokens == want })
			d.server.Let("end")
			d.untilFinished(1)
			_, cells, err := d.Cells(path, []string{cell})
			if err != nil {
				t.Fatal(err)
			}
			if got := *cells[0].Body.Run.Usage; got != (chat.Usage{Input: next, Output: want, Estimated: true}) || shown != next {
				t.Errorf("kept is %+v; the meter said %d, the preview %d, the tree %d", got, next, shown, want)
			}
			if n := d.node(path); n.Own.Tokens != next+want {
				t.Errorf("the tree says %d of %d", n.Own.Tokens, next+want)
			}
			if k := kinds(t, d.context(path, "", "x")); k["history"] != tokens.NewCounter(model).Count(draft)+want {
				t.Errorf("the history is %d", k["history"])
			}
		})
	}
}
