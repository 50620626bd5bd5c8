package metaedit

import (
	"encoding/json"

	"mutsumi/backend/fault"
)

// MergeMacros gives what macroContext is to hold: the macros, and every value
// of before that is no text, since only who wrote it knows what it is. Removed
// is taken away whatever it is. What is no object at all is refused as Invalid.
func MergeMacros(before json.RawMessage, macros map[string]string, removed string) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if before != nil && (json.Unmarshal(before, &values) != nil || values == nil) {
		return nil, fault.New(fault.Invalid, "Could not change the macros: macroContext is no object in this notebook's file: mend it there")
	}
	for name, raw := range values {
		var text *string
		if name == removed || json.Unmarshal(raw, &text) == nil && text != nil {
			delete(values, name)
		}
	}
	for name, value := range macros {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values[name] = raw
	}
	return json.Marshal(values)
}
