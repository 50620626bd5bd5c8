package builtin

import (
	"bytes"
	"context"
	"fmt"

	"mutsumi/backend/linediff"
	"mutsumi/backend/tool"
)

type writeFileIn struct {
	URI     string `json:"uri" jsonschema:"the file: relative to the workspace or absolute; folders on the way are made"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func (in writeFileIn) Action() string { return "writing " + base(in.URI) }

func writeFile(o Options) tool.Tool {
	return tool.Previewed(tool.Spec{
		Name: "write_file", Description: describe("write_file"), Arguments: withPaths(map[string]string{"text": "content", "contents": "content"}),
	}, func(_ context.Context, env tool.Env, in writeFileIn) tool.Result {
		before, after, err := o.rewrite(in)
		if res, idle := writeIdle(in, before, after, err); idle {
			return res
		}
		if !env.Agrees(tool.Change{Path: in.URI, Before: string(before), After: string(after), New: before == nil}) {
			return notApproved(in.URI)
		}
		if err := o.save(in.URI, after); err != nil {
			return tool.Error(err.Error())
		}
		res := tool.Text(fmt.Sprintf("Replaced %s:\n%s", in.URI, unified(string(before), string(after), 60)))
		if before == nil {
			res = tool.Text(fmt.Sprintf("Created %s, %d lines.", in.URI, len(linediff.TextLines(in.Content))))
		}
		res.Facts = changeFacts(string(before), string(after))
		return res
	}, func(_ context.Context, _ tool.Env, in writeFileIn) ([]tool.Change, error) {
		before, after, err := o.peek().rewrite(in)
		return []tool.Change{{Path: in.URI, Before: string(before), After: string(after), New: before == nil}}, err
	}, func(_ context.Context, _ tool.Env, in writeFileIn) (tool.Result, bool) {
		before, after, err := o.rewrite(in)
		return writeIdle(in, before, after, err)
	})
}

// writeIdle returns the result of a write that writes nothing.
func writeIdle(in writeFileIn, before, after []byte, err error) (res tool.Result, idle bool) {
	switch {
	case err != nil:
		return tool.Error(err.Error()), true
	case before != nil && bytes.Equal(before, after):
		return tool.Text(in.URI + " has this content already: nothing was written."), true
	}
	return tool.Result{}, false
}

// rewrite computes the new content and writes nothing; before is nil for a
// file that is not there.
func (o Options) rewrite(in writeFileIn) (before, after []byte, err error) {
	before, err = o.current(in.URI, true, false)
	if err != nil {
		return nil, nil, err
	}
	after = []byte(in.Content)
	if before != nil {
		if f, err := openText(in.URI, before); err == nil {
			after = append(bytes.Clone(before[:f.bom]), f.ends(string(bytes.TrimPrefix(after, bom)))...)
		}
	}
	return before, after, nil
}
