// Package typed knows which tool calls in the prompts of a notebook a person
// typed here, as opposed to those that came with the file. It is pure, and
// guarded by whoever holds it: in an open notebook by the notebook's lock.
package typed

import (
	"mutsumi/backend/notebook"
	"mutsumi/backend/ref"
)

// Calls knows which tool calls in prompts the person typed here, in this
// session: only these may do more than read (SPEC 4.3). Whatever came in with a
// file, or another process wrote, was not, and stays so when it is edited
// around, taken back by undo, or typed over it once more.
type Calls struct {
	typed   map[string]map[string]bool // by cell: calls as they are written
	foreign map[string]map[string]bool // by cell: calls that stood there and were not typed
}

// New knows of no call yet.
func New() Calls {
	return Calls{typed: map[string]map[string]bool{}, foreign: map[string]map[string]bool{}}
}

// isTyped reports whether a call of a cell was typed here.
func (t Calls) isTyped(cell, call string) bool {
	return t.typed[cell][call] && !t.foreign[cell][call]
}

// edited notes that the person made the text of a cell another one.
func (t Calls) edited(cell, before, after string) {
	t.stood(cell, before)
	for _, call := range callsIn(after) {
		if !t.foreign[cell][call] {
			mark(t.typed, cell, call)
		}
	}
}

// split notes that the text of a cell went on in another one.
func (t Calls) split(cell, made, before, first, rest string) {
	t.edited(cell, before, first)
	for call := range t.foreign[cell] {
		mark(t.foreign, made, call)
	}
	t.edited(made, "", rest)
}

// stood notes the calls of a text that nobody typed here.
func (t Calls) stood(cell, text string) {
	for _, call := range callsIn(text) {
		if !t.typed[cell][call] {
			mark(t.foreign, cell, call)
		}
	}
}

func mark(m map[string]map[string]bool, cell, call string) {
	if m[cell] == nil {
		m[cell] = map[string]bool{}
	}
	m[cell][call] = true
}

// callsIn lists the tool calls of a text as they are written.
func callsIn(text string) (calls []string) {
	for _, r := range ref.Find(text) {
		if r.IsTool() {
			calls = append(calls, r.Inner)
		}
	}
	return calls
}

// ForeignIn says of each call of a cell's prompt whether it was not typed here.
// stored is the prompt as the notebook has it: of a draft, what goes beyond it
// is being typed. cell "" is a prompt that only the person has so far.
func (t Calls) ForeignIn(cell, stored string) func(call string) bool {
	foreign := map[string]bool{}
	for call := range t.foreign[cell] {
		foreign[call] = true
	}
	for _, call := range callsIn(stored) {
		if !t.isTyped(cell, call) {
			foreign[call] = true
		}
	}
	return func(call string) bool { return foreign[call] }
}

// Note takes note of what a person's edits type. texts are those of the prompts
// before, by cell (Texts); newID is the cell that an edit made which names none.
func (t Calls) Note(edits []notebook.Edit, texts map[string]string, newID string) {
	for _, e := range edits {
		made := e.ID
		if made == "" {
			made = newID
		}
		switch e.Kind {
		case notebook.EditInsert:
			t.edited(made, "", e.Text)
			texts[made] = e.Text
		case notebook.EditSetText:
			t.edited(e.Cell, texts[e.Cell], e.Text)
			texts[e.Cell] = e.Text
		case notebook.EditSplit:
			t.split(e.Cell, made, texts[e.Cell], e.Text, e.Rest)
			texts[e.Cell], texts[made] = e.Text, e.Rest
		}
	}
}

// Texts gives the texts of the cells that edits type into, as they are.
func Texts(nb *notebook.Document, edits []notebook.Edit) map[string]string {
	texts := map[string]string{}
	for _, e := range edits {
		if e.Kind != notebook.EditSetText && e.Kind != notebook.EditSplit {
			continue
		}
		for _, c := range nb.Cells([]string{e.Cell}) {
			if c.Body != nil {
				texts[e.Cell] = c.Body.Text
			}
		}
	}
	return texts
}
