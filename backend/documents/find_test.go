package documents_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
	"mutsumi/backend/textsearch"
)

// message is a message of a file that another program wrote.
type message map[string]any

// notebookOf writes a notebook of messages and returns its path.
func (d *fixture) notebookOf(messages ...message) string {
	d.t.Helper()
	text, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uuid": "11111111-1111-4111-8111-111111111111", "name": "Found", "created_at": "2026-01-01T00:00:00Z", "allowed_uris": []string{}},
		"context":  messages,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.write("found.mtm", string(text))
	return "found.mtm"
}

func call(id, name, arguments string) message {
	return message{"id": id, "type": "function", "function": message{"name": name, "arguments": arguments}}
}

// conversation has "Budget" once in each kind of text, and a second prompt.
func conversation() []message {
	return []message{
		{"role": "user", "content": "😀 the budget, the budget"},
		{"role": "assistant", "reasoning_content": "A Budget?", "content": "**The** *budget* holds", "tool_calls": []message{
			call("one", "write", `{"path":"a.md","text":"line\nbudget"}`), call("two", "read", `{"path":"b.md"}`),
		}},
		{"role": "tool", "tool_call_id": "two", "content": "the budget of b"},
		{"role": "tool", "tool_call_id": "one", "content": "wrote it"},
		{"role": "user", "content": "no more"},
	}
}

// told formats the result of a search, a line for each match.
func told(f documents.Found) string {
	var out strings.Builder
	for _, t := range f.Texts {
		for _, m := range t.Matches {
			fmt.Fprintf(&out, "%s %d %s %d:%d %q|%q|%q\n", t.Kind, t.Index, t.Call, m.Line, m.At, m.Before, m.Text, m.After)
		}
	}
	return out.String()
}

func TestFindTextSearchesAllThatANotebookShows(t *testing.T) {
	d := openQuiet(t, "")
	path := d.notebookOf(conversation()...)
	f, err := d.FindText(path, textsearch.Query{Text: "the budget"})
	if err != nil {
		t.Fatal(err)
	}
	want := `prompt 0  0:3 "😀 "|"the budget"|", the budget"
prompt 0  0:15 "😀 the budget, "|"the budget"|""
answer 0  0:2 "**"|"The** *budget"|"* holds"
result 1 two 0:0 ""|"the budget"|" of b"
`
	if got := told(f); got != want || f.Total != 4 || f.Partial {
		t.Errorf("found %d, partial %v:\n%swant\n%s", f.Total, f.Partial, got, want)
	}
	f, err = d.FindText(path, textsearch.Query{Text: "bud.et$", Regexp: true})
	if err != nil {
		t.Fatal(err)
	}
	want = `prompt 0  0:19 "😀 the budget, the "|"budget"|""
arguments 0 one 2:10 "a.md\nline\n"|"budget"|""
`
	if got := told(f); got != want {
		t.Errorf("expression:\n%swant\n%s", got, want)
	}
}

