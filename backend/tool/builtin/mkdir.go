package builtin

import (
	"context"

	"mutsumi/backend/tool"
)

type mkdirIn struct {
	URI string `json:"uri" jsonschema:"the folder: relative to the workspace or absolute"`
}

func (in mkdirIn) Action() string { return "making folder " + base(in.URI) }

func mkdir(o Options) tool.Tool {
	there := func(_ context.Context, _ tool.Env, in mkdirIn) (tool.Result, bool) {
		info, err := o.Roots.Stat(in.URI)
		return tool.Text(in.URI + " is there already."), err == nil && info.IsDir()
	}
	return tool.Previewed(tool.Spec{
		Name: "mkdir", Description: describe("mkdir"), Arguments: withPaths(map[string]string{}),
	}, func(ctx context.Context, env tool.Env, in mkdirIn) tool.Result {
		if res, idle := there(ctx, env, in); idle {
			return res
		}
		if err := o.Roots.Mkdir(in.URI); err != nil {
			return tool.Error(err.Error())
		}
		return tool.Text("Made " + in.URI + ".")
	}, nil, there)
}
