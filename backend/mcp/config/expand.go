package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Lookup resolves references. Either function may be nil: then there is nothing to find.
type Lookup struct {
	Env     func(name string) (string, bool)
	Keyring func(name string) (string, error)
}

// Expand replaces the references in a server: `${NAME}`, `${env:NAME}` and
// `${NAME:-DEFAULT}` by variables of the environment, `${keyring:NAME}` by an entry of the
// system's keyring (SPEC 13.1). The error names what is missing and never a value.
func (s Server) Expand(look Lookup) (Server, error) {
	x := expander{look: look}
	s.Command, s.URL = x.text(s.Command), x.text(s.URL)
	s.Args = slices.Clone(s.Args)
	for i, a := range s.Args {
		s.Args[i] = x.text(a)
	}
	s.Env, s.Headers = x.pairs(s.Env), x.pairs(s.Headers)
	s.OAuth.ClientID, s.OAuth.ClientSecret = x.text(s.OAuth.ClientID), x.text(s.OAuth.ClientSecret)
	switch {
	case x.err != nil:
		return Server{}, x.err
	case s.URL != "" && !isAddress(s.URL):
		return Server{}, fmt.Errorf("its `url` is not an address that begins with https:// or http:// once its references are filled in")
	case slices.ContainsFunc(slices.Collect(maps.Values(s.Headers)), func(v string) bool { return strings.ContainsAny(v, "\r\n\x00") }):
		return Server{}, fmt.Errorf("a header has a line break once its references are filled in")
	}
	return s, nil
}

type expander struct {
	look Lookup
	err  error // the first one
}

func (x *expander) pairs(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out[name] = x.text(m[name])
	}
	return out
}

func (x *expander) text(s string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(before)
		out.WriteString(x.value(name))
		s = after
	}
}

func (x *expander) value(reference string) string {
	if name, ok := strings.CutPrefix(reference, "keyring:"); ok {
		if x.look.Keyring == nil {
			x.fail("the keyring has no entry %q: add it with `mutsumi mcp key %s`", name, name)
			return ""
		}
		value, err := x.look.Keyring(name)
		if err != nil {
			x.fail("the keyring gives no entry %q (%v): add it with `mutsumi mcp key %s`", name, err, name)
		}
		return value
	}
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(reference, "env:"), ":-")
	if x.look.Env != nil {
		if value, ok := x.look.Env(name); ok && (value != "" || !hasFallback) {
			return value
		}
	}
	if !hasFallback {
		x.fail("the environment variable %q is not set: set it before Mutsumi starts, or write ${%s:-DEFAULT}", name, name)
	}
	return fallback
}

func (x *expander) fail(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
}
