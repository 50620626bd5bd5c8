package approval

import (
	"encoding/json"
	"maps"
	"slices"

	"mutsumi/backend/clip"
)

// maxDescribed and maxDescription bound what is taken from a schema.
const (
	maxDescribed   = 100
	maxDescription = 300 // bytes
)

// described returns the descriptions of a tool's arguments in its JSON schema, by name; "edits.old"
// is an argument of the objects in the list "edits". It returns nil if there are none or the schema
// cannot be read.
func described(schema json.RawMessage) map[string]string {
	type object struct {
		Description string                     `json:"description"`
		Properties  map[string]json.RawMessage `json:"properties"`
		Items       json.RawMessage            `json:"items"`
	}
	var root object
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	var all map[string]string
	add := func(name string, raw json.RawMessage) (o object) {
		if json.Unmarshal(raw, &o) != nil || o.Description == "" || len(all) == maxDescribed {
			return o
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = clip.Text(o.Description, maxDescription)
		return o
	}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		var items object
		if list := add(name, root.Properties[name]); json.Unmarshal(list.Items, &items) != nil {
			continue
		}
		for _, inner := range slices.Sorted(maps.Keys(items.Properties)) {
			add(name+"."+inner, items.Properties[inner])
		}
	}
	return all
}
