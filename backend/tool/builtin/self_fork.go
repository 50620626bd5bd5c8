package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/tool"
)

// Fork starts other agents for this one and waits for them.
type Fork struct {
	// Kinds are the possible kinds of children, the default one first.
	Kinds []ChildKind

	// Sound refuses children in words for the model: a folder, a model or a
	// kind that they cannot have. It looks and does nothing.
	Sound func(children []Child) error

	// Start starts the children and returns when all of them have ended, or
	// soon after ctx ends; then they continue by themselves.
	Start func(ctx context.Context, env tool.Env, children []Child) tool.Result
}

// ChildKind is a kind of agents that may be started.
type ChildKind struct {
	Name  string
	About string // one line
}

// Child is an agent to be started.
type Child struct {
	Name     string   `json:"name,omitempty" jsonschema:"a short name that says what it does"`
	Prompt   string   `json:"prompt" jsonschema:"its whole task: it sees nothing of this conversation"`
	Allowed  []string `json:"allowed_uris,omitempty" jsonschema:"folders and files that it may touch; left out: the same as you"`
	Model    string   `json:"model,omitempty" jsonschema:"provider/model or model, see get_available_models; left out: the same as yours"`
	Kind     string   `json:"kind,omitempty" jsonschema:"the kind of agent; left out: the first of those that you may start"`
	Worktree bool     `json:"worktree,omitempty" jsonschema:"true: it works in a copy of the repository, which the person merges later"`
}

// MaxChildren is how many agents one call of self_fork can start.
const MaxChildren = 20

// Other limits of one call.
const (
	maxPrompt = 100_000 // bytes
	maxName   = 80      // characters
)

const selfForkName = "self_fork"

type selfForkIn struct {
	Children []Child `json:"children" jsonschema:"1 to 20 agents to start; all of them run beside each other"`
}

func (in selfForkIn) Action() string {
	if len(in.Children) == 1 {
		return "starting " + in.Children[0].called(0)
	}
	return fmt.Sprintf("starting %d agents", len(in.Children))
}

func (in selfForkIn) Check() error {
	switch n := len(in.Children); {
	case n == 0:
		return errors.New("children is empty: give at least one child with a prompt")
	case n > MaxChildren:
		return fmt.Errorf("%d children are too many: %d can be started in one call. Start the others when these are done", n, MaxChildren)
	}
	for i, c := range in.Children {
		switch {
		case strings.TrimSpace(c.Prompt) == "":
			return fmt.Errorf("child %d (%s) has no prompt: write its whole task, it sees nothing of this conversation", i+1, c.called(i))
		case len(c.Prompt) > maxPrompt:
			return fmt.Errorf("the prompt of child %d (%s) is %d bytes long, at most %d: put material into a file and name it", i+1, c.called(i), len(c.Prompt), maxPrompt)
		case len([]rune(c.Name)) > maxName:
			return fmt.Errorf("the name of child %d has %d characters, at most %d", i+1, len([]rune(c.Name)), maxName)
		}
	}
	return nil
}

// called is the display name of a child: its name on one line, or its number.
func (c Child) called(i int) string {
	if name := strings.Join(strings.Fields(c.Name), " "); name != "" {
		return name
	}
	return fmt.Sprintf("Child %d", i+1)
}

// childNames are the names that models give to a child's arguments.
var childNames = map[string]string{"task": "prompt", "instructions": "prompt", "message": "prompt", "allowed": "allowed_uris", "uris": "allowed_uris", "title": "name", "agent_type": "kind"}

// selfFork starts children and returns their reports (SPEC 9).
func selfFork(o Options) tool.Tool {
	return forking{o.Fork, tool.New(tool.Spec{
		Name: selfForkName, Description: describe(selfForkName) + o.Fork.kinds(), Arguments: map[string]string{"agents": "children", "tasks": "children"},
	}, func(ctx context.Context, env tool.Env, in selfForkIn) tool.Result {
		for i := range in.Children {
			in.Children[i].Name = in.Children[i].called(i)
		}
		return o.Fork.Start(ctx, env, in.Children)
	})}
}

// shownKinds is how many kinds the description lists.
const shownKinds = 30

// kinds lists for the model the kinds of agents that it may start.
func (f *Fork) kinds() string {
	if len(f.Kinds) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\nKinds that you may start, the first if you name none:\n")
	for _, k := range f.Kinds[:min(len(f.Kinds), shownKinds)] {
		fmt.Fprintf(&b, "\n- %s", k.Name)
		if k.About != "" {
			b.WriteString(": " + k.About)
		}
	}
	return b.String()
}

// forking is self_fork with its arguments checked against what this agent may give, so that
// mistakes are reported before anybody is asked.
type forking struct {
	fork *Fork
	tool.Tool
}

// Aliases returns the aliases of the wrapped tool.
func (forking) Aliases() []string { return []string{"fork"} }

// Parse implements tool.Tool.
func (f forking) Parse(args json.RawMessage) (tool.Call, error) {
	call, err := f.Tool.Parse(renameInChildren(args))
	if err != nil {
		return call, err
	}
	var in selfForkIn
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return tool.Call{}, err
	}
	if f.fork.Sound != nil {
		if err := f.fork.Sound(in.Children); err != nil {
			return tool.Call{}, err
		}
	}
	return call, nil
}

// renameInChildren does for each child what New does for arguments: it replaces alternative names
// and drops nulls. A single child may come without a list. Arguments that need no change stay as
// they are.
func renameInChildren(args json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return args
	}
	changed := false
	for key, raw := range fields {
		var one map[string]json.RawMessage
		var children []map[string]json.RawMessage
		touched := json.Unmarshal(raw, &one) == nil && one != nil
		if touched {
			children = append(children, one)
		} else if json.Unmarshal(raw, &children) != nil {
			continue
		}
		for _, c := range children {
			for name, value := range c {
				if string(value) == "null" {
					delete(c, name)
					touched = true
				} else if right := childNames[name]; right != "" && c[right] == nil {
					c[right] = value
					delete(c, name)
					touched = true
				}
			}
		}
		if cleaned, err := json.Marshal(children); touched && err == nil {
			fields[key], changed = cleaned, true
		}
	}
	if cleaned, err := json.Marshal(fields); changed && err == nil {
		return cleaned
	}
	return args
}
