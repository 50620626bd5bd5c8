package workspace

import (
	"context"
	"encoding/json"

	"mutsumi/backend/approval"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// asker asks the person on behalf of one notebook's agent: the question waits
// in the inbox beside the calls of all agents, until it is answered, the run is
// stopped or the program ends. The answer stands in the tool's result; a
// question without one is a call that was interrupted, like any other.
func (w *Workspace) asker(j job) func(context.Context, tool.Env, builtin.Question) (builtin.Answer, error) {
	return func(ctx context.Context, env tool.Env, q builtin.Question) (builtin.Answer, error) {
		args, err := json.Marshal(map[string]any{"question": q.Text, "choices": append([]string{}, q.Choices...), "several": q.Several})
		if err != nil {
			return builtin.Answer{}, err
		}
		request := approval.NewRequest(approval.Call{
			Tool: builtin.AskUser, Arguments: string(args), Notebook: j.meta.UUID, Workspace: w.folder,
		}, approval.About{
			Action: "asking you", Waits: func() { w.releaseSlot(j.path()) }, Path: j.path(), Agent: j.meta.Name, Cell: j.cell, CallID: env.CallID,
			Question: &approval.Question{Text: q.Text, Choices: append([]string{}, q.Choices...), Several: q.Several},
		})
		d, err := w.inbox.Ask(ctx, request)
		return builtin.Answer{Text: d.Answer, Declined: !d.Allow, Reason: d.Reason}, err
	}
}
