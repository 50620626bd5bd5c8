// Package typed tracks which tool calls in the prompts of a notebook a person typed here, and which
// came with the file. References that ask an MCP server (`@[server:uri]`, `/server:prompt`) count
// as calls. It does no I/O. Its caller guards it: for an open notebook, with the notebook's lock.
package typed

import (
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/notebook"
	"mutsumi/backend/ref"
)

// Calls tracks which tool calls in prompts the person typed in this session: only these may do more
// than read (SPEC 4.3). A call that came with a file or from another process is foreign, and stays
// foreign if the surrounding text is edited, undone or retyped.
type Calls struct {
	typed   map[string]map[string]bool // by cell: calls, as they are written
	foreign map[string]map[string]bool // by cell: calls that were there and were not typed
}

// New returns a Calls without any call.
func New() Calls {
	return Calls{typed: map[string]map[string]bool{}, foreign: map[string]map[string]bool{}}
}

// isTyped reports whether a call of a cell was typed here.
func (t Calls) isTyped(cell, call string) bool {
	return t.typed[cell][call] && !t.foreign[cell][call]
}

// edited notes that the person changed the text of a cell.
func (t Calls) edited(cell, before, after string) {
	t.stood(cell, before)
	for _, call := range callsIn(after) {
		if !t.foreign[cell][call] {
			mark(t.typed, cell, call)
		}
	}
}

// split notes that the end of a cell's text moved to a new cell, made.
func (t Calls) split(cell, made, before, first, rest string) {
	t.edited(cell, before, first)
	for call := range t.foreign[cell] {
		mark(t.foreign, made, call)
	}
	t.edited(made, "", rest)
}

// stood records the calls of a text that existed without being typed.
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

// callsIn lists the calls of a text as they are written.
func callsIn(text string) (calls []string) {
	if c := invocation.FindString(text); c != "" {
		calls = append(calls, c)
	}
	for _, r := range ref.Find(text) {
		if _, _, resource := r.Resource(); resource || r.IsTool() {
			calls = append(calls, r.Inner)
		}
	}
	return calls
}

// invocation is the name of a server's prompt at the beginning of a text.
var invocation = lazyregexp.New(`^/[^\s:]+:\S+`)

// Snapshot returns a function that reports whether a call of a cell was typed here, as it
// is now.
func (t Calls) Snapshot() func(cell, call string) bool {
	type at struct{ cell, call string }
	all := map[at]bool{}
	for cell, calls := range t.typed {
		for call := range calls {
			if t.isTyped(cell, call) {
				all[at{cell, call}] = true
			}
		}
	}
	return func(cell, call string) bool { return all[at{cell, call}] }
}

// ForeignIn returns a function that reports whether a call of a cell's prompt is foreign. stored is
// the prompt in the notebook: additional calls of a draft are being typed. cell "" is a new prompt
// that exists in the interface only.
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

// Note updates the calls after a person's edits. texts are the prompts before the edits,
// by cell, see Texts; newID is the new cell of an edit that names none.
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

// Texts returns the current texts of the cells that edits change, by cell.
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
