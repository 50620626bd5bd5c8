// Package metaedit edits the metadata of a notebook that shape its next requests, for
// the person: parts that are switched off, macros, the placement of context, the
// budget. Each call is one undo step.
package metaedit

import (
	"encoding/json"
	"slices"

	"mutsumi/backend/assemble"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/macro"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
)

// KeyBudget is the metadata key of a notebook's cost limit, in dollars.
const KeyBudget = "mutsumi_budget"

// Editor edits the metadata of a folder's notebooks. It is safe for concurrent use.
type Editor struct {
	registry *documents.Registry
	out      *event.Outbox
	cache    *assemble.Cache
}

// New returns an Editor. cache is the cache of files and tool results read for
// prompts.
func New(reg *documents.Registry, out *event.Outbox, cache *assemble.Cache) *Editor {
	return &Editor{reg, out, cache}
}

// Calls lets the interface change the context, macros and budget of a notebook. Package workspace
// embeds it.
type Calls struct{ editor *Editor }

// Calls returns the calls of the interface.
func (e *Editor) Calls() *Calls { return &Calls{e} }

// SwitchContext switches a part, by its id, on or off for the notebook's requests.
func (c *Calls) SwitchContext(path, id string, on bool) error {
	return c.editor.Change(path, "switch context", func(nb *notebook.Document) (map[string]json.RawMessage, error) {
		var meta prompt.Meta
		meta.ReadMeta(nil, nil, nb.Raw(prompt.KeyOff))
		off := slices.DeleteFunc(meta.ContextOff, func(x string) bool { return x == id })
		if !on {
			off = append(off, id)
		}
		return map[string]json.RawMessage{prompt.KeyOff: listOrNil(off)}, nil
	})
}

// SetMacro sets a macro of the notebook.
func (c *Calls) SetMacro(path, name, value string) error {
	if !macro.IsName(name) {
		return fault.New(fault.Invalid, "%q cannot name a macro: use letters, digits and _, and do not start with a digit", name)
	}
	return c.editor.changeMacros(path, "", func(m map[string]string) { m[name] = value })
}

// RemoveMacro removes a macro from the notebook.
func (c *Calls) RemoveMacro(path, name string) error {
	return c.editor.changeMacros(path, name, func(m map[string]string) { delete(m, name) })
}

func (e *Editor) changeMacros(path, removed string, f func(map[string]string)) error {
	return e.Change(path, "change macros", func(nb *notebook.Document) (map[string]json.RawMessage, error) {
		var meta prompt.Meta
		meta.ReadMeta(nb.Raw(prompt.KeyMacros), nil, nil)
		f(meta.MacroContext)
		raw, err := MergeMacros(nb.Raw(prompt.KeyMacros), meta.MacroContext, removed)
		return map[string]json.RawMessage{prompt.KeyMacros: raw}, err
	})
}

// SetPlacement sets where context goes: ghost, message or versioned.
func (c *Calls) SetPlacement(path, placement string) error {
	p := prompt.Placement(placement)
	if p != prompt.Ghost && p != prompt.MessageBefore && p != prompt.Versioned {
		return fault.New(fault.Invalid, "%q is not a placement: choose ghost, message or versioned", placement)
	}
	return c.editor.Change(path, "place context", func(*notebook.Document) (map[string]json.RawMessage, error) {
		raw, err := json.Marshal(p)
		return map[string]json.RawMessage{prompt.KeyPlacement: raw}, err
	})
}

// SetEffort sets how much the notebook's models think: minimal, low, medium or high; "": the
// settings of each model apply.
func (c *Calls) SetEffort(path, effort string) error {
	if effort != "" && !prompt.IsEffort(effort) {
		return fault.New(fault.Invalid, "%q is not an effort of reasoning: choose minimal, low, medium or high", effort)
	}
	return c.editor.Change(path, "change effort", func(*notebook.Document) (map[string]json.RawMessage, error) {
		if effort == "" {
			return map[string]json.RawMessage{prompt.KeyEffort: nil}, nil
		}
		raw, err := json.Marshal(effort)
		return map[string]json.RawMessage{prompt.KeyEffort: raw}, err
	})
}

// SetBudget limits the cost of a notebook, in dollars; 0 removes the limit.
func (c *Calls) SetBudget(path string, dollars float64) error {
	if dollars < 0 || dollars > 1e6 {
		return fault.New(fault.Invalid, "a budget must be between $0 and $1,000,000")
	}
	return c.editor.Change(path, "change budget", func(*notebook.Document) (map[string]json.RawMessage, error) {
		if dollars == 0 {
			return map[string]json.RawMessage{KeyBudget: nil}, nil
		}
		raw, err := json.Marshal(dollars)
		return map[string]json.RawMessage{KeyBudget: raw}, err
	})
}

// Change applies the metadata that f returns as one undo step, called name, and emits that the
// context changed.
func (e *Editor) Change(path, name string, f func(*notebook.Document) (map[string]json.RawMessage, error)) error {
	_, err := e.registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
		values, err := f(nb)
		if err != nil {
			return notebook.Change{}, err
		}
		return nb.ChangeMeta(name, values)
	})
	if err == nil {
		e.out.Emit(event.ContextChanged{Path: path})
	}
	return err
}

// ForgetContext removes a file or tool result from the blocks that the notebook's
// prompts keep, and switches it off for the next requests.
func (c *Calls) ForgetContext(path, id string) error {
	if err := c.editor.changeSent(path, "forget "+id, func(sent []prompt.Sent) []prompt.Sent { return prompt.Forget(sent, id) }); err != nil {
		return err
	}
	return c.SwitchContext(path, id, false)
}

// PruneContext drops every version that a newer one has replaced.
func (c *Calls) PruneContext(path string) error {
	return c.editor.changeSent(path, "prune outdated", prompt.Prune)
}

func (e *Editor) changeSent(path, name string, f func([]prompt.Sent) []prompt.Sent) error {
	_, err := e.registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
		var cells []string
		var before []prompt.Sent
		for _, id := range nb.CellIDs() {
			raw, err := nb.PromptMeta(id, prompt.KeySent)
			var sent prompt.Sent
			if err == nil && raw != nil && json.Unmarshal(raw, &sent) == nil {
				cells, before = append(cells, id), append(before, sent)
			}
		}
		values := map[string]json.RawMessage{}
		for i, after := range f(before) {
			if after.Block == before[i].Block {
				continue
			}
			raw, err := json.Marshal(after)
			if err != nil {
				return notebook.Change{}, err
			}
			values[cells[i]] = raw
		}
		return nb.ChangePrompts(name, prompt.KeySent, values)
	})
	if err == nil {
		e.out.Emit(event.ContextChanged{Path: path})
	}
	return err
}

// RefreshTools drops the cached results of tools, so that the next preview runs them
// again.
func (c *Calls) RefreshTools(path string) error {
	c.editor.cache.ForgetTools()
	c.editor.out.Emit(event.ContextChanged{Path: path})
	return nil
}

func listOrNil(list []string) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil // strings can always be encoded
	}
	return raw
}
