package notebook

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// prompting is a document of one prompt with a clock that the test moves.
type prompting struct {
	*testing.T
	d     *Document
	id    string
	clock time.Time
}

func newPrompting(t *testing.T, messages ...string) *prompting {
	p := &prompting{T: t, d: parsed(t, notebookOf(messages...)), clock: time.UnixMilli(5_000_000)}
	p.id = p.d.cells.list[0].id
	p.d.now = func() time.Time { return p.clock }
	return p
}

func (p *prompting) wait() { p.clock = p.clock.Add(time.Minute) }

func (p *prompting) apply(e Edit) {
	p.Helper()
	_, err := p.d.Apply([]Edit{e})
	must(p.T, err)
}

// types types a text in two pieces, in one burst.
func (p *prompting) types(text string) {
	p.Helper()
	for _, part := range []string{text[:1], text} {
		p.clock = p.clock.Add(300 * time.Millisecond)
		p.apply(Edit{Kind: EditSetText, Cell: p.id, Text: part})
	}
	p.wait()
}

func (p *prompting) run(id string) {
	p.Helper()
	_, err := p.d.BeginRun(id, RunInfo{})
	must(p.T, err)
	must(p.T, p.d.PutMessage(id, 0, says("answer")))
	p.wait()
	_, err = p.d.EndRun(id, RunInfo{})
	must(p.T, err)
}

func (p *prompting) earlier(want ...string) []EarlierText {
	p.Helper()
	all, _, err := p.d.Lineage().Earlier(p.id)
	must(p.T, err)
	var texts []string
	for _, x := range all {
		texts = append(texts, x.Text)
	}
	if !slices.Equal(texts, want) {
		p.Errorf("it keeps %q, want %q", texts, want)
	}
	if n := p.d.cells.list[p.d.cells.index(p.id)].view().Earlier; n != len(want) {
		p.Errorf("%d are shown, want %d", n, len(want))
	}
	checkFile(p.T, p.d)
	return all
}

func TestAPromptKeepsTheTextsThatWereSent(t *testing.T) {
	p := newPrompting(t, `{"role":"user","content":"first"}`, `{"role":"user","content":"below"}`)
	p.types("never sent")
	p.earlier()
	p.run(p.id)
	p.types("second")
	p.types("third")
	p.earlier("never sent")
	p.run(p.id)
	p.types("fourth")
	p.earlier("never sent", "third")
	p.run(p.d.cells.list[1].id) // which sends "fourth"
	p.types("fifth")
	all := p.earlier("never sent", "third", "fourth")
	before := string(p.d.Encoded().Bytes())

	p.run(p.id)
	p.apply(Edit{Kind: EditEarlier, Cell: p.id, Text: all[0].At})
	p.earlier("never sent", "third", "fourth", "fifth")
	if got := promptsOf(p.d)[0]; got != "never sent" || p.d.State().UndoName != "earlier text" {
		t.Errorf("it is %q, undo %q", got, p.d.State().UndoName)
	}
	for range 2 {
		_, err := p.d.Undo()
		must(t, err)
	}
	if got := string(p.d.Encoded().Bytes()); got != before {
		t.Errorf("undone it is %s", got)
	}
	if _, err := p.d.Apply([]Edit{{Kind: EditEarlier, Cell: p.id, Text: "2026-01-01T00:00:00Z"}}); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

// A text that is brought back while somebody types is a step of its own.
func TestAnEarlierTextIsAStepOfItsOwn(t *testing.T) {
	p := newPrompting(t, `{"role":"user","content":"first"}`, `{"role":"assistant","content":"a"}`)
	p.apply(Edit{Kind: EditSetText, Cell: p.id, Text: "second"})
	p.apply(Edit{Kind: EditEarlier, Cell: p.id, Text: p.earlier("first")[0].At})
	p.apply(Edit{Kind: EditSetText, Cell: p.id, Text: "third"})
	for _, want := range []string{"first", "second", "first"} {
		_, err := p.d.Undo()
		must(t, err)
		if got := promptsOf(p.d)[0]; got != want {
			t.Errorf("undone it is %q, want %q", got, want)
		}
	}
}

func TestEarlierTextsAreBounded(t *testing.T) {
	p := newPrompting(t, `{"role":"user","content":"0"}`)
	for i := range earlierTexts + 5 {
		p.run(p.id)
		p.types("text " + string(rune('a'+i)))
	}
	all, _, err := p.d.Lineage().Earlier(p.id)
	must(t, err)
	if len(all) != earlierTexts || all[len(all)-1].Text != "text x" {
		t.Errorf("%d, the last %+v", len(all), all[len(all)-1])
	}
	big := strings.Repeat("x", earlierBytes-10)
	p.run(p.id)
	p.types(big)
	p.run(p.id)
	p.types("short")
	p.earlier("text y", big)
	p.types(big + "more than fits")
	p.run(p.id)
	p.types("short")
	p.earlier()
}

// What somebody else keeps under the name stays.
func TestEarlierTextsOfSomebodyElse(t *testing.T) {
	p := newPrompting(t, `{"role":"user","content":"0","metadata":{"earlier_texts":"mine"}}`, `{"role":"assistant","content":"a"}`)
	p.types("other")
	p.earlier()
	if !strings.Contains(string(p.d.Encoded().Bytes()), `"earlier_texts": "mine"`) {
		t.Error("it is gone")
	}
}

// The second half of a prompt that is split has no history.
func TestAPromptThatIsSplitKeepsItsText(t *testing.T) {
	p := newPrompting(t, `{"role":"user","content":"one two"}`, `{"role":"assistant","content":"a"}`)
	p.apply(Edit{Kind: EditSplit, Cell: p.id, Text: "one", Rest: "two", ID: "second"})
	p.earlier("one two")
	p.id = "second"
	p.earlier()
}
