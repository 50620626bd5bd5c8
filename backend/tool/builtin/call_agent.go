package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/tool"
)

const callAgentName = "call_agent"

// History names the conversation that an agent has when another one asks it.
type History string

const (
	HistoryOwn    History = "own"    // that of the asked agent
	HistoryCaller History = "caller" // that of the agent that asks
	HistoryNone   History = "none"
)

// Consult is a question from one agent to another.
type Consult struct {
	Agent    string // its name or uuid
	Question string
	History  History
}

type callAgentIn struct {
	Agent    string `json:"agent" jsonschema:"name or uuid of the agent to ask"`
	Question string `json:"question" jsonschema:"what to ask, with all that it needs to know"`
	History  string `json:"history,omitempty" jsonschema:"the conversation that it has: own (the default), caller (yours instead of its own) or none"`
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
	switch in.history() {
	case HistoryOwn, HistoryCaller, HistoryNone:
	default:
		return fmt.Errorf("history is %q: give own, caller or none", in.History)
	}
	return nil
}

func (in callAgentIn) history() History {
	return cmp.Or(History(strings.ToLower(strings.TrimSpace(in.History))), HistoryOwn)
}

// callAgent asks another agent through consult, which runs a conversation of
// its own and changes nothing.
func callAgent(consult func(context.Context, tool.Env, Consult) tool.Result) tool.Tool {
	return tool.New(tool.Spec{
		Name: callAgentName, Description: describe(callAgentName), Reads: true,
		Arguments: map[string]string{"name": "agent", "uuid": "agent", "message": "question", "prompt": "question"},
	}, func(ctx context.Context, env tool.Env, in callAgentIn) tool.Result {
		return consult(ctx, env, Consult{Agent: strings.TrimSpace(in.Agent), Question: strings.TrimSpace(in.Question), History: in.history()})
	})
}
