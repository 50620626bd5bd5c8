// Package fork is what one agent's notebook and its report say of the agents
// that it started: which call started whom, how it stands with each, and what
// their parent hears of it. It is pure: it starts nobody and waits for nobody.
// Package runner calls it, under the lock of the notebook.
package fork

import (
	"encoding/json"

	"mutsumi/backend/notebook"
	"mutsumi/backend/tool/builtin"
)

// Tool is the tool that starts agents. Its calls can be waited for again.
const Tool = "self_fork"

// key is where a notebook keeps which agents its agent started, so that it can
// wait for them again after a restart (SPEC 9). It is no undo step: taking an
// answer back starts nobody twice.
const key = "mutsumi_forks"

// maxRecords is how many forks a notebook remembers.
const maxRecords = 200

// Record is a call of Tool with the children that it started, as it stands in
// the parent's notebook.
type Record struct {
	Cell     string  `json:"cell"`
	Call     string  `json:"call"`  // the model's id for it
	Index    int     `json:"index"` // of the message that holds the call, in the answer
	RunMs    int64   `json:"run"`   // when the run began that holds it: a later run of the cell is another one
	Children []Child `json:"children"`
}

// Child names an agent that was started. Name and file are those it had then.
type Child struct {
	UUID string `json:"uuid"`
	Name string `json:"name"`
	File string `json:"file"`
}

// Same reports whether another record is of the same call.
func (r Record) Same(o Record) bool {
	return o.Cell == r.Cell && o.Call == r.Call && o.Index == r.Index && o.RunMs == r.RunMs
}

// Records lists the forks of a notebook, oldest first. What is not ours to read
// counts as none.
func Records(nb *notebook.Document) (all []Record) {
	if raw := nb.Raw(key); raw == nil || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for i := range all {
		all[i].Children = all[i].Children[:min(len(all[i].Children), builtin.MaxChildren)]
	}
	return all
}

// Keep replaces the forks of a notebook by the latest of all; nil: it has none.
func Keep(nb *notebook.Document, all []Record) error {
	if all == nil {
		return nb.Keep(key, nil)
	}
	raw, err := json.Marshal(all[max(0, len(all)-maxRecords):])
	if err != nil {
		return err
	}
	return nb.Keep(key, raw)
}

// Calls reports whether a message calls Tool.
func Calls(m *notebook.MessageView) bool {
	for _, c := range m.ToolCalls {
		if c.Name == Tool {
			return true
		}
	}
	return false
}

// Show says in the view of a message, which stands at index in the answer of
// that run of the cell, which of all forks its calls are.
func Show(m *notebook.MessageView, all []Record, cell string, index int, runMs int64) {
	for _, c := range m.ToolCalls {
		for _, r := range all {
			if !r.Same(Record{Cell: cell, Call: c.ID, Index: index, RunMs: runMs}) {
				continue
			}
			v := notebook.ForkView{Call: c.ID, Children: make([]notebook.ChildView, len(r.Children))}
			for i, child := range r.Children {
				v.Children[i] = notebook.ChildView{UUID: child.UUID, Name: child.Name}
			}
			m.Forks = append(m.Forks, v)
			break
		}
	}
}