// A result is found after its call, as displayed, and so is the result of a missing call.
func TestFindTextGoesInTheOrderOfTheView(t *testing.T) {
	d := openQuiet(t, "")
	messages := conversation()
	messages[3]["content"] = "the budget of a"
	messages = append(messages[:4], message{"role": "tool", "tool_call_id": "gone", "content": "a budget"})
	f, err := d.FindText(d.notebookOf(messages...), textsearch.Query{Text: "budget"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range f.Texts {
		got = append(got, string(x.Kind)+" "+x.Call)
	}
	if want := "prompt |reasoning |answer |arguments one|result one|result two|result gone"; strings.Join(got, "|") != want {
		t.Errorf("in the order %q", strings.Join(got, "|"))
	}
}

// A message is skipped without reading it only if no form of the query can be in it.
func TestNoMessageWithAMatchIsSkipped(t *testing.T) {
	d := openQuiet(t, "")
	path := d.notebookOf(message{"role": "user", "content": "x"}, message{"role": "assistant", "content": "s: mA1 \u212aelvin ſharp\nnewline"})
	// Another program may have written its letters as numbers.
	text := strings.ReplaceAll(string(d.read(path)), "mA1", `\u006dA1`)
	d.write(path, text)
	for _, query := range []string{"ma1", "kelvin", "sharp", "NEWLINE", "s: m"} {
		f, err := d.FindText(path, textsearch.Query{Text: query})
		if err != nil || f.Total != 1 {
			t.Errorf("%q: %d matches, %v", query, f.Total, err)
		}
	}
}

func (d *fixture) read(path string) []byte {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.folder, path))
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func TestFindTextStopsAfterTenThousand(t *testing.T) {
	d := openQuiet(t, "")
	path := d.notebookOf(message{"role": "user", "content": strings.Repeat("ab ", 9_999)}, message{"role": "assistant", "content": "ab"})
	for _, c := range []struct {
		more    string
		total   int
		partial bool
	}{{"", 10_000, false}, {" ab", 10_000, true}} {
		d.write(path, strings.ReplaceAll(string(d.read(path)), `"ab"`, `"ab`+c.more+`"`))
		d.Reload(path)
		f, err := d.FindText(path, textsearch.Query{Text: "ab"})
		if err != nil || f.Total != c.total || f.Partial != c.partial {
			t.Errorf("found %d, partial %v, %v", f.Total, f.Partial, err)
		}
	}
}

func TestALongMatchIsShownInPart(t *testing.T) {
	d := openQuiet(t, "")
	f, err := d.FindText(d.notebookOf(message{"role": "user", "content": strings.Repeat("é", 5000)}), textsearch.Query{Text: "é+", Regexp: true})
	if err != nil || f.Total != 1 || len(f.Texts[0].Matches[0].Text) != 400 {
		t.Errorf("%+v, %v", f, err)
	}
}

// The position that a search reports leads to the same place on the page.
func FuzzPlacesOfMatches(f *testing.F) {
	f.Add("😀 the budget", "b")
	f.Fuzz(func(t *testing.T, text, query string) {
		encoded, err := json.Marshal(text)
		if err != nil || query == "" || len(query) > 100 {
			return
		}
		if err := json.Unmarshal(encoded, &text); err != nil {
			t.Fatal(err)
		}
		d := openQuiet(t, "")
		found, err := d.FindText(d.notebookOf(message{"role": "user", "content": text}), textsearch.Query{Text: query, Case: true})
		if err != nil {
			t.Fatal(err)
		}
		units := utf16.Encode([]rune(text))
		for _, x := range found.Texts {
			for _, m := range x.Matches {
				if got := string(utf16.Decode(units[m.At : m.At+len(utf16.Encode([]rune(m.Text)))])); got != m.Text {
					t.Errorf("at %d of %q is %q, want %q", m.At, text, got, m.Text)
				}
			}
		}
	})
}

// prompts are the texts of all prompts as the page gets them.
func (d *fixture) prompts(path string) string {
	d.t.Helper()
	v, err := d.Notebook(path)
	if err != nil {
		d.t.Fatal(err)
	}
	var texts []string
	for _, c := range v.Cells {
		_, cells, err := d.Cells(path, []string{c.ID})
		if err != nil {
			d.t.Fatal(err)
		}
		texts = append(texts, cells[0].Body.Text)
	}
	return strings.Join(texts, "|")
}

func TestReplaceChangesPromptsAloneAndIsOneStep(t *testing.T) {
	d := openQuiet(t, "")
	messages := append(conversation(), message{"role": "user", "content": []message{
		{"type": "text", "text": "Budget of "}, {"type": "image_url", "image_url": message{"url": "data:image/png;base64,AA=="}},
	}})
	path := d.notebookOf(messages...)
	before := d.prompts(path)
	done, err := d.ReplaceText(path, documents.Replacement{Query: textsearch.Query{Text: "(the )?(budget)", Regexp: true}, With: "$2s"}, "me")
	if err != nil || done.Places != 3 || done.Left != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	after := d.prompts(path)
	if want := "😀 budgets, budgets|no more|Budgets of ![image](part:"; !strings.HasPrefix(after, want) {
		t.Errorf("the prompts are %q", after)
	}
	if f, err := d.FindText(path, textsearch.Query{Text: "budget holds"}); err != nil || f.Total != 1 {
		t.Errorf("the answer changed: %+v, %v", f, err)
	}
	v, err := d.Notebook(path)
	if err != nil || v.State.UndoName != "replace" {
		t.Errorf("the step is called %q, %v", v.State.UndoName, err)
	}
	if _, err := d.Undo(path); err != nil {
		t.Fatal(err)
	}
	if got := d.prompts(path); got != before {
		t.Errorf("after undo: %q", got)
	}
	if _, err := d.reg.Change(path, "", (*notebook.Document).Redo); err != nil {
		t.Fatal(err)
	}
	if got := d.prompts(path); got != after {
		t.Errorf("after redo: %q", got)
	}
}

func TestReplaceOneMatch(t *testing.T) {
	d := openQuiet(t, "")
	path := d.notebookOf(conversation()...)
	v, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	one := documents.Replacement{Query: textsearch.Query{Text: "the budget"}, With: "it", Cell: v.Cells[0].ID, At: 15}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: v.Cells[0].ID, Text: "😀 the budget, the budget"}}, ""); err != nil {
		t.Fatal(err)
	}
	done, err := d.ReplaceText(path, one, "me")
	if err != nil || done.Places != 1 || done.End != 17 || d.prompts(path) != "😀 the budget, it|no more" {
		t.Errorf("%+v, %v: %q", done, err, d.prompts(path))
	}
	// The text has changed: there is no longer a match at the place.
	done, err = d.ReplaceText(path, one, "me")
	if err != nil || done.Places != 0 || done.End != 0 || d.prompts(path) != "😀 the budget, it|no more" {
		t.Errorf("%+v, %v: %q", done, err, d.prompts(path))
	}
	group := documents.Replacement{Query: textsearch.Query{Text: "the (b)", Regexp: true}, With: "$1$1😀", Cell: one.Cell, At: 3}
	done, err = d.ReplaceText(path, group, "me")
	if err != nil || done.Places != 1 || done.End != 7 || d.prompts(path) != "😀 bb😀udget, it|no more" {
		t.Errorf("%+v, %v: %q", done, err, d.prompts(path))
	}
	if _, err := d.ReplaceText(path, documents.Replacement{Query: textsearch.Query{Text: "(", Regexp: true}}, "me"); err == nil {
		t.Error("a bad expression replaced something")
	}
}

