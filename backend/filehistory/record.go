package filehistory

import (
	"context"
	"encoding/json"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

// recorded is a tool that changes files. It records the files before and after each
// call.
type recorded struct {
	tool.Tool
	roots *files.Roots
	turn  func() *checkpoint.Recorder
}

// Record wraps the tools that change something, so that the recorder which turn returns
// keeps the earlier versions of the files. With a nil turn it wraps none.
func Record(tools []tool.Tool, roots *files.Roots, turn func() *checkpoint.Recorder) []tool.Tool {
	if turn == nil {
		return tools
	}
	for i, t := range tools {
		if !t.Reads() {
			tools[i] = recorded{t, roots, turn}
		}
	}
	return tools
}

// Aliases returns the aliases of the wrapped tool.
func (r recorded) Aliases() []string {
	if a, ok := r.Tool.(interface{ Aliases() []string }); ok {
		return a.Aliases()
	}
	return nil
}

// Parse implements tool.Tool.
func (r recorded) Parse(args json.RawMessage) (tool.Call, error) {
	call, err := r.Tool.Parse(args)
	if err != nil {
		return call, err
	}
	do := call.Do
	call.Do = func(ctx context.Context, env tool.Env) tool.Result {
		turn := r.turn()
		if r.Name() == "shell" {
			command := turn.BeforeCommand(ctx, r.absolute(stringIn(call.Args, "folder")), r.names(call)...)
			defer func() { go command.After() }() // a stop must not wait for it; the recorder's End does
			return do(ctx, env)
		}
		for _, path := range r.touched(ctx, call, env) {
			turn.Before(path) // if it fails, the record notes that the file cannot be restored
			defer turn.After(path)
		}
		return do(ctx, env)
	}
	return call, nil
}

// names lists the files that a shell command names as its output.
func (r recorded) names(call tool.Call) []string {
	return approval.Writes(approval.Call{Tool: r.Name(), Arguments: string(call.Args), Workspace: r.roots.Workspace(), Roots: r.roots.Places()})
}

// touched lists the files that a call will change, as far as its tool knows.
func (r recorded) touched(ctx context.Context, call tool.Call, env tool.Env) (paths []string) {
	if r.Name() == "mkdir" {
		return []string{r.absolute(stringIn(call.Args, "uri"))}
	}
	if call.Preview == nil {
		return nil
	}
	changes, err := call.Preview(ctx, env)
	if err != nil {
		return nil // the call will report the error itself
	}
	for _, c := range changes {
		paths = append(paths, r.absolute(c.Path))
	}
	return paths
}

// stringIn returns a string among arguments, "" if it is not there.
func stringIn(args json.RawMessage, name string) string {
	var values map[string]any
	if json.Unmarshal(args, &values) != nil {
		return ""
	}
	s, _ := values[name].(string)
	return s
}

func (r recorded) absolute(name string) string { return files.Absolute(r.roots.Workspace(), name) }
