package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"mutsumi/backend/jsontext"
)

// Spec is what New cannot infer from the type of the arguments.
type Spec struct {
	Name        string
	Aliases     []string          // other names under which a model may call it; not announced
	Description string            // Markdown
	Reads       bool              // changes nothing
	Arguments   map[string]string // other names of arguments, to the field's: {"path": "uri"}
}

// New makes a tool of a function. In is a struct: its exported fields are the arguments, `json`
// tags name them (omitempty: optional), `jsonschema` tags describe them. If In has a method
// `Check() error`, it refuses arguments that the types allow, with a message for the model; if it
// has `Action() string`, that describes a call in a few words ("reading a.go").
//
// New panics if In has no schema: that is a programming error.
func New[In any](spec Spec, fn func(ctx context.Context, env Env, in In) Result) Tool {
	return &typed[In]{spec: spec, fn: fn, arguments: argumentsOf[In](spec.Name)}
}

// arguments is the schema of a type of arguments.
type arguments struct {
	schema   *jsonschema.Schema
	raw      json.RawMessage
	resolved func() *jsonschema.Resolved // most tools that are offered are never called
}

// known caches the arguments by their types: tools are made for each request.
var known sync.Map

func argumentsOf[In any](tool string) *arguments {
	of := reflect.TypeFor[In]()
	if a, ok := known.Load(of); ok {
		return a.(*arguments)
	}
	schema, err := jsonschema.For[In](nil)
	var raw json.RawMessage
	if err == nil {
		raw, err = json.Marshal(schema)
	}
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", tool, err))
	}
	a, _ := known.LoadOrStore(of, &arguments{schema, raw, sync.OnceValue(func() *jsonschema.Resolved {
		r, err := schema.Resolve(nil)
		if err != nil {
			panic(fmt.Sprintf("tool %s: %v", tool, err))
		}
		return r
	})})
	return a.(*arguments)
}

// Previewed is New for a tool that can show its changes in advance (Call.Preview), and whether
// there are any (Call.Idle); either may be nil.
func Previewed[In any](spec Spec, fn func(ctx context.Context, env Env, in In) Result, preview func(ctx context.Context, env Env, in In) ([]Change, error), idle func(ctx context.Context, env Env, in In) (Result, bool)) Tool {
	t := New(spec, fn).(*typed[In])
	t.preview, t.idle = preview, idle
	return t
}

type typed[In any] struct {
	*arguments
	spec    Spec
	fn      func(context.Context, Env, In) Result
	preview func(context.Context, Env, In) ([]Change, error)
	idle    func(context.Context, Env, In) (Result, bool)
}

func (t *typed[In]) Name() string            { return t.spec.Name }
func (t *typed[In]) Aliases() []string       { return t.spec.Aliases }
func (t *typed[In]) Description() string     { return t.spec.Description }
func (t *typed[In]) Schema() json.RawMessage { return t.raw }
func (t *typed[In]) Reads() bool             { return t.spec.Reads }

func (t *typed[In]) Parse(args json.RawMessage) (Call, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(args, &fields); err != nil || fields == nil {
		return Call{}, fmt.Errorf("the arguments are not a JSON object. %s", t.usage())
	}
	t.rename(fields)
	if err := t.names(fields); err != nil {
		return Call{}, err
	}
	for name, value := range fields {
		fields[name] = lenient(t.schema.Properties[name], value)
	}
	clean, err := jsontext.Marshal(fields)
	if err != nil {
		return Call{}, err
	}
	var in In
	var generic map[string]any
	if err := json.Unmarshal(clean, &generic); err != nil {
		return Call{}, err
	}
	if err := t.resolved().Validate(generic); err != nil {
		return Call{}, fmt.Errorf("%s. %s", t.mistyped(fields, err), t.usage())
	}
	if err := json.Unmarshal(clean, &in); err != nil {
		return Call{}, fmt.Errorf("%w. %s", err, t.usage())
	}
	if c, ok := any(in).(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return Call{}, err
		}
	}
	action := strings.ReplaceAll(t.spec.Name, "_", " ")
	if a, ok := any(in).(interface{ Action() string }); ok {
		action = a.Action()
	}
	call := Call{Tool: t, Args: clean, Action: action, Do: func(ctx context.Context, env Env) Result {
		return t.fn(ctx, env, in)
	}}
	if t.preview != nil {
		call.Preview = func(ctx context.Context, env Env) ([]Change, error) { return t.preview(ctx, env, in) }
	}
	if t.idle != nil {
		call.Idle = func(ctx context.Context, env Env) (Result, bool) { return t.idle(ctx, env, in) }
	}
	return call, nil
}

