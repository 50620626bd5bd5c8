package builtin

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

type globIn struct {
	Pattern string `json:"pattern" jsonschema:"for example **/*.go; * stays within a folder, ** crosses folders, {a,b} and [a-z] are known. Without a slash it matches names in any folder"`
	URI     string `json:"uri,omitempty" jsonschema:"the folder to look in; default: the workspace"`
}

func (in globIn) Action() string { return "finding " + clip.Text(in.Pattern, 50) }

func (in globIn) Check() error {
	if in.Pattern == "" || !doublestar.ValidatePattern(in.Pattern) {
		return fmt.Errorf("%q is not a pattern: a bracket or brace is not closed, or it is empty", in.Pattern)
	}
	return nil
}

func glob(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "glob", Description: describe("glob"), Reads: true,
		Arguments: withPaths(map[string]string{"glob": "pattern", "keyword": "pattern", "query": "pattern"}),
	}, func(ctx context.Context, env tool.Env, in globIn) tool.Result {
		dir, pattern := in.split()
		r := o.at(env, dir)
		match, leaves := matcher(pattern), leavesOut(r, dir, pattern)
		if strings.Contains(path.Clean(in.Pattern), "/") { // also match the folder that was split off
			match = func(p string) bool { return doublestar.MatchUnvalidated(pattern, p) }
		}
		var found []string
		more, left := false, ""
		err := r.Walk(ctx, dir, func(e files.Entry) error {
			if e.Dir || !match(e.Path) {
				return nil
			}
			if leaves(e.Path) {
				left = " Agents' notebooks are left out unless the pattern names .mtm."
				return nil
			}
			if len(found) == listLimit {
				more = true
				return fs.SkipAll
			}
			found = append(found, join(dir, e.Path))
			return nil
		})
		switch {
		case err != nil:
			return failed(r, dir, err)
		case len(found) == 0:
			return listed(fmt.Sprintf("No file matches %s in %s. What .gitignore excludes is left out.%s", pattern, place(r, dir), left), 0, false)
		case more:
			return listed(fmt.Sprintf("%s\n\n[The first %d files; there are more. Narrow the pattern or the folder.]", strings.Join(found, "\n"), listLimit), listLimit, true)
		}
		return listed(strings.Join(found, "\n"), len(found), false)
	})
}

// split moves the leading folders without wildcards from the pattern to the
// folder, so that nothing else is walked and absolute patterns work.
func (in globIn) split() (dir, pattern string) {
	dir = cmp.Or(in.URI, ".")
	p := path.Clean(in.Pattern)
	if strings.HasPrefix(p, "/") && in.URI == "" {
		dir = "/"
	}
	lead, rest := doublestar.SplitPattern(strings.TrimPrefix(p, "/"))
	if lead != "." {
		dir = join(dir, lead)
	}
	return dir, rest
}

// matcher matches paths relative to the folder that is walked.
func matcher(pattern string) func(string) bool {
	if !strings.Contains(pattern, "/") && pattern != "**" {
		return func(p string) bool { return doublestar.MatchUnvalidated(pattern, path.Base(p)) }
	}
	return func(p string) bool { return doublestar.MatchUnvalidated(pattern, p) }
}

// join names an entry of a folder as it can be given back to a tool.
func join(dir, p string) string {
	if dir == "." || dir == "" {
		return p
	}
	if strings.HasPrefix(dir, "file://") {
		return strings.TrimRight(dir, "/") + "/" + p
	}
	return path.Join(dir, p)
}
