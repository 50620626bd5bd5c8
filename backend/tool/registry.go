package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"mutsumi/backend/lenientjson"
)

// Registry is an ordered set of tools. It is built once and then only read;
// a nil Registry has no tools.
type Registry struct {
	tools   []Tool
	byName  map[string]Tool
	aliases map[string]string
	without map[string]string // why a tool that there is elsewhere is not here, by name
	find    func(name string) (Tool, bool)
}

// NewRegistry makes a registry of tools in the given order. It panics on two tools with one name, a
// programming error.
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

// Finding returns a copy that holds tools which All does not list, as no request holds their
// definitions: find returns one by its name.
func (r *Registry) Finding(find func(name string) (Tool, bool)) *Registry {
	more := *r
	more.find = find
	return &more
}

// Without returns a copy that explains too, for each given tool, why it is
// unavailable: a model that knows it from elsewhere, or from an earlier answer,
// tries it.
func (r *Registry) Without(why string, tools ...Tool) *Registry {
	said := *r
	said.without = map[string]string{}
	maps.Copy(said.without, r.without)
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

// Lacks reports whether the registry knows why it does not hold a tool, and returns the reason.
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

// Get finds a tool by its name or an alias, with or without a namespace.
func (r *Registry) Get(name string) (Tool, bool) {
	if r == nil {
		return nil, false
	}
	for _, name := range []string{name, Bare(name)} {
		if t, ok := r.byName[name]; ok {
			return t, true
		}
		if t, ok := r.byName[r.aliases[name]]; ok {
			return t, true
		}
	}
	if r.find != nil {
		return r.find(Bare(name))
	}
	return nil, false
}

// Name returns the name under which a call of a tool is kept: as the model wrote
// it, without a namespace if a tool is found so.
func (r *Registry) Name(name string) string {
	if bare := Bare(name); bare != name {
		if _, ok := r.Get(bare); ok {
			return bare
		}
	}
	return name
}

// namespaces are prefixes that models put before the names of tools.
var namespaces = []string{"functions", "function", "tools", "tool", "default_api"}

// Bare is a name without the namespace that some models put before it:
// read_file for functions.read_file.
func Bare(name string) string {
	for _, space := range namespaces {
		if rest, ok := strings.CutPrefix(name, space); ok {
			if bare := strings.TrimLeft(rest, ".:/"); bare != rest && bare != "" {
				return bare
			}
		}
	}
	return name
}

// Prepare finds the tool and checks the arguments, which are as a model or a
// person wrote them. Broken JSON is repaired for tools that only read; a tool
// that changes something never runs on a guess. The error is for the model.
func (r *Registry) Prepare(name, arguments string) (Call, error) {
	t, ok := r.Get(name)
	if why, lacks := r.Lacks(name); !ok && lacks {
		return Call{}, fmt.Errorf("%s cannot be called: %s; %s", name, why, r.known())
	}
	if !ok {
		return Call{}, fmt.Errorf("there is no tool named %s; %s%s", shown(name), r.meant(name), r.known())
	}
	raw := json.RawMessage(strings.TrimSpace(arguments))
	if !isObject(raw) {
		switch mended, ok := lenientjson.Object(arguments); {
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
	if _, other := t.(Dispatcher); !other {
		call.Tool = t
	}
	return call, nil
}

// shown is a name that may be anything, for a message.
func shown(name string) string {
	const most = 80
	if len(name) > most {
		return fmt.Sprintf("%q...", strings.ToValidUTF8(name[:most], ""))
	}
	return fmt.Sprintf("%q", name)
}

// meant returns the tool that an unknown name may mean: one that is spelled differently ("read
// file"), or to which something was added ("ls<|channel|>commentary").
func (r *Registry) meant(name string) string {
	if r == nil {
		return ""
	}
	var best string
	for _, t := range r.tools {
		if known := letters(t.Name()); strings.HasPrefix(letters(Bare(name)), known) && len(t.Name()) > len(best) {
			best = t.Name()
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "? Write the name exactly so; "
}

func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
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
