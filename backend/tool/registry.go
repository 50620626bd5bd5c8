package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Registry is an ordered set of tools. It is built once and then only read;
// a nil Registry has no tools.
type Registry struct {
	tools   []Tool
	byName  map[string]Tool
	aliases map[string]string
	without map[string]string // why a tool that there is elsewhere is not here, by name
}

// NewRegistry makes a registry of tools in the order given. Two tools of one
// name are a mistake in the program: it panics.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{byName: map[string]Tool{}, aliases: map[string]string{}}
	for _, t := range tools {
		if r.byName[t.Name()] != nil {
			panic("tool: two tools are named " + t.Name())
		}
		r.byName[t.Name()] = t
		r.tools = append(r.tools, t)
		if a, ok := t.(interface{ Aliases() []string }); ok {
			for _, alias := range a.Aliases() {
				r.aliases[alias] = t.Name()
			}
		}
	}
	return r
}

// Without gives the same registry, which says of tools that it does not hold
// why they are not there: a model that knows them from elsewhere, or from an
// earlier answer, tries them.
func (r *Registry) Without(why string, tools ...Tool) *Registry {
	said := *r
	said.without = map[string]string{}
	for _, t := range tools {
		said.without[t.Name()] = why
		if a, ok := t.(interface{ Aliases() []string }); ok {
			for _, alias := range a.Aliases() {
				said.without[alias] = why
			}
		}
	}
	return &said
}

// Lacks reports whether the registry was told why it does not hold a tool, and
// gives the reason.
func (r *Registry) Lacks(name string) (why string, lacks bool) {
	if r == nil {
		return "", false
	}
	why, lacks = r.without[name]
	return why, lacks
}

// All lists the tools in order. The slice is the caller's.
func (r *Registry) All() []Tool {
	if r == nil {
		return nil
	}
	return slices.Clone(r.tools)
}

// Get finds a tool by its name or an alias of it.
func (r *Registry) Get(name string) (Tool, bool) {
	if r == nil {
		return nil, false
	}
	t, ok := r.byName[name]
	if !ok {
		t, ok = r.byName[r.aliases[name]]
	}
	return t, ok
}

// Prepare finds the tool and checks the arguments, which are as a model or a
// person wrote them. Broken JSON is mended for tools that only read; a tool
// that changes something never runs on a guess. The error is for the model.
func (r *Registry) Prepare(name, arguments string) (Call, error) {
	t, ok := r.Get(name)
	if why, lacks := r.Lacks(name); !ok && lacks {
		return Call{}, fmt.Errorf("%s cannot be called: %s; %s", name, why, r.known())
	}
	if !ok {
		return Call{}, fmt.Errorf("there is no tool named %q; %s", name, r.known())
	}
	raw := json.RawMessage(strings.TrimSpace(arguments))
	if !isObject(raw) {
		switch mended, ok := Repair(arguments); {
		case len(raw) == 0:
			raw = json.RawMessage("{}")
		case ok && t.Reads():
			raw = mended
		default:
			return Call{}, fmt.Errorf("the arguments of %s are not a JSON object (%s); nothing was done. Call it again with valid JSON", t.Name(), jsonProblem(raw))
		}
	}
	call, err := t.Parse(raw)
	if err != nil {
		return Call{}, fmt.Errorf("%s: %w", t.Name(), err)
	}
	call.Tool = t
	return call, nil
}

func (r *Registry) known() string {
	if r == nil || len(r.tools) == 0 {
		return "no tools can be called here"
	}
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name()
	}
	return "the tools are " + strings.Join(names, ", ")
}

func isObject(raw json.RawMessage) bool {
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}

func jsonProblem(raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		if s, ok := err.(*json.SyntaxError); ok {
			return fmt.Sprintf("%s, at byte %d", s, s.Offset)
		}
		return err.Error()
	}
	return "another JSON value"
}
