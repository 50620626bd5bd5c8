package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

const listLimit = 1000

type lsIn struct {
	URI   string `json:"uri,omitempty" jsonschema:"the folder; default: the workspace"`
	Depth int    `json:"depth,omitempty" jsonschema:"levels of folders to list, 1 to 5; default 1. More than 1 leaves out what .gitignore excludes"`
}

func (in lsIn) Action() string { return "listing " + base(cmp.Or(in.URI, ".")) }

func (in lsIn) Check() error {
	if in.Depth < 0 || in.Depth > 5 {
		return fmt.Errorf("depth must be from 1 to 5, not %d", in.Depth)
	}
	return nil
}

func ls(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "ls", Description: describe("ls"), Reads: true, Arguments: withPaths(map[string]string{}),
	}, func(ctx context.Context, env tool.Env, in lsIn) tool.Result {
		dir := cmp.Or(in.URI, ".")
		r := o.at(env, dir)
		var entries []files.Entry
		var err error
		if in.Depth > 1 {
			entries, err = tree(ctx, r, dir, in.Depth)
		} else {
			entries, err = r.List(dir)
		}
		switch {
		case err != nil:
			return failed(r, dir, err)
		case len(entries) == 0:
			return listed("[The folder is empty.]", 0, false)
		case len(entries) > listLimit:
			return listed(fmt.Sprintf("%s\n\n[The first %d entries; there are more. List a folder further down, or use glob.]", files.Listing(entries[:listLimit]), listLimit), listLimit, true)
		}
		return listed(files.Listing(entries), len(entries), false)
	})
}

// listed is a result with the number of names in it; more means that there are others.
func listed(text string, found int, more bool) tool.Result {
	res := tool.Text(text)
	res.Facts = &chat.CallFacts{Found: &found, More: more}
	return res
}

// tree lists several levels, one entry more than the limit at most.
func tree(ctx context.Context, r *files.Roots, dir string, depth int) ([]files.Entry, error) {
	var out []files.Entry
	leaves := leavesOut(r, dir, "")
	err := r.Walk(ctx, dir, func(e files.Entry) error {
		if !e.Dir && leaves(e.Path) {
			return nil
		}
		if len(out) > listLimit {
			return fs.SkipAll
		}
		out = append(out, e)
		if e.Dir && strings.Count(e.Path, "/") >= depth-1 {
			return fs.SkipDir
		}
		return nil
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return out, err
}
