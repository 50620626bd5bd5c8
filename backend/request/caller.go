package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Caller runs the tool calls that are written in prompts and files.
type Caller struct {
	Tools    *tool.Registry
	approver agent.Approver // of calls that change something; nil: none is allowed
	scratch  string
}

func (c Caller) has(name string) bool {
	_, ok := c.Tools.Get(name)
	return ok
}

// Reads reports whether there is a tool of that name, and whether it only reads.
func (c Caller) Reads(name string) (reads, known bool) {
	t, ok := c.Tools.Get(name)
	if _, lacks := c.Tools.Lacks(name); !ok && lacks || ok && builtin.Talks(t.Name()) {
		return true, true // Call returns the reason why it cannot run
	}
	return ok && t.Reads(), ok
}

// Call runs a tool and returns its result. A result that is a failure becomes an
// error.
func (c Caller) Call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	if t, ok := c.Tools.Get(name); ok && builtin.Talks(t.Name()) {
		return "", errors.New("an agent calls it while it works: it cannot stand in a text")
	}
	return c.run(ctx, name, args)
}

// approved asks about a call in a text, through the same policy and inbox
// as any other. It returns the call with the arguments that the person left or
// changed. The error says why the call must not run.
func approved(ctx context.Context, by agent.Approver, tools *tool.Registry, call tool.Call) (tool.Call, agent.Decision, error) {
	name := call.Tool.Name()
	if by == nil {
		return call, agent.Decision{}, errors.New("it changes something, and in this run only tools that read may be used")
	}
	made := chat.ToolCall{ID: "prompt-" + uuid.NewString()}
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

// run runs a tool call after asking about it if it changes something.
func (c Caller) run(ctx context.Context, name string, args json.RawMessage) (string, error) {
	call, err := c.Tools.Prepare(name, string(args))
	if err != nil {
		return "", err
	}
	var d agent.Decision
	if !call.Tool.Reads() {
		if call, d, err = approved(ctx, c.approver, c.Tools, call); err != nil {
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
