package macro

import "maps"

// Table holds macros by name. The zero value is not usable: make one with New.
// It is not safe for concurrent use; a build has its own.
type Table struct {
	values map[string]string
}

// New returns a table with a copy of values. Names are taken as they are, so
// that a notebook's own macros survive even if no directive could name them.
func New(values map[string]string) *Table {
	t := &Table{values: make(map[string]string, len(values))}
	maps.Copy(t.values, values)
	return t
}

// Define sets a macro; an older value is replaced.
func (t *Table) Define(name, value string) { t.values[name] = value }

// Lookup returns the value of a macro and whether it is defined.
func (t *Table) Lookup(name string) (string, bool) {
	v, ok := t.values[name]
	return v, ok
}

// Len is the number of macros.
func (t *Table) Len() int { return len(t.values) }

// Map returns a copy, as it is kept in a notebook's `macroContext`.
func (t *Table) Map() map[string]string { return maps.Clone(t.values) }

// IsName reports whether s can be the name of a macro in a directive:
// [A-Za-z_][A-Za-z0-9_]* (SPEC 2.1).
func IsName(s string) bool { return s != "" && nameLen(s) == len(s) }

// nameLen is the length of the name at the start of s, 0 if there is none.
func nameLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
