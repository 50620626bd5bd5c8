package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/tool"
)

const callAgentName = "call_agent"

// Consult is a question of one agent to another.
type Consult struct {
	Agent    string // its name or uuid
	Question string
	Fresh    bool // without its conversation
}

type callAgentIn struct {
	Agent    string `json:"agent" jsonschema:"name or uuid of the agent to ask"`
	Question string `json:"question" jsonschema:"what to ask, with all that it needs to know"`
	Fresh    bool   `json:"fresh,omitempty" jsonschema:"ask it without its conversation"`
}

func (in callAgentIn) Action() string {
	return "asking " + base(strings.Join(strings.Fields(in.Agent), " "))
}

func (in callAgentIn) Check() error {
	switch {
	case strings.TrimSpace(in.Agent) == "":
		return errors.New("no agent is named: give its name or uuid")
	case strings.TrimSpace(in.Question) == "":
		return errors.New("the question is empty: say what you need to know")
	case len(in.Question) > 4*maxQuestion:
		return fmt.Errorf("the question is longer than %d KB: name files instead of quoting them", 4*maxQuestion>>10)
	}
	return nil
}

// callAgent asks another agent through consult, which runs a conversation of
// its own and changes nothing.
func callAgent(consult func(context.Context, tool.Env, Consult) tool.Result) tool.Tool {
	return tool.New(tool.Spec{
		Name: callAgentName, Description: describe(callAgentName), Reads: true,
		Arguments: map[string]string{"name": "agent", "uuid": "agent", "message": "question", "prompt": "question"},
	}, func(ctx context.Context, env tool.Env, in callAgentIn) tool.Result {
		return consult(ctx, env, Consult{Agent: strings.TrimSpace(in.Agent), Question: strings.TrimSpace(in.Question), Fresh: in.Fresh})
	})
}
