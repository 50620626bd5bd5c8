package settings

import (
	"maps"
	"reflect"
	"slices"
)

// together are the preferences that mean nothing without each other.
var together = [][]string{{"DefaultProvider", "DefaultModel"}, {"TitleProvider", "TitleModel"}}

// changed returns p with what differs between from and to; of the keys, those of each action count
// on their own.
func changed(p, from, to Preferences) Preferences {
	into, before, after := reflect.ValueOf(&p).Elem(), reflect.ValueOf(from), reflect.ValueOf(to)
	differs := func(name string) bool {
		return !reflect.DeepEqual(before.FieldByName(name).Interface(), after.FieldByName(name).Interface())
	}
	keys := changedKeys(p.Keys, from.Keys, to.Keys)
	for i := range into.NumField() {
		name := into.Type().Field(i).Name
		group := []string{name}
		if at := slices.IndexFunc(together, func(names []string) bool { return slices.Contains(names, name) }); at >= 0 {
			group = together[at]
		}
		if slices.ContainsFunc(group, differs) {
			into.Field(i).Set(after.Field(i))
		}
	}
	p.Keys = keys
	return p
}

// changedKeys returns the keys of actions with what differs between from and to.
func changedKeys(keys, from, to map[string][]string) map[string][]string {
	keys = maps.Clone(keys)
	for action := range from {
		if _, ok := to[action]; !ok {
			delete(keys, action)
		}
	}
	for action, chosen := range to {
		if before, ok := from[action]; !ok || !slices.Equal(before, chosen) {
			keys[action] = chosen
		}
	}
	return keys
}
