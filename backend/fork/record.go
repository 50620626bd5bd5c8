// Package fork records in a notebook which children its agent started, and reports to
// the agent how each of them ended. It starts no run and waits for none. Package runner
// calls it under the notebook's lock.
package fork

import (
	"encoding/json"

	"mutsumi/backend/notebook"
	"mutsumi/backend/tool/builtin"
)

// Tool is the name of the tool that starts agents.
const Tool = "self_fork"

// key is where a notebook keeps its forks, so that its agent can wait for the children
// again after a restart (SPEC 9). Undo does not change it, so that no child starts
// twice.
const key = "mutsumi_forks"

// maxRecords is how many forks a notebook records.
const maxRecords = 200

// Record is a call of Tool and the children that it started, as the parent's notebook
// stores it.
type Record struct {
	Cell     string  `json:"cell"`
	Call     string  `json:"call"`  // the model's id for it
	Index    int     `json:"index"` // of the message that holds the call, in the answer
	RunMs    int64   `json:"run"`   // when its run began, to distinguish it from a later run of the cell
	Children []Child `json:"children"`
}

// Child names an agent that was started. Name and File are those at that time.
type Child struct {
	UUID string `json:"uuid"`
	Name string `json:"name"`
	File string `json:"file"`
}

// Same reports whether o records the same call.
func (r Record) Same(o Record) bool {
	return o.Cell == r.Cell && o.Call == r.Call && o.Index == r.Index && o.RunMs == r.RunMs
}

// Records returns the forks of a notebook, oldest first. Invalid data counts as none.
func Records(nb *notebook.Document) (all []Record) {
	if raw := nb.Raw(key); raw == nil || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for i := range all {
		all[i].Children = all[i].Children[:min(len(all[i].Children), builtin.MaxChildren)]
	}
	return all
}

// Keep replaces the forks of a notebook by the latest of all; nil removes them.
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

// Show adds to the view of a message the children that its calls started. The message
// is at index in the answer of the cell, by the run that began at runMs; all are the
// forks of the notebook.
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
