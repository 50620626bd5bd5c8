package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

// approverFor is who decides about the calls of an agent that change something;
// nil: nobody can be asked, and only calls that read are run.
func (w *Workspace) approverFor(j job, roots *files.Roots, scratch string, tools *tool.Registry) agent.Approver {
	switch w.tools {
	case AskTools:
		return approver{w: w, at: j.doc, cell: j.cell, meta: j.meta, roots: roots, scratch: scratch, tools: tools}
	case EveryTool:
		return everything{}
	}
	return nil
}

// approved asks about a call that the person typed in a prompt, through the
// same policy and the same inbox as any other. The error says why it is not run.
func approved(ctx context.Context, by agent.Approver, tools *tool.Registry, call tool.Call) (tool.Call, agent.Decision, error) {
	name := call.Tool.Name()
	if by == nil {
		return call, agent.Decision{}, errors.New("it changes something, and in this run only tools that read may be used")
	}
	made := chat.ToolCall{ID: "prompt-" + newID()}
	made.Function.Name, made.Function.Arguments = name, string(call.Args)
	d, err := by.Approve(ctx, agent.Ask{CallID: made.ID, Made: made, Call: call, Why: "It stands in the prompt."})
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = fmt.Errorf("nobody decided about it: %w", err)
	case d.Result != nil:
	case !d.Allow && d.Reason != "":
		err = fmt.Errorf("the person rejected it: %s", d.Reason)
	case !d.Allow:
		err = errors.New("the person rejected it")
	case d.Arguments != "":
		call, err = tools.Prepare(name, d.Arguments)
	}
	return call, d, err
}

// callIn runs a tool call that stands in a text.
func (c caller) callIn(ctx context.Context, name string, args json.RawMessage) (string, error) {
	call, err := c.tools.Prepare(name, string(args))
	if err != nil {
		return "", err
	}
	var d agent.Decision
	if !call.Tool.Reads() {
		if call, d, err = approved(ctx, c.approver, c.tools, call); err != nil {
			return "", err
		}
	}
	var res tool.Result
	if d.Result != nil {
		res = *d.Result
	} else {
		res = tool.Run(ctx, tool.Env{Scratch: c.scratch, Afresh: d.Approved != nil, Approved: d.Approved}, call)
	}
	if res.IsError {
		return "", errors.New(res.Content)
	}
	return res.Content, nil
}
