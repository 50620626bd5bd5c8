package metaedit

import (
	"encoding/json"

	"mutsumi/backend/fault"
)

// MergeMacros returns the new value of macroContext: the macros, and every non-string value of
// before, whose meaning only its writer knows. The entry removed is dropped whatever its value. If
// before is not an object, the error is Invalid.
func MergeMacros(before json.RawMessage, macros map[string]string, removed string) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if before != nil && (json.Unmarshal(before, &values) != nil || values == nil) {
		return nil, fault.New(fault.Invalid, "Could not change the macros: macroContext in this notebook's file is not an object. Correct it there.")
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