// rename gives arguments their own names and drops nulls of optional ones: several models write
// null for omitted arguments.
func (t *typed[In]) rename(fields map[string]json.RawMessage) {
	for alias, name := range t.spec.Arguments {
		value, given := fields[alias]
		if !given || t.schema.Properties[alias] != nil {
			continue
		}
		delete(fields, alias)
		if _, has := fields[name]; !has {
			fields[name] = value
		}
	}
	for name, value := range fields {
		if string(value) == "null" && !slices.Contains(t.schema.Required, name) {
			delete(fields, name)
		}
	}
}

func (t *typed[In]) names(fields map[string]json.RawMessage) error {
	var unknown, missing []string
	for name := range fields {
		if t.schema.Properties[name] == nil {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	for _, name := range t.schema.Required {
		if _, ok := fields[name]; !ok {
			missing = append(missing, strconv.Quote(name))
		}
	}
	slices.Sort(unknown)
	switch {
	case len(unknown) > 0:
		return fmt.Errorf("unknown argument %s. %s", strings.Join(unknown, ", "), t.usage())
	case len(missing) > 0:
		return fmt.Errorf("argument %s is missing. %s", strings.Join(missing, ", "), t.usage())
	}
	return nil
}

// mistyped names the argument with the wrong type; errors deeper down are left to the validator.
func (t *typed[In]) mistyped(fields map[string]json.RawMessage, err error) string {
	for _, name := range t.schema.PropertyOrder {
		want, value := t.schema.Properties[name], fields[name]
		if value == nil || fits(want, value) {
			continue
		}
		shown := string(value)
		if len(shown) > 60 {
			shown = shown[:60] + "..."
		}
		return fmt.Sprintf("argument %q must be %s, not %s", name, kindOf(want), strings.ToValidUTF8(shown, ""))
	}
	text := err.Error()
	if i := strings.LastIndex(text, "validating /properties/"); i >= 0 {
		text = "in " + text[i+len("validating /properties/"):]
	}
	return text
}

// usage lists the arguments in one line.
func (t *typed[In]) usage() string {
	if len(t.schema.PropertyOrder) == 0 {
		return "It takes no arguments."
	}
	var parts []string
	for _, name := range t.schema.PropertyOrder {
		p := name + " (" + kindOf(t.schema.Properties[name])
		if !slices.Contains(t.schema.Required, name) {
			p += ", optional"
		}
		parts = append(parts, p+")")
	}
	return "The arguments are " + strings.Join(parts, ", ") + "."
}

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func kindOf(s *jsonschema.Schema) string {
	var names []string
	for _, n := range typesOf(s) {
		if n != "null" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return "any value"
	}
	return strings.Join(names, " or ")
}

func fits(s *jsonschema.Schema, value json.RawMessage) bool {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return false
	}
	for _, n := range typesOf(s) {
		switch x := v.(type) {
		case string:
			if n == "string" {
				return true
			}
		case bool:
			if n == "boolean" {
				return true
			}
		case float64:
			if n == "number" || n == "integer" && x == float64(int64(x)) {
				return true
			}
		case []any:
			if n == "array" {
				return true
			}
		case map[string]any:
			if n == "object" {
				return true
			}
		case nil:
			if n == "null" {
				return true
			}
		}
	}
	return len(typesOf(s)) == 0
}

// lenient turns a value of the wrong type into the right one where only one
// reading is possible: "10" for a number, "true" for a boolean, a number for
// a string, one string for a list of strings, JSON text for a list or object.
func lenient(want *jsonschema.Schema, value json.RawMessage) json.RawMessage {
	if want == nil || fits(want, value) {
		return value
	}
	var text string
	isText := json.Unmarshal(value, &text) == nil
	for _, n := range typesOf(want) {
		switch n {
		case "integer", "number", "boolean", "array", "object":
			candidate := json.RawMessage(strings.TrimSpace(text))
			if isText && json.Valid(candidate) && fits(want, candidate) {
				return candidate
			}
			if isText && n == "array" && want.Items != nil && reflect.DeepEqual(typesOf(want.Items), []string{"string"}) {
				return json.RawMessage("[" + string(value) + "]")
			}
		case "string":
			if len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
				quoted, _ := json.Marshal(string(value))
				return quoted
			}
		}
	}
	return value
}
