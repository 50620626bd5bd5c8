package offer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/toolname"
	"mutsumi/backend/tool"
)

// Caller is what calls the tools of servers; mcp.Servers is it.
type Caller interface {
	Known() []mcp.Tool
	CallOffered(ctx context.Context, t mcp.Tool, call client.Call) (client.Result, error)
}

// maxDescription is how much of what a server says of a tool a model reads, in bytes.
const maxDescription = 4 << 10

// Tools returns the tools of the servers that were started, by server and name. Each of them
// asks for approval: none is taken for one that only reads, whatever its server says. ask
// puts a server's question to the person; nil: nobody is there, and it is declined. Blocked
// are those that were allowed and cannot be called now.
func Tools(servers Caller, image Image, ask Ask) (all []tool.Tool, blocked []Blocked) {
	for _, t := range servers.Known() {
		if t.Problem != "" {
			continue
		}
		r := &remote{of: t, servers: servers, image: image, ask: ask, schema: schemaOf(t.Schema)}
		if t.Blocked != "" {
			blocked = append(blocked, Blocked{r, clip.Visible(t.Blocked)})
		} else {
			all = append(all, r)
		}
	}
	return all, blocked
}

// Blocked is a tool that is not offered, and why.
type Blocked struct {
	tool.Tool
	Why string
}

// remote is a tool of a server. It is a tool.Tool.
type remote struct {
	of      mcp.Tool
	servers Caller
	image   Image
	ask     Ask
	schema  json.RawMessage
}

func (r *remote) Name() string            { return toolname.Of(r.of.Server, r.of.Name) }
func (r *remote) Schema() json.RawMessage { return r.schema }
func (r *remote) Reads() bool             { return false }

func (r *remote) Description() string {
	about := fmt.Sprintf("The tool %s of the MCP server %s.", short(r.of.Name), short(r.of.Server))
	if text := clip.Visible(r.of.Description); text != "" {
		about += " The server says of it:\n\n" + clip.Text(text, maxDescription)
	}
	return about
}

// schemaOf makes a server's schema one that all providers take, with nothing hidden in it.
func schemaOf(raw json.RawMessage) json.RawMessage {
	var schema map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&schema) != nil || schema == nil {
		schema = map[string]any{}
	}
	delete(schema, "$schema")
	schema["type"] = "object"
	if _, is := schema["properties"].(map[string]any); !is {
		schema["properties"] = map[string]any{}
	}
	out, err := jsontext.Marshal(shown(schema))
	if err != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out
}

// shown makes the texts of a schema visible. Names of properties stay: they are sent back.
func shown(v any) any {
	switch v := v.(type) {
	case string:
		return clip.Visible(v)
	case []any:
		for i := range v {
			v[i] = shown(v[i])
		}
	case map[string]any:
		for k := range v {
			if k != "enum" && k != "const" && k != "default" { // values that are sent back
				v[k] = shown(v[k])
			}
		}
	}
	return v
}

// Parse implements tool.Tool. Whether the arguments are right is for the server to say.
func (r *remote) Parse(args json.RawMessage) (tool.Call, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil || fields == nil {
		return tool.Call{}, errors.New("the arguments are not a JSON object")
	}
	return tool.Call{Tool: r, Args: args, Action: fmt.Sprintf("calling %s of %s", short(r.of.Name), short(r.of.Server)), Do: func(ctx context.Context, env tool.Env) tool.Result {
		call := client.Call{Tool: r.of.Name, Args: args}
		if r.ask != nil {
			call.Asks = asks(r.of.Server, env, r.ask)
		}
		got, err := r.servers.CallOffered(ctx, r.of, call)
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
