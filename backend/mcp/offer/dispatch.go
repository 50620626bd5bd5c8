package offer

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/lenientjson"
	"mutsumi/backend/tool"
)

//go:embed call_tool.md
var aboutCall string

// dispatcher calls tools whose definitions no request holds. Its own definition never changes, so
// that requests keep their beginning. It is a tool.Dispatcher: approval, pin and execution apply to
// the tool that a call names.
type dispatcher struct{ of *Offer }

func (of *Offer) callTool() tool.Tool { return dispatcher{of} }

func (dispatcher) Name() string        { return Call }
func (dispatcher) Description() string { return strings.TrimSpace(aboutCall) }
func (dispatcher) Reads() bool         { return false }
func (dispatcher) Dispatches()         {}
func (dispatcher) Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":"of the tool, as search_tools gave it"},"revision":{"type":"string","description":"of its definition, as search_tools gave it"},"arguments":{"type":"object","description":"of the tool"}},"required":["name","revision","arguments"]}`)
}

// dispatched are the arguments of call_tool.
type dispatched struct {
	Name      string          `json:"name"`
	Revision  string          `json:"revision"`
	Arguments json.RawMessage `json:"arguments"`
}

// Parse implements tool.Tool.
func (d dispatcher) Parse(args json.RawMessage) (tool.Call, error) {
	in, err := readCall(args)
	if err != nil {
		return tool.Call{}, err
	}
	for _, r := range d.of.deferred() {
		if r.name != in.Name {
			continue
		}
		if in.Revision != r.revision {
			return tool.Call{}, fmt.Errorf("%s is not of the revision %s, and nothing was called. It is now:\n%s", r.name, short(in.Revision), r.described())
		}
		if wrong := check(r.schema, in.Arguments); wrong != "" {
			return tool.Call{}, fmt.Errorf("nothing was called: %s. The arguments of %s are %s", wrong, r.name, r.schema)
		}
		return r.Parse(in.Arguments)
	}
	if r := d.of.direct[in.Name]; r != nil {
		return r.Parse(in.Arguments)
	}
	return tool.Call{}, errors.New(d.of.why(in.Name))
}

// readCall reads the arguments of call_tool. The tool's own arguments may be JSON inside a string:
// there is only one way to read that.
func readCall(args json.RawMessage) (in dispatched, err error) {
	if json.Unmarshal(args, &in) != nil || in.Name == "" {
		return in, errors.New(`the arguments are name, revision and arguments, as in {"name":"server__tool","revision":"0123456789abcdef","arguments":{}}; nothing was called`)
	}
	in.Name = tool.Bare(in.Name)
	var text string
	if json.Unmarshal(in.Arguments, &text) == nil && strings.TrimSpace(text) != "" {
		in.Arguments = json.RawMessage(text)
	}
	if len(in.Arguments) == 0 || string(in.Arguments) == "null" {
		in.Arguments = json.RawMessage("{}")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(in.Arguments, &fields) != nil || fields == nil {
		return in, errors.New("arguments is not an object of JSON, and nothing was called")
	}
	return in, nil
}

// why says why a tool cannot be called.
func (of *Offer) why(name string) string {
	for _, f := range of.of.known(of.want) {
		if f.name == name && f.withheld() != "" {
			return fmt.Sprintf("%s cannot be called: %s", f.name, f.withheld())
		}
	}
	return fmt.Sprintf("there is no tool %q to call now; nothing was called.%s Find tools with %s", clip.VisibleLine(name, 80), of.states(), Search)
}

// NameIn returns the name of the tool that a call of call_tool calls; "": it is another call, or
// names no tool.
func NameIn(c chat.ToolCall) string {
	if tool.Bare(c.Function.Name) != Call {
		return ""
	}
	raw := json.RawMessage(c.Function.Arguments)
	if !json.Valid(raw) {
		mended, ok := lenientjson.Object(c.Function.Arguments)
		if !ok {
			return ""
		}
		raw = mended
	}
	in, err := readCall(raw)
	if err != nil {
		return ""
	}
	return in.Name
}
