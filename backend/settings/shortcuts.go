package settings

import (
	"fmt"

	"mutsumi/backend/lazyregexp"
)

// maxKeys is how many keys an action can have.
const maxKeys = 8

var (
	actionID = lazyregexp.New(`^[a-zA-Z]{1,40}\.[a-zA-Z0-9]{1,40}$`)
	// shortcut is one press, or two one after the other: "Ctrl+Shift+P", "F2", "D D".
	shortcut = lazyregexp.New(`^(?:(?:Ctrl|Alt|Shift)\+)*[^\s+]{1,12}(?: (?:(?:Ctrl|Alt|Shift)\+)*[^\s+]{1,12})?$|^(?:(?:Ctrl|Alt|Shift)\+)*\+$`)
)

// checkKeys reports what is wrong with the keys of an action. Only the interface knows the actions:
// unknown ones are kept for it.
func checkKeys(action string, keys []string) error {
	if !actionID.MatchString(action) {
		return fmt.Errorf("`keys` names an action as window.find, not %q", action)
	}
	if len(keys) > maxKeys {
		return fmt.Errorf("%s has at most %d keys", action, maxKeys)
	}
	for _, k := range keys {
		if !shortcut.MatchString(k) {
			return fmt.Errorf("the keys of %s are written as Ctrl+Shift+P, not %q", action, k)
		}
	}
	return nil
}
