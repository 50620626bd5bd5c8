package runner

import (
	"context"
	"encoding/json"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/files"
	"mutsumi/backend/request"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// agents provides the tools of agents that need other agents or the person. It is
// the request.Agents of a Runner.
type agents struct{ runner *Runner }

// Fork implements request.Agents.
func (a agents) Fork(s request.Spec) *builtin.Fork { return a.runner.forks.forkFor(s) }

// Consult implements request.Agents.
func (a agents) Consult(s request.Spec) func(context.Context, tool.Env, builtin.Consult) tool.Result {
	return a.runner.consults.ask(s)
}

// Compact implements request.Agents.
func (a agents) Compact(s request.Spec) func(context.Context, string) (string, error) {
	if s.Live == nil || a.runner.with.Compactor == nil {
		return nil
	}
	return func(ctx context.Context, note string) (string, error) {
		return a.runner.with.Compactor.CompactFor(ctx, s.Path(), s.Cell, note)
	}
}

// Approver implements request.Agents.
func (a agents) Approver(s request.Spec, roots *files.Roots, scratch string, tools *tool.Registry) agent.Approver {
	switch a.runner.with.Tools {
	case request.AskTools:
		return approver{
			runner: a.runner, coedits: a.runner.with.Coedits, at: docOf(s.Live), cell: s.Cell, meta: s.Agent, roots: roots, scratch: scratch,
			tools: tools,
		}
	case request.EveryTool:
		return everything{}
	}
	return nil
}

// Ask implements request.Agents: the question waits in the inbox until it is
// answered, the run is stopped or the program ends. The answer becomes the tool's
// result; a question without one is an interrupted call like any other.
func (a agents) Ask(s request.Spec) func(context.Context, tool.Env, builtin.Question) (builtin.Answer, error) {
	return func(ctx context.Context, env tool.Env, q builtin.Question) (builtin.Answer, error) {
		args, err := json.Marshal(map[string]any{"question": q.Text, "choices": append([]string{}, q.Choices...), "several": q.Several})
		if err != nil {
			return builtin.Answer{}, err
		}
		request := approval.NewRequest(approval.Call{
			Tool: builtin.AskUser, Arguments: string(args), Notebook: s.Agent.UUID, Workspace: a.runner.with.Folder,
		}, approval.About{
			Action: "asking you", OnWait: func() { a.runner.releaseSlot(s.Path()) }, Path: s.Path(), Agent: s.Agent.Name, Cell: s.Cell, CallID: env.CallID,
			Question: &approval.Question{Text: q.Text, Choices: append([]string{}, q.Choices...), Several: q.Several},
		})
		d, err := a.runner.with.Approvals.Inbox().Ask(ctx, request)
		return builtin.Answer{Text: d.Answer, Declined: !d.Allow, Reason: d.Reason}, err
	}
}
