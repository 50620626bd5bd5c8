package approval

import (
	"strings"
	"testing"
	"testing/synctest"

	"mutsumi/backend/fault"
)

// question lets an agent ask the person something, and waits until it does.
func (d *desk) question(text string) <-chan answer {
	c := d.where
	c.Tool, c.Notebook, c.Arguments = "ask_user", "nb", `{"question":`+jsonText(text)+`}`
	out := make(chan answer, 1)
	go func() {
		got, err := d.inbox.Ask(d.t.Context(), NewRequest(c, About{Action: text, Question: &Question{Text: text, Choices: []string{}}}))
		out <- answer{got, err}
	}()
	synctest.Wait()
	return out
}

// No rule, no decision for more than once and no plain yes ever answers a
// question: only words do, or that the person declines.
func TestQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		for _, r := range []Rule{
			{Tool: "ask_user", Pattern: "*", Scope: Always}, {Tool: "ask_user", Pattern: "*", Scope: Notebook, Notebook: "nb"}, {Tool: "*", Pattern: "*", Deny: true, Scope: Always},
		} {
			if _, err := d.policy.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		asked := d.question("Which?")
		if !waits(asked) {
			t.Fatal("a rule answered")
		}
		d.inbox.Recheck()
		synctest.Wait()
		if !waits(asked) {
			t.Fatal("looking again answered")
		}
		r := d.inbox.Pending()[0]
		if r.Question == nil || len(r.Suggestions) != 0 || r.Tool != "ask_user" || r.Verdict.Outcome != Ask {
			t.Fatalf("%+v", r)
		}
		for name, dec := range map[string]Decision{
			"a plain yes": {Allow: true}, "blanks": {Allow: true, Answer: " \n"}, "always": {Allow: true, Answer: "a", Scope: Always, Patterns: []string{"*"}},
			"never": {Scope: Notebook, Patterns: []string{"*"}}, "arguments": {Allow: true, Answer: "a", Arguments: "{}"}, "a book": {Allow: true, Answer: strings.Repeat("a", 65<<10)},
		} {
			if err := d.inbox.Resolve(r.ID, dec); !fault.Is(err, fault.Invalid) || !waits(asked) {
				t.Errorf("%s: %v", name, err)
			}
		}
		d.resolve(0, Decision{Allow: true, Answer: "the second"})
		if got := <-asked; got.err != nil || !got.Allow || got.Answer != "the second" {
			t.Errorf("%+v", got)
		}
		asked = d.question("And now?")
		d.resolve(0, Decision{Reason: "later"})
		if got := <-asked; got.err != nil || got.Allow || got.Reason != "later" {
			t.Errorf("%+v", got)
		}
	})
}

// A decision about a call that settles other calls of the same tool does not affect questions.
func TestQuestionAmongCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		asked := d.question("Which?")
		call := d.ask(t.Context(), "nb", "odd-program")
		d.resolve(1, Decision{Scope: Always, Patterns: []string{"*"}})
		if waits(call) || !waits(asked) {
			t.Fatalf("call waits: %v, question waits: %v", waits(call), waits(asked))
		}
		d.inbox.Close()
		if got := <-asked; got.err != ErrClosed {
			t.Errorf("%+v", got)
		}
	})
}
