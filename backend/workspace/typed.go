package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/ref"
	"mutsumi/backend/tool"
)

// typedCalls knows which tool calls in prompts the person typed here, in this
// session: only these may do more than read (SPEC 4.3). Whatever came in with a
// file, or another process wrote, was not, and stays so when it is edited
// around, taken back by undo, or typed over it once more.
type typedCalls struct {
	typed   map[string]map[string]bool // by cell: calls as they are written
	foreign map[string]map[string]bool // by cell: calls that stood there and were not typed
}

func newTypedCalls() typedCalls {
	return typedCalls{typed: map[string]map[string]bool{}, foreign: map[string]map[string]bool{}}
}

// isTyped reports whether a call of a cell was typed here.
func (t typedCalls) isTyped(cell, call string) bool {
	return t.typed[cell][call] && !t.foreign[cell][call]
}

// edited notes that the person made the text of a cell another one.
func (t typedCalls) edited(cell, before, after string) {
	t.stood(cell, before)
	for _, call := range callsIn(after) {
		if !t.foreign[cell][call] {
			mark(t.typed, cell, call)
		}
	}
}

// split notes that the text of a cell went on in another one.
func (t typedCalls) split(cell, made, before, first, rest string) {
	t.edited(cell, before, first)
	for call := range t.foreign[cell] {
		mark(t.foreign, made, call)
	}
	t.edited(made, "", rest)
}

// stood notes the calls of a text that nobody typed here.
func (t typedCalls) stood(cell, text string) {
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

// foreignIn says of each call of a cell's prompt whether it was not typed here.
// stored is the prompt as the notebook has it: of a draft, what goes beyond it
// is being typed. cell "" is a prompt that only the person has so far.
func (k *work) foreignIn(cell, stored string) func(call string) bool {
	foreign := map[string]bool{}
	for call := range k.typed.foreign[cell] {
		foreign[call] = true
	}
	for _, call := range callsIn(stored) {
		if !k.typed.isTyped(cell, call) {
			foreign[call] = true
		}
	}
	return func(call string) bool { return foreign[call] }
}

// noteTyped takes note of what a person's edits type. texts are those of the
// prompts before, by cell.
func (k *work) noteTyped(edits []notebook.Edit, texts map[string]string, newID string) {
	for _, e := range edits {
		made := e.ID
		if made == "" {
			made = newID
		}
		switch e.Kind {
		case notebook.EditInsert:
			k.typed.edited(made, "", e.Text)
			texts[made] = e.Text
		case notebook.EditSetText:
			k.typed.edited(e.Cell, texts[e.Cell], e.Text)
			texts[e.Cell] = e.Text
		case notebook.EditSplit:
			k.typed.split(e.Cell, made, texts[e.Cell], e.Text, e.Rest)
			texts[e.Cell], texts[made] = e.Text, e.Rest
		}
	}
}

// promptsOf gives the texts of the cells that edits type into, as they are.
func promptsOf(nb *notebook.Document, edits []notebook.Edit) map[string]string {
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

// approverFor is who decides about the calls of an agent that change something;
// nil: nobody can be asked, and only calls that read are run.
func (w *Workspace) approverFor(j job, roots *files.Roots, scratch string, tools *tool.Registry) agent.Approver {
	switch w.tools {
	case AskTools:
		return approver{w: w, at: j.doc, cell: j.cell, meta: j.meta, roots: roots, scratch: scratch, tools: tools}
	case EveryTool:
		return everything{}
	}
	return nil
}

// approved asks about a call that the person typed in a prompt, through the
// same policy and the same inbox as any other. The error says why it is not run.
func approved(ctx context.Context, by agent.Approver, tools *tool.Registry, call tool.Call) (tool.Call, agent.Decision, error) {
	name := call.Tool.Name()
	if by == nil {
		return call, agent.Decision{}, errors.New("it changes something, and in this run only tools that read may be used")
	}
	made := chat.ToolCall{ID: "prompt-" + newID()}
	made.Function.Name, made.Function.Arguments = name, string(call.Args)
	d, err := by.Approve(ctx, agent.Ask{CallID: made.ID, Made: made, Call: call, Why: "It stands in the prompt."})
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = fmt.Errorf("nobody decided about it: %w", err)
	case d.Result != nil:
	case !d.Allow && d.Reason != "":
		err = fmt.Errorf("the person rejected it: %s", d.Reason)
	case !d.Allow:
		err = errors.New("the person rejected it")
	case d.Arguments != "":
		call, err = tools.Prepare(name, d.Arguments)
	}
	return call, d, err
}

// callIn runs a tool call that stands in a text.
func (c caller) callIn(ctx context.Context, name string, args json.RawMessage) (string, error) {
	call, err := c.tools.Prepare(name, string(args))
	if err != nil {
		return "", err
	}
	var d agent.Decision
	if !call.Tool.Reads() {
		if call, d, err = approved(ctx, c.approver, c.tools, call); err != nil {
			return "", err
		}
	}
	var res tool.Result
	if d.Result != nil {
		res = *d.Result
	} else {
		res = tool.Run(ctx, tool.Env{Scratch: c.scratch, Afresh: d.Approved != nil, Approved: d.Approved}, call)
	}
	if res.IsError {
		return "", errors.New(res.Content)
	}
	return res.Content, nil
}