// Each replacement is a step of its own, even in the prompt that was just typed into.
func TestReplaceIsNoTyping(t *testing.T) {
	d := openQuiet(t, "")
	path := d.notebookOf(message{"role": "user", "content": "a"})
	v, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: v.Cells[0].ID, Text: "aa"}}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ReplaceText(path, documents.Replacement{Query: textsearch.Query{Text: "a"}, With: "b"}, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"aa", "a"} {
		if _, err := d.Undo(path); err != nil {
			t.Fatal(err)
		}
		if got := d.prompts(path); got != want {
			t.Errorf("after undo: %q, want %q", got, want)
		}
	}
}

// BenchmarkFindText searches a notebook of 20 MB with distinct messages for a rare word, a missing
// word, and with an expression. The floor is looking at each byte of the file.
func BenchmarkFindText(b *testing.B) {
	d := openQuiet(b, "")
	var messages []message
	for i := range 2000 {
		messages = append(messages, message{"role": "user", "content": fmt.Sprintf("Question %d", i)},
			message{"role": "assistant", "content": strings.Repeat(fmt.Sprintf("Answer %d with \"words\" and\nlines. ", i), 300)})
	}
	path := d.notebookOf(messages...)
	size := int64(len(d.read(path)))
	for name, q := range map[string]textsearch.Query{
		"few": {Text: "question 77"}, "none": {Text: "zebra"}, "many": {Text: "words"}, "expression": {Text: `question \d+7\b`, Regexp: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if _, err := d.FindText(path, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if strings.Contains(string(d.read(path)), "zebra") {
				b.Fatal("found")
			}
		}
	})
}
