package offer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/tool"
)

// remote is a tool of a server, as a tool.Tool. Every call asks for approval: it never counts as
// reading only, whatever its server says.
type remote struct {
	*definition
	servers Caller
	image   Image
	ask     Ask
	held    string // why it cannot be called although requests hold its definition; "": it can
	stale   bool   // its server's definition now differs from the one in requests
}

func (r *remote) Name() string            { return r.name }
func (r *remote) Description() string     { return r.about }
func (r *remote) Schema() json.RawMessage { return r.schema }
func (r *remote) Reads() bool             { return false }

// Parse implements tool.Tool. The server checks the arguments.
func (r *remote) Parse(args json.RawMessage) (tool.Call, error) {
	if r.held != "" {
		return tool.Call{}, fmt.Errorf("it cannot be called: %s", r.held)
	}
	if r.stale {
		return tool.Call{}, fmt.Errorf("its server changed it since this conversation began, and nothing was called: find what it is now with %s, then call it with %s", Search, Call)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil || fields == nil {
		return tool.Call{}, errors.New("the arguments are not a JSON object")
	}
	return tool.Call{Tool: r, Args: args, Action: fmt.Sprintf("calling %s of %s", short(r.of.Name), short(r.server)), Do: func(ctx context.Context, env tool.Env) tool.Result {
		call := client.Call{Tool: r.of.Name, Args: args}
		if r.ask != nil {
			call.Asks = asks(r.server, env, r.ask)
		}
		if tell := env.Progress; tell != nil {
			call.Progress = func(p client.Progress) { tell(env.CallID, tool.Progress(p)) }
		}
		got, err := r.servers.CallOffered(ctx, mcp.Tool{Server: r.server, Tool: r.of}, call)
		switch {
		case ctx.Err() != nil:
			return tool.Error("stopped; the call may have taken effect")
		case fault.Is(err, fault.Denied):
			return tool.Error(fmt.Sprintf("%s was not called: %s. Go on without it and say so.", r.Name(), clip.Visible(err.Error())))
		case err != nil:
			return tool.Error(fmt.Sprintf("Could not call %s: %s. It may have taken effect: check before you call it again. If it fails again, go on without this server and say so.", r.Name(), clip.Visible(err.Error())))
		}
		return ResultOf(got, r.image)
	}}, nil
}
